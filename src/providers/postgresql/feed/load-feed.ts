// Reads from PostgreSQL the part of the feed that a set of changes, or the end of a scan, is about.
import { MOVE_WINDOW_MS } from '../../sqlite/feed/record-changes.ts';
import type { ChangeRow } from '../../sqlite/feed/records.ts';
import type { FileSnapshot } from '../../sqlite/feed/snapshot.ts';
import type { Database, Run } from '../connection/database.ts';
import { keyOf } from '../write/images.ts';
import {
  changeFrom,
  type FeedGone,
  type FeedHead,
  type FileColumns,
  fileFrom,
  type GoneColumns,
  goneFrom,
  IS_LOST,
} from './feed-rows.ts';

/** A known file, for a comparison with the whole index. */
export interface KnownFile {
  readonly path: string;
  readonly hash: string | null;
  readonly excluded: boolean;
  readonly is_new: number;
}

export interface LoadedHead extends FeedHead {
  /** Whether the last record is missing. */
  readonly lost: boolean;
  readonly has_files: boolean;
  /** Whether other files wait to be recorded. */
  readonly is_pending?: boolean;
  /** Whether a record may be one half of a move. */
  readonly is_recent?: boolean;
}

export interface FeedPart {
  /** Undefined before the first change. */
  readonly head: LoadedHead | undefined;
  /** By the clock of the database server, in milliseconds since 1970. */
  readonly now: number;
  readonly files: readonly FileSnapshot[];
  readonly gone: readonly FeedGone[];
  /** Records that may be one half of a move. */
  readonly recent: readonly RecentChange[];
  /** Files of which no more is needed. */
  readonly known: readonly KnownFile[];
}

export type RecentChange = Pick<ChangeRow, 'seq' | 'at' | 'kind' | 'path' | 'before' | 'replaces'>;

export interface Wanted {
  readonly paths: readonly string[];
  /** Whether a file leaves, or more may be settled than what the set says. */
  readonly mayRemove: boolean;
  /** Whether the vault was compared as a whole. */
  readonly isEnd: boolean;
  /** Whether each file is compared with the index. */
  readonly isWhole: (head: LoadedHead | undefined) => boolean;
  /** Those of which the feed does not have what the index has. */
  readonly differing: (files: readonly KnownFile[]) => readonly string[];
}

const MS = '(extract(epoch FROM now()) * 1000)::bigint';
const IN_WINDOW = `at >= ${MS} - ${MOVE_WINDOW_MS}`;
const HEAD = `SELECT feed.*, ${MS} AS now, ${IS_LOST} AS lost, EXISTS (SELECT FROM $schema.feed_files) AS has_files,
  EXISTS (SELECT FROM $schema.feed_gone WHERE seq IS NULL)
    OR EXISTS (SELECT FROM $schema.feed_files WHERE is_new > 0 AND key <> ALL($1::uuid[])) AS is_pending,
  EXISTS (SELECT FROM $schema.feed_changes WHERE ${IN_WINDOW} AND (kind = 'created' OR replaces IS NOT NULL)) AS is_recent
  FROM (SELECT 1) AS single LEFT JOIN $schema.feed ON true`;
const FILE = 'SELECT path, is_new, about, lines FROM $schema.feed_files';
const GONE = 'SELECT path, seq, at, about, lines FROM $schema.feed_gone';
const MAY_SETTLE = '($1 OR EXISTS (SELECT FROM $schema.feed_gone WHERE seq IS NULL))';
const MAX_FILES = 5_000;

/**
 * In one round trip if nothing but these files is to be recorded, as after most edits. What another server writes meanwhile is a set
 * of changes of its own, after which the set that this is for is not accepted.
 * @throws DamagedOriginal
 */
export async function loadFeed(database: Database, request: Wanted, signal: AbortSignal): Promise<FeedPart> {
  const ask: Run = (sql, values = []) => database.query('feed', sql, values, signal);
  const keys = request.paths.map(keyOf);
  const [[head], own] = await database.together('feed', signal, (run) =>
    Promise.all([
      run<LoadedHead & { now: number }>(HEAD, [keys]),
      run<FileColumns>(`${FILE} WHERE key = ANY($1::uuid[])`, [keys]),
    ]),
  );
  const loaded = new Map(own.map((row) => [row.path, fileFrom(row)]));
  const mayMove = head?.is_recent === true || mayArrive(request.paths, loaded);
  const isNear = request.isEnd || head?.is_pending === true || mayMove;
  const near = isNear ? await database.together('feed', signal, (run) => loadNear(run, keys, mayMove, request)) : NONE;
  for (const row of near.files) if (!loaded.has(row.path)) loaded.set(row.path, fileFrom(row));
  const now = head?.now ?? Date.now();
  const feedHead = head?.id === null ? undefined : head;
  const knownFiles = request.isWhole(feedHead) ? await loadKnown(ask, request, loaded) : [];
  const { recent, gone } = near;
  return { head: feedHead, now, known: knownFiles, recent, files: [...loaded.values()], gone: gone.map(goneFrom) };
}

const NONE = { files: [], gone: [], recent: [] };

/** @param mayMove whether what is gone and recorded may be found again */
async function loadNear(run: Run, keys: readonly string[], mayMove: boolean, { isEnd, mayRemove }: Wanted) {
  const [others, gone, recent, moved] = await Promise.all([
    // That others wait is all that counts, unless the scan has ended.
    run<FileColumns>(
      `${FILE} WHERE is_new > 0 AND key <> ALL($1::uuid[]) ORDER BY is_new DESC ${isEnd ? '' : 'LIMIT 1'}`,
      [keys],
    ),
    run<GoneColumns>(`${GONE} WHERE seq IS NULL OR $1`, [isEnd || mayMove]),
    run<Parameters<typeof changeFrom>[0]>(
      `SELECT seq, at, record FROM $schema.feed_changes
        WHERE ${IN_WINDOW} AND (kind = 'created' OR replaces IS NOT NULL) AND (key = ANY($2::uuid[]) OR ${MAY_SETTLE})`,
      [mayRemove, keys],
    ),
    run<FileColumns>(
      `${FILE} WHERE key IN (SELECT key FROM $schema.feed_changes WHERE ${IN_WINDOW} AND ${MAY_SETTLE} AND kind = 'created')`,
      [mayRemove],
    ),
  ]);
  return { files: [...others, ...moved], gone, recent: recent.map(changeFrom) };
}

/** Then it may have come from where another is gone; so may one that was excluded. */
const mayArrive = (paths: readonly string[], files: ReadonlyMap<string, FileSnapshot>): boolean =>
  paths.some((path) => files.get(path)?.is_new !== 0 || files.get(path)?.excluded === 1);

async function loadKnown(ask: Run, { differing }: Wanted, loaded: Map<string, FileSnapshot>): Promise<KnownFile[]> {
  const knownFiles = await ask<KnownFile>('SELECT path, hash, excluded, is_new FROM $schema.feed_files');
  const missing = differing(knownFiles).filter((path) => !loaded.has(path));
  for (let at = 0; at < missing.length; at += MAX_FILES) {
    const keys = missing.slice(at, at + MAX_FILES).map(keyOf);
    for (const row of await ask<FileColumns>(`${FILE} WHERE key = ANY($1::uuid[])`, [keys]))
      loaded.set(row.path, fileFrom(row));
  }
  return knownFiles.filter(({ path }) => !loaded.has(path));
}
