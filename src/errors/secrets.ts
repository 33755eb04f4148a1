/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Parts of keys, without separators and in lower case, whose values are secrets. `tokens_per_block` is none. */
const SECRET_KEY = new RegExp(
  [
    "secret|passw|passphrase|pwd|credential|session|bearer|cookie",
    "(?:access|api|private|account|encryption|signing|shared|master|ssh)key",
    "auth(?!or(?!i[sz]))",
    "token(?!s?per|i[sz])",
  ].join("|"),
);

/** Everything up to the last `@`: a password in a URL may hold any character. */
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]*@/gi;
const URL_PARAMETER = /([?&;])([^=&;#\s"']+)=([^&;#\s"']*)/g;

/** Whether the values under `key` (in any spelling) must never be shown. Rather one key too many than one too few. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replace(/[^a-z0-9]/g, ""));
}

/** `text` without the credentials that URLs carry, before the host or in the query. */
export function redactText(text: string): string {
  return text
    .replace(URL_CREDENTIALS, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, (whole, separator: string, name: string) =>
      isSecretKey(name) ? `${separator}${name}=${REDACTED}` : whole,
    );
}
