// A write as an answer shows it, done or only planned: its id, where it leads, and what it changes letter by letter. Writes nothing.
import type { CallContext } from '../../contracts/tool.ts';
import type { Applied } from '../../contracts/writer.ts';
import { boundedDiff } from './unified-diff.ts';
import { differencesIn, stateBehind, type WritePlan } from './write-plan.ts';

const MAX_DIFF_LENGTH = 20_000;
const MAX_FILES = 100;
const MAX_ROWS = 200;

export function writtenView(plan: WritePlan, { id, files }: Applied, call: CallContext): object {
  const trashed = files.find(({ kind }) => kind === 'trash')?.to;
  return { change_id: id, ...(trashed === undefined ? {} : { trashed }), ...planView(plan, call) };
}

export function dryRunView(plan: WritePlan, planId: string, call: CallContext): object {
  return { dry_run: true, plan_id: planId, ...planView(plan, call) };
}

/** Everything is as it was asked for already. */
export function unchangedView(plan: WritePlan, call: CallContext): object {
  return { unchanged: true, ...planView(plan, call) };
}

function planView(plan: WritePlan, call: CallContext): object {
  const { path, etag, facts, files } = plan;
  const { diff, cut } = boundedDiff(differencesIn(plan), MAX_DIFF_LENGTH);
  warnOfCut(cut, files.length, 'of which the diff does not show all', call);
  return {
    path,
    ...(etag === undefined ? {} : { etag }),
    ...facts,
    ...(files.length < 2 ? {} : { files_changed: files.length, files: shownFiles(plan, call) }),
    diff,
  };
}

function shownFiles({ files }: WritePlan, call: CallContext): readonly object[] {
  warnOfCut(files.length - MAX_FILES, files.length, 'that are not listed', call);
  return files.slice(0, MAX_FILES).map(({ operation }) => stateBehind(operation));
}

function warnOfCut(count: number, total: number, which: string, call: CallContext): void {
  if (count <= 0) return;
  call.warn({ code: 'TRUNCATED', message: `the change has ${count} of ${total} files ${which}`, count });
}

/** As many rows as an answer should have; the rest is counted. */
export function firstRows<Row>(rows: readonly Row[], what: string, call: CallContext): readonly Row[] {
  const left = rows.length - MAX_ROWS;
  if (left > 0) call.warn({ code: 'TRUNCATED', message: `${left} more ${what} are not listed`, count: left });
  return rows.slice(0, MAX_ROWS);
}
