// `node test/bench/tokens.ts`: prints the token counts of the tool list and of each kind of answer. `npm run bench` prints them too.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { takeTokens, tokensAsText } from './token-report.ts';

const { values } = parseArgs({ options: { program: { type: 'string' }, json: { type: 'boolean', default: false } } });
const program = resolve(values.program ?? join(import.meta.dirname, '../../dist/main.js'));
if (!existsSync(program)) {
  process.stderr.write(`${program} does not exist: npm run build\n`);
  process.exitCode = 64;
} else {
  const workFolder = mkdtempSync(join(tmpdir(), 'vaultgraph-tokens-'));
  try {
    const report = await takeTokens({ program, workFolder });
    process.stdout.write(`${values.json ? JSON.stringify(report) : tokensAsText(report)}\n`);
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}
