// Compares the feed with the whole index: once for a new feed, and after the index was rebuilt, replaced or ahead of the feed.
import { type NotePath, noteName } from '../../../base/note.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import type { Rows } from '../database/rows.ts';
import { unpackTags } from '../write/packed-note.ts';
import { type FeedRows, settle } from './record-changes.ts';
import { addRecord } from './records.ts';
import { type FileSnapshot, putFile, putGone, type SnapshotRow } from './snapshot.ts';

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
  id IN (SELECT file FROM excluded_files) AS excluded FROM files`;

type Known = Pick<FileSnapshot, 'path' | 'hash' | 'is_new'>;

/** The lines of what differs are unknown, as its text is not at hand. Who linked to what is gone is unknown too. */
export function reconcile(rows: FeedRows): void {
  const { feed, index, now, isSilent } = rows;
  const known = new Map(feed.all<Known>('SELECT path, hash, is_new FROM files').map((file) => [file.path, file]));
  for (const file of index.all<IndexRow>(INDEXED)) {
    const before = known.get(file.path);
    known.delete(file.path);
    if (before !== undefined && (file.hash === null || before.hash === file.hash)) continue;
    const row = rowOf(index, file);
    if (before === undefined || before.hash === null || isSilent) {
      putFile(feed, row, isSilent ? 0 : (before?.is_new ?? now));
      continue;
    }
    const [old] = feed.all<FileSnapshot>('SELECT * FROM files WHERE path = ?', file.path);
    putFile(feed, row, 0);
    addRecord(feed, now, 'edited', { ...(old && { before: old }), after: row });
  }
  for (const path of known.keys()) lose(rows, path);
}

function lose({ feed, now, isSilent }: FeedRows, path: NotePath): void {
  const [row] = feed.all<FileSnapshot>('SELECT * FROM files WHERE path = ?', path);
  feed.run('DELETE FROM files WHERE path = ?', path);
  if (row !== undefined && row.is_new === 0 && !isSilent) putGone(feed, row, null, now);
}

function rowOf(index: Rows, { id, path, kind, hash, size, modified, title, excluded }: IndexRow): SnapshotRow {
  const packed = index.value<string>('SELECT tag_places FROM contents WHERE file = ?', id);
  const about = { path, hash, size, modified, excluded, sections: null, lines: null, kind };
  const tags = JSON.stringify(packed === undefined ? [] : distinctTags(unpackTags(packed)));
  return { ...about, title: title ?? noteName(path), tags };
}

/** Every file that is known and not recorded yet, and all that is gone: the vault was compared as a whole. */
export function settleAll(rows: FeedRows): void {
  const { feed } = rows;
  const arrived = feed.all<FileSnapshot>('SELECT * FROM files WHERE is_new ORDER BY path');
  const isPending = feed.value<number>('SELECT 1 FROM gone WHERE seq IS NULL LIMIT 1') === 1;
  if (arrived.length > 0 || isPending) settle(rows, arrived, true);
}
