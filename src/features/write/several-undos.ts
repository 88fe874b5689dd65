// Undoes several changes, newest first, each under its own check; or shows what that would do.
import { type BatchResult, runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Change, ChangedFile, Writer } from '../../contracts/writer.ts';
import { isPeriodFault, parsePeriod } from '../periods/period.ts';
import type { Refuse, WriteSources } from './run-write.ts';

/** More than the change log usually keeps. */
export const MAX_CHANGES = 1_000;
const TOOL = 'undo_change';

interface Requested {
  readonly change_id?: string | undefined;
  readonly since?: string | undefined;
  readonly session?: boolean | undefined;
  readonly dry_run?: boolean | undefined;
  readonly plan_id?: string | undefined;
}

export function isUndoable({ state, undoneBy, undoes }: Change): boolean {
  return state === 'done' && undoneBy === undefined && undoes === undefined;
}

/**
 * The ids of the changes to undo, newest first; undefined for a call about one change.
 * @throws INVALID_INPUT for arguments that exclude each other; INVALID_QUERY for a `since` that is no time
 */
export async function requestedUndo(
  { change_id, since, session, dry_run, plan_id }: Requested,
  writer: Writer,
  call: CallContext,
  refuse: Refuse,
): Promise<readonly string[] | undefined> {
  const isSeveral = since !== undefined || session === true;
  if (plan_id !== undefined && dry_run !== true) {
    const { changes } = call.writes.findPlan(TOOL, plan_id).args;
    if (changes === undefined) return undefined;
    if (isSeveral || change_id !== undefined)
      throw refuse(isSeveral ? 'since' : 'change_id', 'differs from the plan; omit it when you pass plan_id');
    return changes as readonly string[];
  }
  if (!isSeveral || plan_id !== undefined) return undefined;
  if (change_id !== undefined) throw refuse('change_id', 'cannot be combined with since or session');
  const from = since === undefined ? Number.NEGATIVE_INFINITY : beginOf(since);
  const own = session === true ? new Set(call.writes.changesOf(call.session)) : undefined;
  const changes = await writer.changes(MAX_CHANGES, call.signal);
  const wanted = changes.filter(({ id, time }) => Date.parse(time) >= from && own?.has(id) !== false);
  // One whose record is damaged is not left out in silence: it fails, and says why.
  return wanted.filter((change) => isUndoable(change) || change.state === 'damaged').map(({ id }) => id);
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
export async function undoAll(
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
export async function shownUndo(
  ids: readonly string[],
  args: Requested,
  { writer, vault }: WriteSources,
  call: CallContext,
): Promise<object> {
  const known = new Map((await writer.changes(MAX_CHANGES, call.signal)).map((change) => [change.id, change]));
  const present = new Map<string, string | null>();
  const hashAt = async (path: NotePath): Promise<string | null | undefined> => {
    if (present.has(path)) return present.get(path);
    if (fileKindOf(path) === 'attachment') return undefined;
    const { succeeded } = await vault.read([path], call.signal);
    return succeeded[0] === undefined ? null : contentHash(succeeded[0].result.bytes);
  };
  const shown = await runBatch(ids, call.signal, async (id) => {
    const change = known.get(id);
    if (change === undefined) throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: [] });
    if (change.state === 'damaged') await writer.inverse(id, call.signal);
    for (const file of change.files) {
      const path = placeAfter(file);
      const found = await hashAt(path);
      if (found !== undefined && found !== file.after)
        throw new VaultgraphError('WRITE_CONFLICT', { path, ...(found === null ? {} : { current_etag: found }) });
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
