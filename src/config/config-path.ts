const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;
const MAX_KEY_LENGTH = 100;

/** `key` below `path`, as a reader would write it: `tiers[0].root_dir`, or `headers["x-api"]` for a key that is no name. */
export function joinPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (typeof key === "symbol") return `${path}[${String(key)}]`;
  if (!PLAIN_KEY.test(key) || key.length > MAX_KEY_LENGTH) return `${path}[${JSON.stringify(shortened(key))}]`;
  return path === "" ? key : `${path}.${key}`;
}

function shortened(key: string): string {
  return key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
}
