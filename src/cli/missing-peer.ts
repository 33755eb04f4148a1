/**
 * What to say when the command cannot be loaded because a package that kvtier is installed beside is not there.
 *
 * @param error what the import failed with
 * @param peers names of those packages
 * @returns `undefined` for any other failure
 */
export function missingPeer(error: unknown, peers: readonly string[]): string | undefined {
  if (!(error instanceof Error) || Reflect.get(error, "code") !== "ERR_MODULE_NOT_FOUND") return undefined;
  const missing = /'([^']+)'/.exec(error.message)?.[1];
  if (missing === undefined || !peers.includes(missing)) return undefined;
  return `The package '${missing}' is not installed. Install what kvtier works with: npm install ${peers.join(" ")}`;
}
