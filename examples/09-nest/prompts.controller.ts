import { Body, Controller, Inject, Post } from "@nestjs/common";
import { PromptsService, type Answer } from "./prompts.service.js";

@Controller("prompts")
export class PromptsController {
  readonly #prompts: PromptsService;

  constructor(@Inject(PromptsService) prompts: PromptsService) {
    this.#prompts = prompts;
  }

  @Post()
  complete(@Body() body: { readonly tokens: readonly number[] }): Promise<Answer> {
    return this.#prompts.complete(body.tokens);
  }
}
