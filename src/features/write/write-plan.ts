// What a tool is about to write: the operations, the texts they change, and what else there is to tell. Writes nothing.
import { contentHash } from '../../base/content-hash.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Applied, FileOperation } from '../../contracts/writer.ts';
import type { EditableNote } from './editable-note.ts';
import { boundedDiff, type FileDifference } from './unified-diff.ts';

export interface PlannedFile {
  readonly operation: FileOperation;
  /** The texts, for whoever wants to see what changes; of an attachment there are none. */
  readonly before?: string;
  readonly after?: string;
}

export interface WritePlan {
  /** Empty where everything is already as it was asked for. */
  readonly files: readonly PlannedFile[];
  /** The note or folder that was asked for, as it is called afterwards. */
  readonly path: string;
  /** The etag that the note has before, and the one it has afterwards; none where there is no such note. */
  readonly was?: string;
  readonly etag?: string;
  /** Whether text is taken away or several files change, so that somebody has to be sure of it; and what it would touch. */
  readonly needsConsent: boolean;
  readonly affected: readonly string[];
  readonly emptied?: readonly string[];
  readonly undoes?: string;
  /** Arguments that were left out, as they were read: the plan is to be carried out by these. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** More for the answer. */
  readonly facts?: object;
}

/** Another text in the place of a note's; no file where it is the same. */
export function replacement(
  { path, text: before, etag: was, encode }: EditableNote,
  after: string,
  more: Pick<WritePlan, 'needsConsent' | 'facts'>,
): WritePlan {
  if (after === before) return { files: [], path, was, etag: was, affected: [], ...more };
  const bytes = encode(after);
  const operation = { kind: 'replace', path, before: was, bytes } as const;
  return { files: [{ operation, before, after }], path, was, etag: contentHash(bytes), affected: [path], ...more };
}

/** Where an operation leaves its file; without an etag where it takes it away, or does not know its content. */
export function stateBehind(operation: FileOperation): { readonly path: string; readonly etag?: string } {
  const { kind, path } = operation;
  if (kind === 'trash' || kind === 'remove') return { path };
  if (kind !== 'move') return { path, etag: contentHash(operation.bytes) };
  const etag = operation.bytes === undefined ? operation.before : contentHash(operation.bytes);
  return { path: operation.to, ...(etag === undefined ? {} : { etag }) };
}

/** One line for each operation with all that it would do: equal lines, equal writes. */
export function planLines({ files }: WritePlan): readonly string[] {
  return files.map(({ operation }) => {
    const { kind, path } = operation;
    const to = kind === 'move' ? operation.to : null;
    const before = 'before' in operation ? operation.before : null;
    const bytes = 'bytes' in operation && operation.bytes !== undefined ? contentHash(operation.bytes) : null;
    return JSON.stringify([kind, path, to, before, bytes]);
  });
}

/** Of a line of `planLines`. */
export function lineParts(line: string): { readonly path: string; readonly before?: string } {
  const [, path, , before] = JSON.parse(line) as [kind: string, path: string, to: string | null, before: string | null];
  return before === null ? { path } : { path, before };
}

/** Every path that the index has to look at again. */
export function touchedPaths({ files }: WritePlan): readonly string[] {
  return files.flatMap(({ operation }) =>
    operation.kind === 'move' ? [operation.path, operation.to] : [operation.path],
  );
}

export function differencesIn({ files }: WritePlan): readonly FileDifference[] {
  return files.map(({ operation, before, after }) => ({
    from: operation.kind === 'create' || operation.kind === 'restore' ? null : operation.path,
    to: operation.kind === 'trash' || operation.kind === 'remove' ? null : stateBehind(operation).path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }));
}

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
