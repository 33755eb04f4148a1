import { Inject, Injectable, type Type } from "@nestjs/common";
import { ContextIdFactory, DiscoveryService, ModuleRef } from "@nestjs/core";
import type { Container } from "inversify";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { BackpressureDetector } from "../backpressure/backpressure-detector.js";
import { BackpressurePolicy } from "../backpressure/backpressure-policy.js";
import { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import { TOKENS } from "../tokens.js";
import { assertAcyclic, type ProviderWrapper } from "./assert-acyclic.js";
import { notOverridden } from "./overridable-providers.js";

// Nest reads what a constructor wants from its own metadata. Subclasses inherit this as they inherit the constructor.
Inject(TOKENS.tierContext)(SecondaryTierManager, undefined, 0);
Inject(TOKENS.detectorConfig)(BackpressureDetector, undefined, 0);
Inject(TOKENS.backpressurePolicy)(BackpressureDetector, undefined, 1);
Inject(TOKENS.clock)(BackpressureDetector, undefined, 2);
Inject(TOKENS.policyConfig)(BackpressurePolicy, undefined, 0);

export interface OverrideScope {
  readonly container: Container;
  /** The tokens of tiers, detectors, policies and specs. */
  readonly tokens: readonly string[];
  /** Nest's token of what is made from the tiers. */
  readonly cacheToken: string;
}

/** Carries what a test overrides in Nest, `overrideProvider(tierToken("fs"))`, into the container of the tiers. */
@Injectable()
export class TokenOverrides {
  readonly #moduleRef: ModuleRef;
  readonly #discovery: DiscoveryService;

  constructor(@Inject(ModuleRef) moduleRef: ModuleRef, @Inject(DiscoveryService) discovery: DiscoveryService) {
    this.#moduleRef = moduleRef;
    this.#discovery = discovery;
  }

  /** Rebinds each token that is overridden. What overrides it is made by Nest, with whatever Nest can inject. */
  apply({ container, tokens, cacheToken }: OverrideScope): void {
    const providers = this.#discovery.getProviders().find(({ instance }) => instance === this)?.host?.providers;
    for (const token of tokens) {
      const wrapper = providers?.get(token);
      if (wrapper === undefined || wrapper.metatype === notOverridden) continue;
      const rebound = container.rebind(token);
      if (wrapper.metatype !== null) rebound.toDynamicValue(() => this.#make(wrapper, cacheToken)).inTransientScope();
      else if (typeof wrapper.instance === "function")
        rebound.to(wrapper.instance as AnyClass as Type).inTransientScope();
      else rebound.toConstantValue(wrapper.instance);
    }
  }

  #make(wrapper: ProviderWrapper, cacheToken: string): Promise<unknown> {
    assertAcyclic(wrapper, cacheToken);
    const context = ContextIdFactory.create();
    return wrapper.inject == null
      ? this.#moduleRef.create(wrapper.metatype as Type<unknown>, context)
      : this.#moduleRef.resolve(wrapper.token as string, context, { strict: true });
  }
}
