// Runs the program in a pseudo-terminal, with `script` of util-linux.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');
const VAULT = join(import.meta.dirname, '../../vault-fixtures/tiny');
const SCRIPT = process.platform === 'linux' ? ['/usr/bin/script', '/bin/script'].find(existsSync) : undefined;
export const skip = SCRIPT === undefined && 'no util-linux script here';

interface TerminalOptions {
  readonly exit?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly vault?: string;
  /** The width of the screen. */
  readonly columns?: number;
  /** What the user types. */
  readonly input?: string;
}

/** Runs a command on a vault, with an index of its own. @returns what is on the screen */
export function atTerminal(
  context: TestContext,
  args: readonly string[],
  { exit = 0, env = {}, vault = VAULT, columns = 80, input = '' }: TerminalOptions = {},
): string {
  const dataFolder = mkdtempSync(join(tmpdir(), 'vaultgraph-terminal-'));
  context.after(() => rmSync(dataFolder, { recursive: true, force: true }));
  const place = args.includes('--config') ? [] : ['--vault', vault];
  const words = [process.execPath, PROGRAM, ...args, ...place, '--data-dir', dataFolder];
  const command = `stty cols ${columns}; ${words.map((word) => `'${word}'`).join(' ')}`;
  // A terminal of its own: CI, NO_COLOR and their like decide about the colours of the machine that runs the tests.
  const { PATH, HOME } = process.env;
  const { stdout, status } = spawnSync(SCRIPT ?? '', ['-qec', command, '/dev/null'], {
    env: { PATH, HOME, TMPDIR: tmpdir(), TERM: 'xterm', ...env },
    encoding: 'utf8',
    input,
    timeout: 60_000,
  });
  assert.equal(status, exit, stdout);
  return stdout;
}
