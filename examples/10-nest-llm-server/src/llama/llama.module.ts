import { Module } from "@nestjs/common";
import type { KvCache } from "kvtier";
import { PrefixCache } from "kvtier/engines";
import { getKvCacheToken, nestLogger } from "kvtier/nest";
import { SETTINGS, type Settings } from "../settings.js";
import { openLlama, type OpenLlama } from "./open-llama.js";
import { SequencePool } from "./sequence-pool.js";
import { LLAMA, PREFIXES } from "./tokens.js";

@Module({
  providers: [
    { provide: LLAMA, inject: [SETTINGS], useFactory: (settings: Settings) => openLlama(settings) },
    {
      provide: PREFIXES,
      inject: [getKvCacheToken(), LLAMA],
      useFactory: (cache: KvCache, { engine }: OpenLlama) =>
        new PrefixCache({ cache, engine, logger: nestLogger("PrefixCache") }),
    },
    SequencePool,
  ],
  exports: [LLAMA, PREFIXES, SequencePool],
})
export class LlamaModule {}
