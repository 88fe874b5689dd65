#!/usr/bin/env node
// The way in: refuses a Node that is too old before anything native is loaded, then hands over to the command line.

const OLDEST_NODE = 22;
const major = Number(process.versions.node.split('.')[0]);

if (major < OLDEST_NODE) {
  process.stderr.write(`vaultgraph needs Node ${OLDEST_NODE} or newer, this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  const { runCommandLine } = await import('./cli/command-line.ts');
  await runCommandLine(process.argv);
}
