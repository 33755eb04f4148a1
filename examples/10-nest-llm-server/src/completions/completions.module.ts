import { Module } from "@nestjs/common";
import { LlamaModule } from "../llama/llama.module.js";
import { CompletionsController } from "./completions.controller.js";
import { CompletionsService } from "./completions.service.js";

@Module({ imports: [LlamaModule], controllers: [CompletionsController], providers: [CompletionsService] })
export class CompletionsModule {}
