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

// Texts may be long and from anywhere, so these take time linear in them: none begins a scan that may fail anew at every
// character. A scheme is looked for backwards from its `://`, and a parameter without a value is consumed too.
const WORD = /[^\s"'<>]+/g;
const SCHEME_END = /:\/\/(?<=[a-z][a-z0-9+.-]*:\/\/)/i;
const URL_PARAMETER = /([?&;])([^=&;#\s"']+)(=[^&;#\s"']*)?/g;

/** Whether the values under `key` (in any spelling) must never be shown. Rather one key too many than one too few. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replace(/[^a-z0-9]/g, ""));
}

/** `text` without the credentials that URLs carry, before the host or in the query. */
export function redactText(text: string): string {
  return text
    .replace(WORD, redactCredentials)
    .replace(URL_PARAMETER, (whole, separator: string, name: string, value: string | undefined) =>
      value !== undefined && isSecretKey(name) ? `${separator}${name}=${REDACTED}` : whole,
    );
}

/** Everything up to the last `@`: a password in a URL may hold any character. */
function redactCredentials(word: string): string {
  const end = word.lastIndexOf("@");
  if (end < 0) return word;
  const scheme = SCHEME_END.exec(word.slice(0, end));
  return scheme === null ? word : `${word.slice(0, scheme.index)}://${REDACTED}${word.slice(end)}`;
}
