// The rows of the changes in the feed: how one is written, and how it is read.
import type { FileKind, NotePath } from '../../../base/note.ts';
import type { FeedRecord, LineChange } from '../../../contracts/feed.ts';
import type { Rows } from '../database/rows.ts';
import { fileStems } from '../write/link-resolution.ts';
import { compareLines } from './compare-lines.ts';
import { linesOf, type SnapshotRow } from './snapshot.ts';

export interface ChangeRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: FeedRecord['kind'];
  readonly path: NotePath;
  readonly was: NotePath | null;
  readonly file_kind: FileKind;
  readonly title: string;
  readonly tags: string;
  readonly excluded: number;
  readonly modified: number | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly lines: string | null;
  readonly linkers: string | null;
  readonly replaces: number | null;
}

interface Sides {
  readonly before?: SnapshotRow;
  readonly after?: SnapshotRow;
  /** JSON. */
  readonly linkers?: string | null;
  readonly replaces?: number | null;
}

/** @returns its number */
export function addRecord(feed: Rows, at: number, kind: FeedRecord['kind'], sides: Sides): number {
  const { before, after, linkers = null, replaces = null } = sides;
  const { path, kind: fileKind, title, tags, excluded } = (after ?? before) as SnapshotRow;
  const was = kind === 'moved' ? (before?.path ?? null) : null;
  const lines = before && after ? lineChange(before, after) : undefined;
  return feed.run(
    `INSERT INTO changes (at, kind, path, was, file_kind, title, tags, excluded, modified, before, after, lines, linkers, replaces)
     VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    ...[at, kind, path, was, fileKind, title, tags, excluded, after?.modified ?? null],
    ...[before?.hash ?? null, after?.hash ?? null, lines ? JSON.stringify(lines) : null, linkers, replaces],
  );
}

function lineChange(before: SnapshotRow, after: SnapshotRow): LineChange | undefined {
  if (before.hash === after.hash) return undefined;
  const [old, now] = [linesOf(before), linesOf(after)];
  return old && now && compareLines(old, now);
}

const AFTER = 'SELECT * FROM changes WHERE seq > ? AND seq <= ? AND at >= ? ORDER BY seq LIMIT ?';

/** @param after the number of the last record that is not wanted */
export function recordsAfter(feed: Rows, after: number, upTo: number, sinceMs: number, limit: number): FeedRecord[] {
  return feed.all<ChangeRow>(AFTER, after, upTo, sinceMs, limit).map(recordOf);
}

export function recordOf(row: ChangeRow): FeedRecord {
  const { seq, at, kind, path, title, before, after } = row;
  return {
    seq,
    at,
    kind,
    path,
    title,
    before,
    after,
    fileKind: row.file_kind,
    tags: JSON.parse(row.tags) as string[],
    ...(row.was !== null && { from: row.was }),
    ...(row.excluded === 1 && { excluded: true }),
    ...(row.modified !== null && { modifiedMs: row.modified }),
    ...(row.lines !== null && { lines: JSON.parse(row.lines) as LineChange }),
    ...(row.linkers !== null && { linkedFrom: JSON.parse(row.linkers) as Linkers }),
    ...(row.replaces !== null && { replaces: row.replaces }),
  };
}

interface Linkers {
  readonly paths: readonly NotePath[];
  readonly count: number;
}

const MAX_NAMED = 10;
/** Links that are looked at: of a note with more, the count is a lower bound. */
const MAX_LINKS = 50_000;

const SOURCES = `SELECT DISTINCT source FROM (
    SELECT source FROM link_names CROSS JOIN links ON links.name = link_names.id
      AND stem IN (SELECT value FROM json_each(?)) AND target = ? LIMIT ?)
  WHERE source <> ? AND source NOT IN (SELECT file FROM excluded_files)`;

/** Undefined for a file that the index does not know. */
export function linkersOf(index: Rows, path: NotePath): Linkers | undefined {
  const id = index.value<number>('SELECT id FROM files WHERE path = ?', path);
  if (id === undefined) return undefined;
  const sources = index.column<number>(SOURCES, JSON.stringify(fileStems(index, path)), id, MAX_LINKS, id);
  const named = 'SELECT path FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?';
  const paths = sources.length === 0 ? [] : index.column<NotePath>(named, JSON.stringify(sources), MAX_NAMED);
  return { paths, count: sources.length };
}
