// Keeps the feed of changes in PostgreSQL by the rules of the one on SQLite: reads the part that a set of changes is about, and says what to write.
import { randomBytes } from 'node:crypto';
import { toVaultgraphError } from '../../../base/errors.ts';
import type { FeedSettings } from '../../../contracts/provider.ts';
import type { Engine } from '../../sqlite/database/connection.ts';
import type { Rows } from '../../sqlite/database/rows.ts';
import type { FeedMeta } from '../../sqlite/feed/feed-file.ts';
import {
  ALL_INDEXED,
  type Indexed,
  isWholeNeeded,
  type Keeping,
  keepScan,
  keepSet,
} from '../../sqlite/feed/keep-feed.ts';
import { oldestKept } from '../../sqlite/feed/prune.ts';
import { revisionOf } from '../../sqlite/write/apply-changes.ts';
import type { UnpackedChanges } from '../../sqlite/write/unpack-changes.ts';
import { DamagedOriginal } from '../checked-values.ts';
import type { Database, Run } from '../connection/database.ts';
import type { Position } from '../copy/position.ts';
import type { FeedHead } from './feed-rows.ts';
import { type FeedPart, type KnownFile, type LoadedHead, loadFeed, type Wanted } from './load-feed.ts';
import { type FeedSending, sendFeed } from './send-feed.ts';
import { onWorkbench } from './workbench.ts';

export interface FeedKeeping {
  readonly engine: Engine;
  readonly settings: FeedSettings;
  readonly database: Database;
  /** The copy of the index, before it is changed. */
  readonly index: Rows;
  readonly position: Position;
  readonly signal: AbortSignal;
}

export type SendFeed = (run: Run) => Promise<void>;

const NOTHING_KEPT: Omit<FeedMeta, 'id'> = {
  known_since: null,
  step: '',
  revision: 0,
  doubt: 0,
  forgotten: 0,
  seen_at: 0,
  pruned_at: 0,
};

/**
 * Before the index is changed.
 * @param changes undefined at the end of a scan
 * @returns what writes the feed; undefined if it cannot be read, so that it is behind
 */
export async function keepFeed(
  keeping: FeedKeeping,
  changes: UnpackedChanges | undefined,
): Promise<SendFeed | undefined> {
  const { engine, settings, index, position } = keeping;
  const stepAt = (revision: number): string => `${position.identity}:${position.epoch}:${revision}`;
  const revision = revisionOf(index);
  const part = await load(keeping, stepAt, changes);
  if (part === undefined) return undefined;
  const { head, now } = part;
  const isNew = isUseless(head, keeping, stepAt);
  const last = head?.last ?? 0;
  const meta = isNew ? { ...NOTHING_KEPT, id: head?.id ?? newId(), forgotten: last } : (head as FeedHead);
  const result = onWorkbench(engine, isNew ? { ...NO_PART, now } : part, meta, last, (feed) => {
    const all: Keeping = { feed, index, now, stepAt };
    if (changes === undefined) keepScan(all, revision);
    else keepSet(all, changes, revision + 1);
  });
  const sending = { result, scope: scopeOf(settings), last, isNew };
  const pruned = changes === undefined ? prunedAtScan(sending, meta, head, settings, now) : {};
  return (run) => sendFeed(run, { ...sending, pruning: undefined, ...pruned });
}

const NO_PART: Omit<FeedPart, 'now'> = { head: undefined, files: [], gone: [], recent: [], known: [] };
const ID_BYTES = 5;
const newId = (): string => randomBytes(ID_BYTES).toString('hex');
const scopeOf = ({ scope = '' }: FeedSettings): string => scope;

/** Another part of the vault is listed, which is no change of a file, or rows are missing, with which files would be new. */
function isUseless(
  head: LoadedHead | undefined,
  { settings, index }: Pick<FeedKeeping, 'settings' | 'index'>,
  stepAt: Keeping['stepAt'],
): boolean {
  if (head === undefined || head.damaged || head.lost || head.scope !== scopeOf(settings)) return true;
  const hasAll = head.known_since !== null && head.step === stepAt(revisionOf(index));
  return hasAll && !head.has_files && index.value<number>('SELECT 1 FROM files LIMIT 1') === 1;
}

async function load(
  { settings, database, index, signal }: FeedKeeping,
  stepAt: Keeping['stepAt'],
  changes: UnpackedChanges | undefined,
): Promise<FeedPart | undefined> {
  const scanned = changes === undefined ? revisionOf(index) : undefined;
  const request: Wanted = {
    paths: changes === undefined ? [] : pathsOf(changes),
    mayRemove: changes === undefined || changes.removed.length > 0,
    isEnd: changes === undefined,
    isWhole: (head) =>
      head !== undefined &&
      !isUseless(head, { settings, index }, stepAt) &&
      isWholeNeeded(head, { index, stepAt }, scanned),
    differing: (files) => differingIn(index, files),
  };
  try {
    return await loadFeed(database, request, signal);
  } catch (thrown) {
    if (thrown instanceof DamagedOriginal) return beginningAgain(database, signal);
    const error = toVaultgraphError(thrown);
    if (signal.aborted || !(error.code === 'STORE_BUSY' || error.code === 'STORE_UNAVAILABLE')) throw thrown;
    return undefined;
  }
}

/** A part that is not as it was written: the whole feed is begun again. */
async function beginningAgain(database: Database, signal: AbortSignal): Promise<FeedPart | undefined> {
  const sql = `SELECT *, true AS lost, true AS has_files, (extract(epoch FROM now()) * 1000)::bigint AS now FROM $schema.feed`;
  const [head] = await database.query<LoadedHead & { now: number }>('feed', sql, [], signal);
  return head && { ...NO_PART, head, now: head.now };
}

function pathsOf({ removed, added, touched, indexed, quarantined }: UnpackedChanges): string[] {
  const listed = [...added, ...touched, ...indexed, ...quarantined].map(({ path }) => path);
  return [...new Set<string>([...removed, ...listed])];
}

function differingIn(index: Rows, known: readonly KnownFile[]): string[] {
  const files = new Map(index.tuples<Indexed>(ALL_INDEXED).map((file) => [file[0] as string, file]));
  const isSame = ({ path, hash, excluded }: KnownFile): boolean => {
    const [, now, isExcluded] = files.get(path) ?? [];
    return isExcluded === Number(excluded) && (!now || now === hash);
  };
  return known.filter((file) => !isSame(file)).map(({ path }) => path);
}

/** Measuring takes time, so nothing is measured while nothing was added. */
function prunedAtScan(
  { result, last }: Pick<FeedSending, 'result' | 'last'>,
  meta: FeedMeta,
  head: FeedHead | undefined,
  settings: FeedSettings,
  now: number,
): Partial<FeedSending> {
  const oldest = oldestKept(meta, settings, now);
  const isGrown = result.changes.length > 0 || last !== head?.sized || head.bytes > settings.bytes;
  if (oldest === undefined && !isGrown) return {};
  const pruned_at = oldest === undefined ? meta.pruned_at : now;
  return {
    result: { ...result, meta: { ...result.meta, pruned_at } },
    pruning: { oldest, bytes: settings.bytes },
  };
}
