// `npm run check`: lints, type-checks, and finds unused files, exports and dependencies; the first fault ends it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetched } from './fetched.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMANDS = [
  ['biome', 'check', '--error-on-warnings', '.'],
  ['tsc', '-p', '.', '--noEmit'],
  ['tsc', '-p', 'src/page'],
  ['tsc', '-p', 'test'],
  ['knip'],
] as const;

const tools = fetched('check');
// For its types.
fetched('puppeteer');
const PROGRAMS = {
  biome: programOf(join(tools, '@biomejs/biome'), 'biome'),
  knip: programOf(join(tools, 'knip'), 'knip'),
  tsc: programOf(join(tools, 'typescript'), 'tsc'),
};

for (const [program, ...args] of COMMANDS) {
  const { status } = spawnSync(process.execPath, [PROGRAMS[program], ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function programOf(folder: string, command: string): string {
  return join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin[command]);
}
