// Doctor checks for unfinished changes, the last crash and the metrics that servers wrote.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { loggedChanges } from '../../app/closed-vault.ts';
import { lastCrash } from '../../app/crash-file.ts';
import { errnoOf } from '../../base/errno.ts';
import { plural } from '../../base/errors/error-entry.ts';
import { ERRORS, type ErrorCode } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { type OutputFile, PROCESS_MARK } from '../../config/server-settings.ts';
import { type Finding, failing, ok, warning } from './finding.ts';

type LogCheck = ReturnType<typeof loggedChanges>;

export function crashFinding({ dataFolder }: Pick<Config, 'dataFolder'>): Finding {
  const crash = lastCrash(dataFolder);
  if (crash === undefined) return ok('no recent crashes');
  const { time, version, kind, frames } = crash;
  return warning(
    `${time} ${kind}, version ${version}${frames[0] === undefined ? '' : `, ${frames[0]}`}`,
    'report it with the contents of crash.json in the data folder, then remove that file',
  );
}

/** @param unfinished ids of changes @param log what a check of every kept text found */
export function changesFinding(unfinished: readonly string[], { intact, damages }: LogCheck): Finding {
  const inDoubt = damages.find((damage) => damage.unfinished);
  if (inDoubt !== undefined) return failing(damageText(inDoubt, damages.length), SET_ASIDE);
  const [damaged] = damages;
  if (damaged !== undefined) return warning(damageText(damaged, damages.length), CANNOT_UNDO);
  const [first] = unfinished;
  if (first === undefined)
    return ok(`all changes of notes are complete; ${plural(intact, 'change')} can be undone, each kept text verified`);
  return warning(
    `${unfinished.length === 1 ? '1 change is' : `${unfinished.length} changes are`} not complete (${first})`,
    'a running server with write access completes it within seconds; if none runs, start one',
  );
}

const SET_ASIDE =
  'no tool can write before this is resolved: compare these notes with a copy, then run `vaultgraph doctor --set-aside-changes`';
const CANNOT_UNDO =
  'these changes cannot be undone as a whole; `vaultgraph changes --diff` shows what is kept of them, and all other changes can be undone';
const MAX_SHOWN_NOTES = 5;

function damageText(damage: LogCheck['damages'][number], count: number): string {
  const { change, file, damaged, intact, unfinished, other_version: isOther } = damage;
  const notes = unfinished ? [...damaged, ...intact] : damaged;
  const shown = notes.slice(0, MAX_SHOWN_NOTES).join(', ');
  const more = notes.length > MAX_SHOWN_NOTES ? ` and ${notes.length - MAX_SHOWN_NOTES} more` : '';
  const about = notes.length === 0 ? '' : unfinished ? `; in doubt: ${shown}${more}` : `; damaged: ${shown}${more}`;
  const others = count > 1 ? `; ${count} changes are damaged in all` : '';
  return `the ${unfinished ? 'interrupted ' : ''}change ${change} is ${isOther ? 'of another version of vaultgraph, or ' : ''}damaged in its file ${file}${about}${others}`;
}

const MIN_CALLS = 20;
const MAX_FAILED_SHARE = 0.1;
/** Older files are ignored. */
const MAX_KEPT_MS = 24 * 60 * 60 * 1_000;

export async function metricsFinding({ outputs }: Pick<Config, 'outputs'>): Promise<Finding> {
  if (outputs.metrics === undefined) return ok('not kept; metrics.file names a file for them');
  const files = await filesOf(outputs.metrics);
  if (files.length === 0) return ok('none from the last 24 hours');
  const rows = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).flatMap(rowsOf);
  return metricsSummary(rows);
}

type Row = ReturnType<typeof rowsOf>[number];

/** Categories that the caller's arguments cause. */
const CALLERS: readonly string[] = ['input', 'lookup', 'conflict'];

function metricsSummary(rows: readonly Row[]): Finding {
  const sum = (name: string, fits: (row: Row) => boolean = () => true): number =>
    rows.filter((row) => row.name === name && fits(row)).reduce((all, { value }) => all + value, 0);
  const calls = sum('calls_total');
  const failed = sum('errors_total', ({ code }) => !CALLERS.includes(ERRORS[code as ErrorCode]?.category ?? ''));
  const summary = `${calls} calls, ${failed} failed for reasons other than their arguments`;
  const faults = [
    ...(calls >= MIN_CALLS && failed / calls > MAX_FAILED_SHARE ? ['many calls fail'] : []),
    ...(sum('stdout_violations') > 0 ? [`${sum('stdout_violations')} writes to stdout from outside the protocol`] : []),
    ...(sum('breaker_state') > 0 ? ['the circuit breaker of a provider is open'] : []),
  ];
  if (faults.length === 0) return ok(summary);
  return warning(
    `${summary}; ${faults.join('; ')}`,
    'the tool `status`, called by a client, and the log show which calls failed, and why',
  );
}

async function filesOf({ path }: OutputFile): Promise<string[]> {
  const [before = '', after = ''] = basename(path).split(PROCESS_MARK);
  const isOne = (name: string): boolean =>
    path.includes(PROCESS_MARK)
      ? name.startsWith(before) &&
        name.endsWith(after) &&
        /^\d+$/.test(name.slice(before.length, name.length - after.length))
      : name === basename(path);
  const names = await namesIn(dirname(path));
  const files = names.filter(isOne).map((name) => join(dirname(path), name));
  const stats = await Promise.all(files.map((file) => stat(file)));
  return files.filter((_, at) => stats[at]?.isFile() && Date.now() - stats[at].mtimeMs < MAX_KEPT_MS);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

function rowsOf(text: string) {
  return [...text.matchAll(/^vaultgraph_(\w+)(?:\{([^}]*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    code: /\bcode="([^"]*)"/.exec(labels)?.[1],
    value: Number(value),
  }));
}
