// A cache for each model: their blocks have nothing in common, not even their size.
import { Injectable, Module } from "@nestjs/common";
import type { KvCache, TieringConfigInput } from "kvtier";
import { InjectKvCache, KvTierModule } from "kvtier/nest";

const configOf = (model: string, block_bytes: string): TieringConfigInput => ({
  cpu_bytes_to_use: "4MiB",
  block_bytes,
  model: { name: model, dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "fs", root_dir: "./kv" }],
});

@Injectable()
export class SpeculativeDecoder {
  readonly target: KvCache;
  readonly draft: KvCache;

  constructor(@InjectKvCache() target: KvCache, @InjectKvCache("draft") draft: KvCache) {
    this.target = target;
    this.draft = draft;
  }
}

@Module({
  imports: [
    KvTierModule.forRoot({ config: configOf("llama-3-8b", "64KiB") }),
    KvTierModule.forRoot({ name: "draft", config: configOf("llama-3-1b", "16KiB") }),
  ],
  providers: [SpeculativeDecoder],
})
export class TwoCachesModule {}
