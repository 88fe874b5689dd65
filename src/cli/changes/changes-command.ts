// `vaultgraph changes`: lists the changes made by tools, newest first. Completes, repairs and locks nothing.

import { changesIn } from '../../app/closed-vault.ts';
import { oneLine } from '../../base/visible-controls.ts';
import type { Change, ChangedFile } from '../../contracts/writer.ts';
import { type CommonOptions, configsFor } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { localTime, print, printJson } from '../output.ts';
import { usageError } from '../usage.ts';

interface ChangesOptions extends CommonOptions {
  /** A positive integer, as text. */
  readonly limit: string;
  /** Shows what each change did. */
  readonly diff?: boolean;
}

/** `vault`: the name of one of several. */
type Listed = ReturnType<typeof changesIn>[number] & { readonly vault?: string };

/** Digits of a hash to show: enough to tell two apart. */
const SHOWN_DIGITS = 8;

export async function runChanges(options: ChangesOptions): Promise<number> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw usageError({
      command: 'changes',
      rule: `--limit takes a whole number above 0, not ${options.limit}`,
      accepted: ['--limit', '--diff'],
    });
  const isShown = options.diff === true;
  const changes = await newestChanges(options, limit);
  if (options.json) printJson({ changes: changes.map((each) => changeJson(each, isShown)) });
  else if (changes.length === 0) print('No changes yet.\n');
  else for (const each of changes) print(changeText(each, isShown));
  return EXIT.done;
}

/** Lists the changes of all vaults, newest first. */
async function newestChanges(options: ChangesOptions, limit: number): Promise<readonly Listed[]> {
  const configs = await configsFor(options);
  if ('one' in configs) return changesIn(configs.one, limit);
  const all = configs.several.flatMap(({ name, config }) =>
    changesIn(config, limit).map((one) => ({ ...one, vault: name })),
  );
  return all.toSorted((one, other) => (one.change.time < other.change.time ? 1 : -1)).slice(0, limit);
}

function changeJson({ vault, change: { undoneBy, ...change }, diff }: Listed, isShown: boolean): object {
  return {
    ...(vault && { vault }),
    ...change,
    ...(undoneBy === undefined ? {} : { undone_by: undoneBy }),
    ...(isShown && { diff: diff() }),
  };
}

const STATES: Readonly<Record<Change['state'], readonly string[]>> = {
  done: [],
  taken_back: ['undone'],
  partly_taken_back: ['undone in part, as notes were edited meanwhile'],
  unfinished: ['not finished'],
  damaged: ['its record in the change log is damaged'],
};

function changeText({ vault, change, diff }: Listed, isShown: boolean): string {
  const { id, time, tool, client, state, undoes, undoneBy, files } = change;
  const facts = [
    ...(vault === undefined ? [] : [`in ${vault}`]),
    ...(client === '' ? [] : [`by ${client}`]),
    ...STATES[state],
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
  ];
  return `${oneLine([localTime(time), id, tool, ...facts].join('  '))}\n${files.map(fileText).join('')}${isShown ? `${diff()}\n` : ''}`;
}

function fileText({ kind, path, to, before, after }: ChangedFile): string {
  const where = to === undefined ? path : `${path} → ${to}`;
  return `  ${kind} ${oneLine(where)}  ${shownHash(before)} → ${shownHash(after)}\n`;
}

const shownHash = (hash: string | null): string => hash?.slice(0, SHOWN_DIGITS) ?? 'none';
