// Prints one line, `N passed, N failed`, from Jest's JSON results. A skipped test counts as failed: none is meant to be.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2] ?? "", "utf8");
if (text === "") {
  console.error("Jest ended before it had results: see what it printed last.");
  process.exit(1);
}
const results = JSON.parse(text);
const failed = results.numFailedTests + results.numPendingTests + results.numRuntimeErrorTestSuites;
console.log(`${results.numPassedTests} passed, ${failed} failed`);
if (failed > 0 || results.numPassedTests === 0) process.exitCode = 1;
