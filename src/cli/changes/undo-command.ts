// `vaultgraph undo`: undoes the newest change, a certain one, or all since a time, with the tool undo_change. A command is a session of its own.

import { changesIn } from '../../app/closed-vault.ts';
import { commandLine } from '../../base/command-line.ts';
import { plural } from '../../base/errors.ts';
import { oneLine } from '../../base/visible-controls.ts';
import type { PlainObject } from '../../mcp/render/render-text.ts';
import { callTool } from '../call-command.ts';
import { type CommonOptions, configsFor } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { askPerson } from '../init/questions.ts';
import { type Manner, shownBy } from '../notes/answer.ts';
import { localTime, print, printJson, screen } from '../output.ts';
import { usageError } from '../usage.ts';

export interface UndoOptions extends CommonOptions {
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly confirm?: boolean;
  readonly yes?: boolean;
}

export async function runUndo(change: string | undefined, options: UndoOptions): Promise<number> {
  const { since, dryRun = false, confirm, yes } = options;
  if (change !== undefined && since !== undefined)
    throw usageError({ command: 'undo', rule: 'name one change or a time, not both', accepted: ACCEPTED });
  const how = { ...(confirm && { confirm: true }) };
  if (change !== undefined || since !== undefined)
    return undo({ ...(change === undefined ? { since } : { change_id: change }), ...how }, dryRun, options);
  const newest = await newestChange(options);
  if (newest === undefined) return nothingToUndo(options);
  const isAsked = !yes && !dryRun && process.stdin.isTTY && screen.isTTY;
  if (isAsked && !(await isAgreed({ change_id: newest, ...how }, options))) return EXIT.done;
  return undo({ change_id: newest, ...how }, dryRun, options);
}

const ACCEPTED = ['CHANGE', '--since', '--dry-run', '--confirm', '--yes'];

/** The id of the newest change that is in force, or damaged, and is not itself an undo; in several vaults, of the newest of all. */
async function newestChange(options: CommonOptions): Promise<string | undefined> {
  const configs = await configsFor(options);
  const all = 'one' in configs ? [configs.one] : configs.several.map(({ config }) => config);
  const changes = all.flatMap((config) => changesIn(config, MAX_CHANGES).map(({ change }) => change));
  const open = changes.filter(
    ({ state, undoes, undoneBy }) =>
      state === 'damaged' || (state === 'done' && undoes === undefined && undoneBy === undefined),
  );
  return open.toSorted((one, other) => (one.time < other.time ? 1 : -1))[0]?.id;
}

/** More than the change log usually keeps. */
const MAX_CHANGES = 1_000;

const NOTHING = 'There is no change to undo.\n';

function nothingToUndo({ json }: CommonOptions): number {
  if (json) printJson({ ok: true, data: { succeeded: [], failed: [] } });
  else print(NOTHING);
  return EXIT.done;
}

/** Shows what would be undone before it asks. */
async function isAgreed(input: object, options: UndoOptions): Promise<boolean> {
  if ((await undo(input, true, options)) !== EXIT.done) return false;
  const questions = askPerson(process.stdin);
  const isYes = await questions.agree('Undo it?', false);
  questions.close();
  return isYes;
}

function undo(input: object, dryRun: boolean, options: CommonOptions): Promise<number> {
  const flags = { change_id: 'CHANGE', since: '--since', dry_run: '--dry-run', confirm: '--confirm' };
  const manner: Manner = {
    command: 'undo',
    written: flags,
    hints: HINTS,
    print: (data) => print(undoText(data, dryRun)),
  };
  const args = { ...input, ...(dryRun && { dry_run: true }) };
  return callTool({ tools: ['undo_change'], input: args, ...shownBy(manner, options) }, options);
}

const listed = (): string => `\`${commandLine('changes --diff')}\``;

const confirmHint = (): string => 'Run it again with --confirm to undo it all the same.';

const HINTS: NonNullable<Manner['hints']> = {
  CHANGE_NOT_FOUND: () => `${listed()} lists the changes that can be undone.`,
  WRITE_CONFLICT: () => `The file was changed after that. ${listed()} shows what the change did; take it back by hand.`,
  CONFIRMATION_REQUIRED: confirmHint,
  LINK_INTEGRITY: confirmHint,
};

interface ChangedFile {
  readonly kind?: string;
  readonly path: string;
  readonly to?: string;
}

interface Undone {
  readonly vault?: string;
  readonly change_id?: string;
  readonly path?: string;
  readonly diff?: string;
  readonly undoes?: { readonly change_id: string; readonly tool: string; readonly time: string };
  /** The files; of more than a few the paths alone. */
  readonly files?: readonly (string | ChangedFile)[];
  readonly tool?: string;
  readonly time?: string;
}

function undoText(data: PlainObject, isPlan: boolean): string {
  const several = data.succeeded as readonly { readonly id: string; readonly result: Undone }[] | undefined;
  if (several === undefined) return changeText(data as Undone, isPlan);
  const all = several.map(({ id, result }) =>
    changeText({ ...result, undoes: result.undoes ?? planned(id, result) }, isPlan),
  );
  if (all.length === 0) return NOTHING;
  return `${all.join('')}${plural(all.length, 'change')} ${isPlan ? 'would be ' : ''}undone.\n`;
}

const planned = (id: string, { tool = '', time = '' }: Undone): NonNullable<Undone['undoes']> => ({
  change_id: id,
  tool,
  time,
});

function changeText({ vault, change_id: id, path, diff, undoes, files = [] }: Undone, isPlan: boolean): string {
  const what = undoes === undefined ? '' : `${undoes.tool} of ${localTime(undoes.time)} (${undoes.change_id})`;
  const where = [...(vault === undefined ? [] : [` in ${vault}`]), ...(path ? [`: ${oneLine(path)}`] : [])].join('');
  const lines = files.map((file) => {
    const { kind, path: from, to }: ChangedFile = typeof file === 'string' ? { path: file } : file;
    return oneLine(`  ${kind === undefined ? '' : `${kind} `}${from}${to === undefined ? '' : ` → ${to}`}`);
  });
  return [
    `${isPlan ? 'Would undo' : 'Undid'} ${what}${where}`,
    ...lines,
    ...(diff === undefined ? [] : [diff.trimEnd()]),
    ...(isPlan || id === undefined || diff === undefined ? [] : [`To take that back: ${commandLine(`undo ${id}`)}`]),
    '',
  ].join('\n');
}
