/** `nReadThreads` → `n_read_threads`: the spelling of config files, and of everything that kvtier says about a key. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/** `n_read_threads` → `nReadThreads`: the spelling of TypeScript callers and of the fields of config classes. */
export function camelCase(key: string): string {
  return key.replace(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
