#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { systemClock } from "../contracts/clock.js";
import { ExitCode } from "./exit-code.js";
import { missingPeer } from "./missing-peer.js";
import { packageManifest } from "./package-manifest.js";

/** The longest that a Node timer waits, in milliseconds. */
const FOREVER_MS = 2 ** 31 - 1;

// Nothing in kvtier keeps a process alive, so the command does; and one that dies half-way has not succeeded.
const keepAlive = setInterval(() => {}, FOREVER_MS);
process.exitCode = ExitCode.CheckFailed;

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

void run().finally(() => clearInterval(keepAlive));

async function run(): Promise<void> {
  try {
    // Imported only here, so that a package which is not installed can be told of.
    await import("reflect-metadata");
    const { runCli } = await import("./run-cli.js");
    process.exitCode = await runCli(process.argv.slice(2), {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      terminal: process.stderr.isTTY ? process.stderr : null,
      clock: systemClock,
      uniqueId: randomUUID,
      variable: (name) => process.env[name],
      interrupted,
    });
  } catch (error) {
    const hint = missingPeer(error, Object.keys(packageManifest().peerDependencies));
    if (hint === undefined) throw error;
    process.stderr.write(`kvtier: ${hint}\n`);
  }
}

async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
}
