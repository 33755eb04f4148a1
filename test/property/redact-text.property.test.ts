import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isSecretKey, REDACTED, redactText } from "../../src/errors/secrets.js";

/** The rule in its plainest form, which takes quadratic time. */
function plainlyRedacted(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]*@/gi, `$1${REDACTED}@`)
    .replace(/([?&;])([^=&;#\s"']+)=([^&;#\s"']*)/g, (whole, separator: string, name: string) =>
      isSecretKey(name) ? `${separator}${name}=${REDACTED}` : whole,
    );
}

const piece = fc.constantFrom(
  ...["://", "redis", "A", "x", "7", "+", ".", "-", ":", "/", "@", " ", "\n", '"', "'", "<", ">", "é"],
  ...["?", "&", ";", "=", "#", "token", "secret", "page"],
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

const MEGABYTE = 2 ** 20;
const longOf = (unit: string): string => unit.repeat(MEGABYTE / unit.length);

describe("redactText", () => {
  it("shows what the plain rule shows", () => {
    fc.assert(
      fc.property(text, (any) => expect(redactText(any)).toBe(plainlyRedacted(any))),
      { numRuns: 5000 },
    );
  });

  // Each of these takes minutes once a scan begins anew at every character.
  it.each(["x", "7", "a://", "7://", "://", "@", "?", "?x", "&", "=", "; "])(
    "leaves a megabyte of %j as it is, and does so in one pass",
    (unit) => {
      expect(redactText(longOf(unit)) === longOf(unit)).toBe(true);
    },
  );

  it("finds the credentials before, behind and inside a megabyte", () => {
    const long = longOf("x");
    expect(redactText(`redis://u:p@${long}`) === `redis://${REDACTED}@${long}`).toBe(true);
    expect(redactText(`${long}://u:p@host`) === `${long}://${REDACTED}@host`).toBe(true);
    expect(redactText(`redis://${longOf("a://")}@host`)).toBe(`redis://${REDACTED}@host`);
    expect(redactText(`?${long}&token=${long}`) === `?${long}&token=${REDACTED}`).toBe(true);
  });
});
