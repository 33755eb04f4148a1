import "reflect-metadata";
import { Type } from "class-transformer";
import { IsArray, ValidateNested } from "class-validator";
import type { EvictionPolicyName, ModelSpec } from "../contracts/offloading-spec.js";
import { formatByteSize } from "./byte-size.js";
import { ByteSize } from "./byte-size-option.js";
import { Count, Seconds } from "./number-options.js";
import { optionRule } from "./option-rule.js";
import { Below } from "./order-options.js";
import { Flag, OneOf, Text } from "./value-options.js";

/** Slot numbers are 32-bit integers. */
const MAX_BLOCKS = 2 ** 31 - 1;

/** The block `model`. Every field changes the storage namespace. */
export class ModelOptions implements ModelSpec {
  @Text() name!: string;
  @Text() dtype!: string;
  @Text({ empty: true }) revision = "";
  @Text({ empty: true }) layout = "";
  @Count() tokensPerBlock!: number;
  @Count() worldSize = 1;
  @Count({ min: 0 }) @Below("worldSize") rank = 0;
}

/** The top level of a config, but for what is inside `secondary_tiers`. */
export class TieringOptions {
  @Text() specName = "TieringOffloadingSpec";
  @Text({ optional: true }) specModulePath?: string;
  @ByteSize() @HoldsBlocks() cpuBytesToUse!: number;
  @ByteSize() blockBytes!: number;
  @OneOf(["lru", "arc"]) evictionPolicy: EvictionPolicyName = "lru";
  @Flag() enableKvCacheEvents = false;
  @Seconds({ optional: true }) pendingDeadlineS?: number;
  @ValidateNested() @Type(() => ModelOptions) model!: ModelOptions;
  @IsArray() secondaryTiers: unknown[] = [];

  get numBlocks(): number {
    return Math.floor(this.cpuBytesToUse / this.blockBytes);
  }
}

/** At least one block fits into the pool, and no more than can be numbered. */
function HoldsBlocks(): PropertyDecorator {
  return optionRule(
    "holdsBlocks",
    (_value, args) => {
      const { numBlocks } = args?.object as TieringOptions;
      // No integer when either size is no size: that is reported already.
      return !Number.isSafeInteger(numBlocks) || (numBlocks >= 1 && numBlocks <= MAX_BLOCKS);
    },
    (args) => {
      const { blockBytes, numBlocks } = args?.object as TieringOptions;
      const size = formatByteSize(blockBytes);
      return numBlocks < 1
        ? `must hold at least one block of ${size} (block_bytes)`
        : `must hold fewer than 2147483648 blocks of ${size} (block_bytes)`;
    },
  );
}
