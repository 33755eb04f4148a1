import type { AnyClass } from "../contracts/tier-metadata.js";

/** A name and the class that serves it, perhaps still to be loaded. */
export interface Registration {
  readonly name: string;
  /** Who registered it, for error messages: `FsTier`, or `'@acme/kv-tier'#AcmeTier`. */
  readonly source: string;
  /** The class, once it is loaded. A registration of a class has it from the start. */
  readonly loaded: AnyClass | undefined;
  /** The class; concurrent callers share one load, and a failed load may be tried again. */
  load(): Promise<AnyClass>;
}

/** What {@link ClassRegistry} takes: a class, or the way to get one. */
export type ClassSource =
  { readonly value: AnyClass } | { readonly source: string; readonly load: () => Promise<AnyClass> };

/** Names to classes. Registering a name twice is an error, at once and naming both. */
export class ClassRegistry {
  readonly #registrations = new Map<string, Registration>();
  readonly #duplicate: (name: string, existing: string, added: string) => Error;

  /** @param duplicate makes the error for a name that is taken */
  constructor(duplicate: (name: string, existing: string, added: string) => Error) {
    this.#duplicate = duplicate;
  }

  register(name: string, from: ClassSource): Registration {
    const added = "value" in from ? from.value.name : from.source;
    const existing = this.#registrations.get(name);
    if (existing !== undefined) throw this.#duplicate(name, existing.source, added);
    const registration = "value" in from ? eager(name, from.value) : new LazyRegistration(name, from.source, from.load);
    this.#registrations.set(name, registration);
    return registration;
  }

  get(name: string): Registration | undefined {
    return this.#registrations.get(name);
  }

  all(): Registration[] {
    return [...this.#registrations.values()];
  }

  names(): string[] {
    return [...this.#registrations.keys()];
  }
}

function eager(name: string, value: AnyClass): Registration {
  return { name, source: value.name, loaded: value, load: () => Promise.resolve(value) };
}

class LazyRegistration implements Registration {
  readonly name: string;
  readonly source: string;
  readonly #load: () => Promise<AnyClass>;
  #pending: Promise<AnyClass> | undefined;
  #loaded: AnyClass | undefined;

  constructor(name: string, source: string, load: () => Promise<AnyClass>) {
    this.name = name;
    this.source = source;
    this.#load = load;
  }

  get loaded(): AnyClass | undefined {
    return this.#loaded;
  }

  load(): Promise<AnyClass> {
    this.#pending ??= this.#load().then(
      (value) => (this.#loaded = value),
      (error: unknown) => {
        this.#pending = undefined;
        throw error;
      },
    );
    return this.#pending;
  }
}
