import { createHash, timingSafeEqual } from "node:crypto";

/** Characters that a token has at least: a shorter one can be guessed, since nothing slows guessing down. */
export const MIN_TOKEN_LENGTH = 16;

/** Whether `authorization`, the header's value, is `Bearer <token>`. Takes as long whatever the difference is. */
export function isBearer(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1] ?? "";
  // Digests have one length, which the comparison needs, and which tells nothing of the token's.
  return timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
