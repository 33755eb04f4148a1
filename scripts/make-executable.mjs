import { chmodSync } from "node:fs";

// npm does this for an installed package, but not for the package's own folder, where `npx kvtier` runs the build. There
// npx goes on with the link it made when the command was first run, which may be from before the command was bundled.
for (const command of ["bundle/cli.js", "cli/main.js"])
  chmodSync(new URL(`../dist/${command}`, import.meta.url), 0o755);
