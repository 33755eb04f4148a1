import { Type } from "class-transformer";
import {
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateNested,
} from "class-validator";

export class StreamOptions {
  /** Whether a last chunk tells the usage. */
  @IsOptional()
  @IsBoolean()
  include_usage = false;
}

/** The part of OpenAI's request for a completion that is understood here. */
export class CompletionRequest {
  @IsOptional()
  @IsString()
  model = "tiny";

  @IsString()
  @IsNotEmpty()
  prompt!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1024)
  max_tokens = 16;

  /** 0: always the most probable token. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(2)
  temperature = 0;

  /** How many of the most probable tokens are told for each of the answer's. */
  @IsOptional()
  @IsInt()
  @Min(0)
  logprobs = 0;

  @IsOptional()
  @IsBoolean()
  stream = false;

  @IsOptional()
  @ValidateNested()
  @Type(() => StreamOptions)
  stream_options = new StreamOptions();
}
