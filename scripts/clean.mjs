import { rmSync } from "node:fs";

// A file that was renamed in src must not live on in dist, where it would still be packed and importable.
rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
