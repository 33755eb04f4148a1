import { isSecretKey, REDACTED, redactText } from "../errors/secrets.js";

/** Shorter values would blot out harmless text, and are no secrets worth the name. */
const MIN_SECRET_LENGTH = 4;

/**
 * A function that blots out of a text every secret that stands in `config`, wherever it turns up again (an error of a
 * client may quote what it was given), and what looks like credentials in URLs.
 */
export function secretMask(config: unknown): (text: string) => string {
  const secrets = new Set<string>();
  collect(config, false, secrets);
  // The longest first, so that none is left half visible by one that it contains.
  const ordered = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => redactText(ordered.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text));
}

function collect(value: unknown, isSecret: boolean, secrets: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, isSecret || isSecretKey(key), secrets);
  } else if (isSecret && (typeof value === "string" || typeof value === "number")) {
    if (String(value).length >= MIN_SECRET_LENGTH) secrets.add(String(value));
  }
}
