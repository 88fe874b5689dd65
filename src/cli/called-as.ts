// How the person at the keyboard called this program, so that what they are told to do next works as it is written. Runs nothing.
import { basename, relative } from 'node:path';

/** The words in front of a command: `vaultgraph`, `npx vaultgraph` or `node dist/main.js`. @param script as the process was given it */
export function calledAs(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx vaultgraph';
  const isInstalled = /[\\/]node_modules[\\/]vaultgraph[\\/]/.test(script);
  if (isInstalled || !/^main\.[jt]s$/.test(basename(script))) return 'vaultgraph';
  const way = relative(cwd, script);
  const path = way.startsWith('..') ? script : way;
  return `node ${/\s/.test(path) ? JSON.stringify(path) : path}`;
}
