#!/usr/bin/env node
// The way in: refuses a Node that is too old before anything native is loaded, then hands over to the command line.
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 22;
const major = Number(process.versions.node.split('.')[0]);

if (major < OLDEST_NODE) {
  const { oldNodeText } = await import('./cli/old-node.ts');
  process.stderr.write(oldNodeText(OLDEST_NODE, fileURLToPath(import.meta.url)));
  process.exitCode = 1;
} else {
  // Beside the program, for it is part of it; where nothing can be written, each start compiles again.
  module.enableCompileCache?.(join(import.meta.dirname, '../node_modules/.cache/compiled'));
  const { runProgram } = await import('./cli/run-program.ts');
  await runProgram(process.argv);
}
