// Undoes changes that tools made, unless their files have changed since: one, or all of a session or a time.
import * as z from 'zod';
import { type BatchResult, runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Change, ChangedFile, FileOperation, Writer } from '../../contracts/writer.ts';
import { textOf } from '../../markdown/edit/unified-diff.ts';
import { isPeriodFault, parsePeriod } from '../periods/period.ts';
import {
  confirmShape,
  planShape,
  refusingFor,
  runWrite,
  type WriteCall,
  type WriteSources,
  type WriteTool,
} from './run-write.ts';
import { throwUnreadable, writeConflict } from './write-conflict.ts';
import { type PlannedFile, plannedFile } from './write-plan.ts';

const FILES_AT_ONCE = 64;

const input = z.strictObject({
  change_id: z.string().optional().describe('default: last of this session'),
  since: z.string().optional().describe('all since then: today, 2 hours ago'),
  session: z.boolean().optional().describe('all of this session'),
  ...confirmShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

const needs = ['store', 'vault', 'indexer', 'writer'] as const;
const described = {
  name: 'undo_change',
  title: 'Undo change',
  summary:
    'Undoes changes that these tools made: the last one of this session, one by change_id, or all since a time. Fails if the notes changed since. Returns what was undone and a change_id.',
  words: 'revert, restore',
  effect: 'destroys',
  fails: [
    ...(['INVALID_INPUT', 'INVALID_QUERY', 'CHANGE_NOT_FOUND', 'WRITE_CONFLICT'] as const),
    ...(['NOTE_EXISTS', 'LINK_INTEGRITY', 'CONFIRMATION_REQUIRED'] as const),
  ],
  input,
} as const;

const oneUndo: WriteTool<Args> = {
  ...described,
  required: [],
  plan: async ({ change_id }, granted, call) => {
    const id = change_id ?? (await lastOfSession(granted, call));
    const { change, operations, emptied } = await granted.writer.inverse(id, call.signal);
    const files = await plannedFiles(operations, granted, call);
    return {
      files,
      ...(files[0]?.result ?? { path: '' }),
      needsConsent: false,
      affected: [],
      emptied,
      undoes: change.id,
      args: { change_id: change.id },
      facts: { undoes: { change_id: change.id, tool: change.tool, time: change.time } },
    };
  },
};

export const undoChange = defineTool({
  ...described,
  needs,
  index: 'none',
  run: async (args: Args, granted, call) => {
    const ids = await requestedUndo(args, granted.writer, refusingFor(described, call));
    if (ids === undefined) return runWrite(oneUndo, args, granted, call);
    if (args.dry_run === true) return shownUndo(ids, args, granted, call);
    if (args.plan_id !== undefined) call.writes.dropPlan(args.plan_id);
    const { confirm } = args;
    // All is written only once the last one is.
    const each = { ...call, commits: () => call.commits('partial') };
    return undoAll(ids, call, (id) => runWrite(oneUndo, { change_id: id, ...(confirm && { confirm }) }, granted, each));
  },
});

/** @throws CHANGE_NOT_FOUND if this session made no change, or all of them are undone */
async function lastOfSession({ writer }: WriteSources, call: CallContext): Promise<string> {
  const own = new Set(call.writes.changesOf(call.session));
  const changes = await writer.changes(MAX_CHANGES, call.signal);
  // A damaged one is refused by name: to undo the change before it would be a surprise.
  const last = changes.find((change) => own.has(change.id) && (isUndoable(change) || change.state === 'damaged'));
  if (last !== undefined) return last.id;
  const recent = changes
    .filter(isUndoable)
    .slice(0, MAX_RECENT)
    .map(({ id }: Change) => id);
  throw new VaultgraphError('CHANGE_NOT_FOUND', { id: '', recent, session: true });
}

const MAX_RECENT = 5;

async function plannedFiles(
  operations: readonly FileOperation[],
  granted: WriteSources,
  call: CallContext,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (let at = 0; at < operations.length; at += FILES_AT_ONCE) {
    const some = operations.slice(at, at + FILES_AT_ONCE);
    const paths = some.filter(changesText).map(({ path }) => path);
    const { succeeded, failed } = await granted.vault.read(paths, call.signal);
    throwUnreadable(failed);
    const bytes = new Map(succeeded.map(({ id, result }) => [id, result.bytes]));
    for (const operation of some) files.push(await undoneFile(operation, bytes.get(operation.path), granted, call));
  }
  return files;
}

/** Whether the operation changes an existing file that has a text. */
function changesText({ kind, path }: FileOperation): boolean {
  return kind !== 'create' && kind !== 'restore' && fileKindOf(path) !== 'attachment';
}

/** @throws WRITE_CONFLICT if the file is not as the change left it */
async function undoneFile(
  operation: FileOperation,
  current: Uint8Array | undefined,
  { vault }: WriteSources,
  call: CallContext,
): Promise<PlannedFile> {
  const { kind, path } = operation;
  const after = 'bytes' in operation && operation.bytes !== undefined ? textOf(operation.bytes, path) : undefined;
  // Each step takes some ten milliseconds with a long text.
  await letOthersRun();
  if (!changesText(operation)) return plannedFile(operation, after === undefined ? {} : { after });
  const expected = 'before' in operation ? operation.before : undefined;
  if (current === undefined || (expected !== undefined && contentHash(current) !== expected))
    throw await writeConflict(path, expected, vault, call);
  await letOthersRun();
  const before = textOf(current, path);
  await letOthersRun();
  if (before === undefined) return plannedFile(operation);
  return plannedFile(operation, { before, after: kind === 'remove' ? '' : (after ?? before) });
}

/** More than the change log usually keeps. */
const MAX_CHANGES = 1_000;
const TOOL = 'undo_change';

interface Requested {
  readonly change_id?: string | undefined;
  readonly since?: string | undefined;
  readonly session?: boolean | undefined;
  readonly dry_run?: boolean | undefined;
  readonly plan_id?: string | undefined;
}

function isUndoable({ state, undoneBy, undoes }: Change): boolean {
  return state === 'done' && undoneBy === undefined && undoes === undefined;
}

/**
 * The ids of the changes to undo, newest first; undefined for a call about one change.
 * @throws INVALID_INPUT for arguments that exclude each other; INVALID_QUERY for a `since` that is no time
 */
async function requestedUndo(
  { change_id, since, session, dry_run, plan_id }: Requested,
  writer: Writer,
  call: WriteCall,
): Promise<readonly string[] | undefined> {
  const isSeveral = since !== undefined || session === true;
  if (plan_id !== undefined && dry_run !== true) {
    const { changes } = call.writes.findPlan(TOOL, plan_id).args;
    if (changes === undefined) return undefined;
    if (isSeveral || change_id !== undefined)
      throw call.refuse(isSeveral ? 'since' : 'change_id', 'differs from the plan; omit it when you pass plan_id');
    return changes as readonly string[];
  }
  if (!isSeveral || plan_id !== undefined) return undefined;
  if (change_id !== undefined) throw call.refuse('change_id', 'cannot be combined with since or session');
  const from = since === undefined ? Number.NEGATIVE_INFINITY : beginOf(since);
  const own = session === true ? new Set(call.writes.changesOf(call.session)) : undefined;
  const changes = await writer.changes(MAX_CHANGES, call.signal);
  const chosen = changes.filter(({ id, time }) => Date.parse(time) >= from && own?.has(id) !== false);
  // One whose record is damaged is not left out in silence: it fails, and says why.
  return chosen.filter((change) => isUndoable(change) || change.state === 'damaged').map(({ id }) => id);
}

/** @throws INVALID_QUERY */
function beginOf(since: string): number {
  const period = parsePeriod(since, 'past', new Date());
  if (isPeriodFault(period)) throw new VaultgraphError('INVALID_QUERY', { field: 'since', ...period });
  if (period.from === undefined)
    throw new VaultgraphError('INVALID_QUERY', { field: 'since', position: 0, reason: 'it has no beginning' });
  return period.from;
}

/** @param undo undoes one change */
async function undoAll(
  ids: readonly string[],
  call: CallContext,
  undo: (id: string) => Promise<object>,
): Promise<BatchResult<object>> {
  return runBatch(ids, call.signal, async (id, at) => {
    call.progress(at, ids.length, 'undoing changes');
    const {
      diff: _diff,
      etag: _etag,
      ...undone
    } = (await undo(id)) as { readonly diff?: string; readonly etag?: string };
    return undone;
  });
}

/** Each change with its files, and whether they are as it left them once the later ones are undone. */
async function shownUndo(
  ids: readonly string[],
  args: Requested,
  { writer, vault }: WriteSources,
  call: CallContext,
): Promise<object> {
  const changes = new Map((await writer.changes(MAX_CHANGES, call.signal)).map((change) => [change.id, change]));
  const present = new Map<string, string | null>();
  const hashAt = async (path: NotePath): Promise<string | null | undefined> => {
    if (present.has(path)) return present.get(path);
    if (fileKindOf(path) === 'attachment') return undefined;
    const { succeeded } = await vault.read([path], call.signal);
    return succeeded[0] === undefined ? null : contentHash(succeeded[0].result.bytes);
  };
  const shown = await runBatch(ids, call.signal, async (id) => {
    const change = changes.get(id);
    if (change === undefined) throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: [] });
    if (change.state === 'damaged') await writer.inverse(id, call.signal);
    for (const file of change.files) {
      const path = placeAfter(file);
      const hash = await hashAt(path);
      if (hash !== undefined && hash !== file.after)
        throw new VaultgraphError('WRITE_CONFLICT', { path, ...(hash === null ? {} : { current_etag: hash }) });
    }
    for (const file of change.files) present.set(placeAfter(file), null).set(file.path, file.before);
    const files = change.files.map(({ kind, path, to }) => ({ kind, path, ...(to === undefined ? {} : { to }) }));
    return { tool: change.tool, time: change.time, files };
  });
  const planned = { tool: TOOL, args: { changes: shown.succeeded.map(({ id }) => id) }, steps: [] };
  return { dry_run: true, plan_id: call.writes.addPlan(planned), ...sinceOf(args), ...shown };
}

function sinceOf({ since }: Requested): object {
  return since === undefined ? {} : { since: new Date(beginOf(since)).toISOString() };
}

/** A trashed file is no longer at its path. */
function placeAfter({ kind, path, to }: ChangedFile): NotePath {
  return kind === 'move' && to !== undefined ? (to as NotePath) : path;
}
