// Keeps the feed of changes in step with the index: what a set of changes and the end of a scan do to it, whichever database has its tables.

import { type NotePath, noteName } from '../../../base/note.ts';
import type { Rows } from '../database/rows.ts';
import { unpackDistinctTags } from '../write/packed-note.ts';
import type { UnpackedChanges } from '../write/unpack-changes.ts';
import { metaOf } from './feed-file.ts';
import { type FeedRows, leave, recordChanges, recordEdit, settle, showOrHide } from './record-changes.ts';
import { type FileSnapshot, fileIn, putFile, type SnapshotRow } from './snapshot.ts';

export interface Keeping {
  readonly feed: Rows;
  readonly index: Rows;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names the state of the index with that revision. */
  readonly stepAt: (revision: number) => string;
}

/** Before the index is changed. @param revision of the index with these changes */
export function keepSet(keeping: Keeping, changes: UnpackedChanges, revision: number): void {
  const { feed, index, now, stepAt } = keeping;
  const { known_since, step, doubt } = metaOf(feed);
  const isInStep = step === stepAt(revision - 1);
  let isSilent = known_since === null;
  // A new feed beside a complete index.
  if (isSilent && isComplete(index)) {
    begin(keeping);
    isSilent = false;
  }
  recordChanges({ feed, index, now, isSilent }, changes);
  writeStep(keeping, revision, known_since !== null && (doubt === 1 || !isInStep));
}

/** Once the index was compared with the whole vault. @param revision of the index */
export function keepScan(keeping: Keeping, revision: number): void {
  const { feed, stepAt } = keeping;
  const { known_since, step, doubt } = metaOf(feed);
  if (known_since === null) begin(keeping);
  else {
    const rows = { ...keeping, isSilent: false };
    if (doubt === 1 || step !== stepAt(revision)) reconcile(rows);
    settleAll(rows);
  }
  writeStep(keeping, revision, false);
}

/** Whether the feed has to be compared with the whole index when that changes, or at the end of a scan. */
export function isWholeNeeded(
  { known_since, step, doubt }: Pick<ReturnType<typeof metaOf>, 'known_since' | 'step' | 'doubt'>,
  { index, stepAt }: Omit<Keeping, 'feed' | 'now'>,
  scanned?: number,
): boolean {
  if (scanned === undefined) return known_since === null && isComplete(index);
  return known_since === null || doubt === 1 || step !== stepAt(scanned);
}

/** What is there now is no change. */
function begin({ feed, index, now }: Keeping): void {
  reconcile({ feed, index, now, isSilent: true });
  feed.run('UPDATE files SET is_new = 0 WHERE is_new');
  feed.run('UPDATE meta SET known_since = ?', now);
}

function writeStep({ feed, now, stepAt }: Keeping, revision: number, isDoubtful: boolean): void {
  const set = 'UPDATE meta SET step = ?, revision = ?, doubt = ?, seen_at = ?';
  feed.run(set, stepAt(revision), revision, Number(isDoubtful), now);
}

const isComplete = (index: Rows): boolean => index.value<string | null>('SELECT scanned_at FROM state') !== null;

interface IndexRow {
  readonly id: number;
  readonly path: NotePath;
  readonly kind: SnapshotRow['kind'];
  readonly hash: string | null;
  readonly size: number;
  readonly modified: number;
  readonly title: string | null;
  readonly excluded: number;
}

const INDEXED = `SELECT id, path, kind, nullif(hash, '') AS hash, size, modified, title,
  id IN (SELECT file FROM excluded_files) AS excluded FROM files WHERE path = ?`;

type Known = readonly [path: NotePath, hash: string | null, excluded: number, isNew: number];
/** A file of the index; the hash is empty or null if it is not read. */
export type Indexed = readonly [path: NotePath, hash: string | null, excluded: number];

export const ALL_INDEXED = 'SELECT path, hash, id IN (SELECT file FROM excluded_files) FROM files';

/** The lines of what differs are unknown, as its text is not at hand. Who linked to what is gone is unknown too. */
function reconcile(rows: FeedRows): void {
  const { feed, index } = rows;
  const files = new Map(
    feed.tuples<Known>('SELECT path, hash, excluded, is_new FROM files').map((file) => [file[0], file]),
  );
  // Most are the same.
  for (const [path, hash, excluded] of index.tuples<Indexed>(ALL_INDEXED)) {
    const [, hashBefore, wasExcluded] = files.get(path) ?? [];
    files.delete(path);
    if (wasExcluded === excluded && (!hash || hashBefore === hash)) continue;
    const [file] = index.all<IndexRow>(INDEXED, path);
    if (file !== undefined) compare(rows, fileIn(feed, path), rowOf(index, file));
  }
  for (const path of files.keys()) {
    const file = fileIn(feed, path);
    feed.run('DELETE FROM files WHERE path = ?', path);
    if (file !== undefined) leave(rows, file);
  }
}

function compare(rows: FeedRows, file: FileSnapshot | undefined, row: SnapshotRow): void {
  const { feed, now, isSilent } = rows;
  if (file !== undefined && file.excluded !== row.excluded) {
    showOrHide(rows, file, row.hash === null ? { ...file, excluded: row.excluded } : row);
    return;
  }
  const isHidden = isSilent || row.excluded === 1;
  const isEdit = file !== undefined && file.hash !== null && !isHidden;
  putFile(feed, row, isHidden || isEdit ? 0 : (file?.is_new ?? now));
  if (isEdit) recordEdit(rows, file, row);
}

function rowOf(index: Rows, { id, path, kind, hash, size, modified, title, excluded }: IndexRow): SnapshotRow {
  const packed = index.value<string>('SELECT tag_places FROM contents WHERE file = ?', id);
  const about = { path, hash, size, modified, excluded, sections: null, lines: null, kind };
  const tags = JSON.stringify(packed === undefined ? [] : unpackDistinctTags(packed));
  return { ...about, title: title ?? noteName(path), tags };
}

/** Every file that is known and not recorded yet, and all that is gone: the vault was compared as a whole. */
function settleAll(rows: FeedRows): void {
  const { feed } = rows;
  const arrived = feed.all<FileSnapshot>('SELECT * FROM files WHERE is_new AND excluded = 0 ORDER BY path');
  const isPending = feed.value<number>('SELECT 1 FROM gone WHERE seq IS NULL LIMIT 1') === 1;
  if (arrived.length > 0 || isPending) settle(rows, arrived, true);
}
