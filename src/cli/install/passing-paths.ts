// Finds the paths of a server command that may be gone tomorrow: in a cache or a temporary folder.
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { sep } from 'node:path';
import { shownPath } from '../../base/shown-path.ts';
import type { ServerCommand } from './entry-forms.ts';

const CACHE = /[\\/](?:_npx|dlx-[^\\/]*|\.npm|\.cache|Caches|fnm_multishells)[\\/]/;
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/|[\\/]AppData[\\/]Local[\\/]Temp[\\/]/i;

/** One warning for each path, with what to do. */
export function passingPaths({ command, args: [program = ''] }: ServerCommand): string[] {
  return [
    ...(isPassing(command)
      ? [`${placeOf(command, 'Node')}; install Node from nodejs.org, then run this command with it`]
      : []),
    ...(isPassing(program)
      ? [`${placeOf(program, 'this program')}; run \`npm install -g vaultgraph\`, then install again`]
      : []),
  ];
}

const isPassing = (path: string): boolean => CACHE.test(path) || isTemporary(path);

function isTemporary(path: string): boolean {
  return TEMPORARY.test(path) || path.startsWith(realpathSync(tmpdir()) + sep);
}

function placeOf(path: string, what: string): string {
  const where = isTemporary(path) ? 'a temporary folder' : 'a cache';
  return `${what} is in ${where}, which may be emptied at any time (${shownPath(path)})`;
}
