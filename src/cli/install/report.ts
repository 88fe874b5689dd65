// Says what was done to a client's settings, for a person or as JSON. Does nothing to them.
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import type { Client, ServerCommand } from './clients.ts';
import type { Edited } from './settings-file.ts';

export interface Done extends Edited {
  readonly action: 'added' | 'replaced' | 'unchanged' | 'removed' | 'absent';
  readonly client: Client;
  readonly file: string;
  readonly name: string;
  readonly server?: ServerCommand;
  /** Nothing of the client was there before. */
  readonly isNew?: boolean;
}

interface Manner {
  readonly json: boolean;
  readonly dryRun: boolean;
}

const SAID: Readonly<Record<Done['action'], string>> = {
  added: 'added to',
  replaced: 'replaced in',
  unchanged: 'stands already in',
  removed: 'removed from',
  absent: 'does not stand in',
};
/** Folders that a package manager empties when it likes. */
const PASSING_FOLDER = /[\\/](?:_npx|dlx-[^\\/]*|\.npm)[\\/]/;

export function writeDone(done: Done, manner: Manner): void {
  process.stdout.write(manner.json ? `${JSON.stringify(asJson(done, manner))}\n` : asText(done, manner));
}

function asJson({ action, client, file, name, server, backup, ...texts }: Done, { dryRun }: Manner): object {
  const plan = dryRun ? { dry_run: true, diff: diffOf(file, texts) } : {};
  return { client: client.name, file, name, action, ...(server && { server }), ...(backup && { backup }), ...plan };
}

function asText(done: Done, { dryRun }: Manner): string {
  const { action, client, file, name, server, backup } = done;
  const head = `${client.title}: ${name} ${dryRun ? 'would be ' : ''}${SAID[action]} ${shown(file)}`;
  const isChange = action !== 'unchanged' && action !== 'absent';
  const lines = [
    dryRun && !isChange ? head.replace('would be ', '') : head,
    ...(server === undefined ? [] : [`  starts: ${[server.command, ...server.args].map(quoted).join(' ')}`]),
    ...(backup === undefined ? [] : [`  backup: ${shown(backup)}`]),
    ...(done.isNew ? [`  nothing of ${client.title} was found here; its settings are made for when it is`] : []),
    ...(server !== undefined && PASSING_FOLDER.test(server.args[0] ?? '') ? [PASSING] : []),
    ...(isChange && dryRun ? ['', diffOf(file, done).trimEnd()] : []),
    ...(isChange && !dryRun ? [`Next: ${client.reload}.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const PASSING =
  '  warning: this program lies in a cache that may be emptied; `npm install -g vaultgraph`, then install again';

/** Empty where nothing changes. */
function diffOf(file: string, { before, after }: Pick<Edited, 'before' | 'after'>): string {
  if (before === after) return '';
  const [from, to] = [
    before === undefined ? '/dev/null' : shown(file),
    after === undefined ? '/dev/null' : shown(file),
  ];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: 3 });
  return patch.slice(patch.indexOf('---'));
}

/** The user's own folder is written `~`. */
function shown(file: string): string {
  const home = homedir() + sep;
  return file.startsWith(home) ? `~${sep}${file.slice(home.length)}` : file;
}

const quoted = (word: string): string => (/[\s"']/.test(word) ? JSON.stringify(word) : word);
