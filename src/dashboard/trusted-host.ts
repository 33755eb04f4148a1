import { isIP } from "node:net";

/**
 * Whether a page that was asked for under this `Host` may be shown. A foreign site can make its own name resolve to an
 * address of this machine and then read what is served there (DNS rebinding); it cannot make the browser send another
 * name than its own. So names are refused, but for `localhost` and those that are allowed; addresses name nobody.
 *
 * @param header value of `Host`, with or without a port
 * @param allowed host names without a port
 */
export function isTrustedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const name =
    /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/
      .exec(header ?? "")?.[1]
      ?.toLowerCase()
      .replace(/\.$/, "") ?? "";
  if (name.startsWith("[")) return isIP(name.slice(1, -1)) === 6;
  return (
    isIP(name) === 4 ||
    name === "localhost" ||
    name.endsWith(".localhost") ||
    allowed.some((host) => host.toLowerCase() === name)
  );
}
