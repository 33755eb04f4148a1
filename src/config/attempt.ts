import type { ConfigProblem } from "../errors/kv-tier-error.js";

/**
 * Runs code that is not ours: a getter of the caller's object, or the constructor, a transform, a validator or the
 * defaults of somebody's class. What it throws becomes a problem, told by its kind alone: its text may hold a secret.
 */
export function attempt<T>(run: () => T, path: string, problems: ConfigProblem[]): T | undefined {
  try {
    return run();
  } catch (error) {
    const name = error instanceof Error ? error.name : "no Error";
    problems.push({ path, message: `could not be read (${name} was thrown)` });
    return undefined;
  }
}
