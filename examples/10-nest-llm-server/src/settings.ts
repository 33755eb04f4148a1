/** What can be set from outside; the tiers have a file of their own. */
export interface Settings {
  readonly port: number;
  /** Path of the model, a GGUF file. */
  readonly model: string;
  /** Path of kvtier's config. */
  readonly tiers: string;
  /** Prompts that are worked on at the same time; more wait. */
  readonly sequences: number;
  /** Longest prompt with its answer, in tokens. */
  readonly contextSize: number;
  /** Threads of the engine; 0: as many as it finds best. */
  readonly threads: number;
}

export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  return {
    port: Number(env.PORT ?? 3000),
    model: env.MODEL ?? "models/tiny.gguf",
    tiers: env.KVTIER_CONFIG ?? "kvtier.jsonc",
    sequences: Number(env.SEQUENCES ?? 2),
    contextSize: Number(env.CONTEXT_SIZE ?? 4096),
    threads: Number(env.THREADS ?? 0),
  };
}

export const SETTINGS = "settings";
