import { Global, Module, type DynamicModule } from "@nestjs/common";
import { KvTierDashboardModule, KvTierModule } from "kvtier/nest";
import { CompletionsModule } from "./completions/completions.module.js";
import { OperationsModule } from "./operations/operations.module.js";
import { SETTINGS, type Settings } from "./settings.js";

@Global()
@Module({})
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KvTierModule.forRoot({ config: settings.tiers, isGlobal: true }),
        CompletionsModule,
        OperationsModule,
        KvTierDashboardModule.forRoot(),
      ],
      providers: [{ provide: SETTINGS, useValue: settings }],
      exports: [SETTINGS],
    };
  }
}
