// Records in the feed what a set of changes of the index says of the files of the vault. Runs in a transaction of the feed.
import { isSameContent } from '../../../base/content-hash.ts';
import { fileKindOf, type NotePath } from '../../../base/note.ts';
import type { Rows } from '../database/rows.ts';
import type { UnpackedChanges } from '../write/unpack-changes.ts';
import { pairMoves } from './pair-moves.ts';
import { addRecord, linkersOf } from './records.ts';
import {
  type FileSnapshot,
  fileIn,
  foundRow,
  placedAt,
  putFile,
  putGone,
  readRow,
  type SnapshotRow,
} from './snapshot.ts';

export interface FeedRows {
  readonly feed: Rows;
  readonly index: Rows;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Before the first scan has ended: what is there is no change. */
  readonly isSilent: boolean;
}

/** Removal and creation of one move may be noticed so far apart. */
export const MOVE_WINDOW_MS = 5 * 60_000;
/** A file that was found longer ago, and is not read yet, is left by a job that did not end. */
const MAX_JOB_MS = 30_000;

/** Before the index itself changes, which still knows who links to what is removed. */
export function recordChanges(rows: FeedRows, changes: UnpackedChanges): void {
  const paths = new Set<string>(changes.added.map(({ path }) => path));
  for (const path of changes.removed) if (!paths.has(path)) remove(rows, path);
  const arrived: SnapshotRow[] = [];
  for (const entry of changes.added) arrived.push(...find(rows, entry));
  for (const file of changes.touched) touch(rows, file);
  for (const note of changes.indexed) arrived.push(...read(rows, note));
  // Its content stays unknown for now, or for ever.
  for (const { path, phase } of changes.quarantined)
    if (phase !== 'parse') arrived.push(...unread(rows, path as NotePath));
  if (!rows.isSilent) settle(rows, arrived);
}

function remove(rows: FeedRows, path: NotePath): void {
  const file = fileIn(rows.feed, path);
  if (file === undefined) return;
  rows.feed.run('DELETE FROM files WHERE path = ?', path);
  leave(rows, file, linkersOf(rows.index, path));
}

/** It is gone for the readers of the feed, to whom excluded files are none. @param linkers undefined if they are unknown */
export function leave({ feed, now, isSilent }: FeedRows, file: FileSnapshot, linkers?: object): void {
  // No record says of a file that was never read that it was there.
  if (isSilent || file.is_new !== 0 || file.excluded === 1) return;
  putGone(feed, file, linkers === undefined ? null : JSON.stringify(linkers), now);
}

/** One that is excluded from now on is gone, and one that no longer is has come from nowhere. @param linkers as `leave` */
export function showOrHide(rows: FeedRows, file: FileSnapshot, row: SnapshotRow, linkers?: object): void {
  const { feed, now, isSilent } = rows;
  const isHidden = row.excluded === 1;
  const isUnread = row.hash === null && row.kind !== 'attachment';
  putFile(feed, row, isUnread && !isHidden && !isSilent ? now : 0);
  if (isHidden) leave(rows, file, linkers);
  else feed.run('DELETE FROM gone WHERE path = ?', row.path);
  if (!isHidden && !isUnread && !isSilent) addRecord(feed, now, 'created', { after: row });
}

/** @returns the file if it is new and nothing more of it is read */
function find(rows: FeedRows, entry: UnpackedChanges['added'][number]): SnapshotRow[] {
  const { feed, index, now, isSilent } = rows;
  const { excluded = false, kind, path } = entry;
  const file = fileIn(feed, path);
  if (file === undefined) {
    // Written once it is read; what is not read by the end of the scan is compared then.
    if (isSilent && kind !== 'attachment' && !excluded) return [];
    const row = foundRow(entry);
    putFile(feed, row, isSilent || excluded ? 0 : now);
    return kind === 'attachment' && !excluded ? [row] : [];
  }
  const isSeen = file.excluded === Number(excluded);
  if (file.kind === kind && isSeen) return [];
  const content = file.kind === kind ? {} : { kind, hash: null, sections: null, lines: null };
  const row = { ...file, ...content, excluded: Number(excluded) };
  if (isSeen) putFile(feed, row, file.is_new);
  else showOrHide(rows, file, row, excluded ? linkersOf(index, path) : undefined);
  return [];
}

type Touched = UnpackedChanges['touched'][number];

/** An attachment whose content was not read, then or now, counts as edited with another size or time. */
function touch(rows: FeedRows, { path, sizeBytes, modifiedMs, hash }: Touched): void {
  const { feed, isSilent } = rows;
  const file = fileIn(feed, path);
  if (file === undefined) return;
  const times = { size: sizeBytes, modified: modifiedMs };
  const isAsBefore = file.size === sizeBytes && file.modified === modifiedMs;
  const content = file.kind !== 'attachment' ? {} : { hash: hash ?? (isAsBefore ? file.hash : null) };
  const row: SnapshotRow = { ...file, ...times, ...content };
  putFile(feed, row, file.is_new);
  const isSame = isSameContent(file.hash, row.hash) ?? isAsBefore;
  if (file.kind === 'attachment' && !isSame && !isSilent && file.excluded === 0) recordEdit(rows, file, row);
}

/** @returns the file if it is new */
function read(rows: FeedRows, note: UnpackedChanges['indexed'][number]): SnapshotRow[] {
  const { feed, now, isSilent } = rows;
  const file = fileIn(feed, note.path);
  const row = readRow(file ?? asListed(note), note);
  const isNew = file === undefined || file.is_new !== 0;
  // When it was found is kept: reading it may take long.
  const isShown = !isSilent && row.excluded === 0;
  putFile(feed, row, isNew && isShown ? (file?.is_new ?? now) : 0);
  if (!isShown) return [];
  if (isNew) return [row];
  // What was there before and could not be read is no change.
  if (isSameContent(file.hash, row.hash) === false) recordEdit(rows, file, row);
  return [];
}

/** A file that was read while a program still wrote it may now be recognized as one that is gone. */
export function recordEdit(rows: FeedRows, before: SnapshotRow, row: SnapshotRow): void {
  const moved = origin(rows, row);
  if (moved === undefined) addRecord(rows.feed, rows.now, 'edited', { before, after: row });
  else recordMove(rows, moved, row, moved.seq);
}

function origin({ feed, now }: FeedRows, row: SnapshotRow): GoneRow | undefined {
  const gone = feed.all<GoneRow>('SELECT * FROM gone WHERE seq IS NOT NULL AND at >= ?', now - MOVE_WINDOW_MS);
  if (gone.length === 0) return undefined;
  const created = feed.first<Created>(`${RECENTLY_CREATED} AND path = ?`, now - MOVE_WINDOW_MS, row.path);
  if (created === undefined) return undefined;
  return pairMoves(gone.map(asPlaced), [{ ...placedAt(row), at: created.at }]).get(row.path)?.row;
}

const asListed = ({ path, sizeBytes, modifiedMs }: UnpackedChanges['indexed'][number]): SnapshotRow =>
  foundRow({ path, kind: fileKindOf(path), sizeBytes, modifiedMs, evicted: false, conflictCopy: false });

function unread({ feed }: FeedRows, path: NotePath): SnapshotRow[] {
  const file = fileIn(feed, path);
  return file !== undefined && file.is_new !== 0 ? [file] : [];
}

export interface GoneRow extends SnapshotRow {
  readonly linkers: string | null;
  /** When it was found gone. */
  readonly at: number;
  /** The number of its record, if there is one. */
  readonly seq: number | null;
}

/**
 * Records what has arrived, and what is gone unless it may still arrive elsewhere: in a job, all files are listed before the first is read.
 * @param isEnd nothing more will arrive
 */
export function settle(rows: FeedRows, arrived: readonly SnapshotRow[], isEnd = false): void {
  const { feed, now } = rows;
  feed.run('DELETE FROM gone WHERE seq IS NOT NULL AND at < ?', now - MOVE_WINDOW_MS);
  const gone = feed.all<GoneRow>('SELECT * FROM gone ORDER BY path');
  if (gone.length === 0 && arrived.length === 0) return;
  const moves = pairMoves(
    gone.map(asPlaced),
    arrived.map((row) => ({ ...placedAt(row), at: fileIn(feed, row.path)?.is_new ?? now })),
  );
  const moved = new Set([...moves.values()].map(({ row }) => row));
  const left = new Map(gone.filter((row) => row.seq === null && !moved.has(row)).map((row) => [row.path, row]));
  // What has moved away from a path, or is gone from there, is recorded before what has come there.
  for (const row of arrived.toSorted((one, other) => Number(moves.has(other.path)) - Number(moves.has(one.path)))) {
    const before = moves.get(row.path)?.row;
    const replaced = left.get(row.path);
    if (replaced !== undefined) recordGone(rows, replaced);
    left.delete(row.path);
    if (before === undefined) addRecord(feed, now, 'created', { after: row });
    else recordMove(rows, before, row, before.seq);
    feed.run('UPDATE files SET is_new = 0 WHERE path = ?', row.path);
  }
  const isMore = feed.value<number>('SELECT 1 FROM files WHERE is_new > ? LIMIT 1', now - MAX_JOB_MS) === 1;
  if (!isMore || isEnd) settleGone(rows, [...left.values()]);
}

const asPlaced = (row: GoneRow) => ({ ...placedAt(row), row });

function recordMove({ feed, now }: FeedRows, before: SnapshotRow, after: SnapshotRow, replaces: number | null): void {
  feed.run('DELETE FROM gone WHERE path = ?', before.path);
  // A file that is back at its path was not moved.
  if (before.path === after.path) addRecord(feed, now, 'created', { before, after, replaces });
  else addRecord(feed, now, 'moved', { before, after, replaces });
}

interface Created extends FileSnapshot {
  readonly seq: number;
  readonly at: number;
}

/** One that is back at its path has not come from elsewhere, and of one that was recognized it is known where it came from. */
const RECENTLY_CREATED = `SELECT files.*, seq, at
  FROM (SELECT path, max(seq) AS seq, at, kind AS came, before FROM changes WHERE kind <> 'edited' AND at >= ? GROUP BY path)
  JOIN files USING (path) WHERE came = 'created' AND before IS NULL AND is_new = 0 AND excluded = 0`;

/** Some of them have been created elsewhere before they were removed here. */
function settleGone(rows: FeedRows, gone: readonly GoneRow[]): void {
  if (gone.length === 0) return;
  const { feed, now } = rows;
  const created = feed.all<Created>(RECENTLY_CREATED, now - MOVE_WINDOW_MS);
  const seqs = new Map<string, number>(created.map(({ path, seq }) => [path, seq]));
  const moves = pairMoves(
    gone.map(asPlaced),
    created.map((row) => ({ ...placedAt(row), at: row.at })),
  );
  const moved = new Set<GoneRow>();
  for (const after of created) {
    const before = moves.get(after.path)?.row;
    if (before === undefined) continue;
    moved.add(before);
    recordMove(rows, before, after, seqs.get(after.path) ?? null);
  }
  for (const before of gone) if (!moved.has(before)) recordGone(rows, before);
}

function recordGone({ feed, now }: FeedRows, before: GoneRow): void {
  const seq = addRecord(feed, now, 'deleted', { before, linkers: before.linkers });
  feed.run('UPDATE gone SET seq = ? WHERE path = ?', seq, before.path);
}
