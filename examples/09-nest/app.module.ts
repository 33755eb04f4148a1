// A Nest application around a cache: one module, injected where prompts are served, closed with the application.
import { Module } from "@nestjs/common";
import { TerminusModule } from "@nestjs/terminus";
import { KvTierModule } from "kvtier/nest";
import { HealthController } from "./health.controller.js";
import { PromptsController } from "./prompts.controller.js";
import { PromptsService } from "./prompts.service.js";

@Module({
  imports: [
    KvTierModule.forRoot({
      config: {
        cpu_bytes_to_use: "4MiB", // the pool
        block_bytes: "64KiB", //     one block
        model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: 16 },
        secondary_tiers: [{ type: "fs", root_dir: "./kv", max_bytes: "1GiB" }],
      },
    }),
    TerminusModule,
  ],
  controllers: [PromptsController, HealthController],
  providers: [PromptsService],
})
export class AppModule {}
