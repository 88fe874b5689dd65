// Runs npm in a folder, on the Node of this process and with the user's settings.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

const MAX_MS = 240_000;

/** @throws Error with npm's output */
export function npm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr, error } = spawnSync('npm', [...args, '--loglevel=error'], {
    cwd,
    env: { ...ownEnvironment(), ...env },
    encoding: 'utf8',
    timeout: MAX_MS,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${error?.message ?? ''}${stderr || stdout}`);
  return stdout;
}

/** Removes the variables that `npm test` sets for this project. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(?:package|lifecycle|config_local)/.test(name));
  return { ...Object.fromEntries(kept), PATH: pathBehind(process.execPath) };
}

export const pathBehind = (node: string): string => [dirname(node), process.env.PATH].join(delimiter);
