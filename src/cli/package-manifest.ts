import { readFileSync } from "node:fs";

interface PackageManifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What stands in the `package.json` of kvtier. */
export function packageManifest(): PackageManifest {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as PackageManifest;
}
