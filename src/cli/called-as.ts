// The command the user typed to run this program, so that suggested commands work as printed.
import { basename, relative } from 'node:path';

/** The start of a command line: `vaultgraph`, `npx vaultgraph` or `node dist/main.js`. @param script `process.argv[1]` */
export function calledAs(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx vaultgraph';
  const isInstalled = /[\\/]node_modules[\\/]vaultgraph[\\/]/.test(script);
  if (isInstalled || !/^main\.[jt]s$/.test(basename(script))) return 'vaultgraph';
  const way = relative(cwd, script);
  const path = way.startsWith('..') ? script : way;
  return `node ${/\s/.test(path) ? JSON.stringify(path) : path}`;
}
