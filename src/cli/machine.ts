// The facts about this machine and about how the program was started.
import { homedir } from 'node:os';
import { basename, relative } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
}

export function thisMachine(): Machine {
  const { platform, env } = process;
  return { platform, env, home: homedir() };
}

/** The start of a command line: `vaultgraph`, `npx vaultgraph` or `node dist/main.js`. @param script `process.argv[1]` */
export function calledAs(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx vaultgraph';
  const isInstalled = /[\\/]node_modules[\\/]vaultgraph[\\/]/.test(script);
  if (isInstalled || !/^main\.[jt]s$/.test(basename(script))) return 'vaultgraph';
  const way = relative(cwd, script);
  const path = way.startsWith('..') ? script : way;
  return `node ${/\s/.test(path) ? JSON.stringify(path) : path}`;
}
