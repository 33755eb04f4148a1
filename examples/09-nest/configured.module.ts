// Options from the environment, and a tier of the application that needs something the application has.
import { Injectable, Module } from "@nestjs/common";
import { ConfigModule, ConfigService } from "@nestjs/config";
import { inject } from "inversify";
import { ExampleTier, SecondaryTier, TOKENS, type TierContext } from "kvtier";
import { KvTierModule } from "kvtier/nest";

@Injectable()
export class Audit {
  readonly opened: string[] = [];
}

@Module({ providers: [Audit], exports: [Audit] })
export class AuditModule {}

@SecondaryTier("audited", { config: "passthrough" })
export class AuditedTier extends ExampleTier {
  readonly #audit: Audit;

  constructor(@inject(TOKENS.tierContext) context: TierContext<never>, @inject("app.audit") audit: Audit) {
    super(context);
    this.#audit = audit;
  }

  override async initialize(): Promise<void> {
    this.#audit.opened.push(this.tierType);
  }
}

@Module({
  imports: [
    ConfigModule.forRoot(),
    KvTierModule.forRootAsync({
      isGlobal: true,
      tiers: [AuditedTier],
      imports: [ConfigModule, AuditModule],
      inject: [ConfigService, Audit],
      useFactory: (env: ConfigService, audit: Audit) => ({
        config: {
          cpu_bytes_to_use: env.get<string>("KV_POOL", "4MiB"),
          block_bytes: "64KiB",
          model: { name: env.get<string>("MODEL", "llama-3-8b"), dtype: "float16", tokens_per_block: 16 },
          secondary_tiers: [{ type: "audited" }],
        },
        // Before any tier is made: the place to bind what tiers want, and to rebind what there is.
        configure: (container) => void container.bind("app.audit").toConstantValue(audit),
      }),
    }),
    AuditModule,
  ],
})
export class ConfiguredModule {}
