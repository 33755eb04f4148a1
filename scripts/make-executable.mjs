import { chmodSync } from "node:fs";

// npm does this for an installed package, but not for the package's own folder, where `npx kvtier` runs the build.
chmodSync(new URL("../dist/bundle/cli.js", import.meta.url), 0o755);
