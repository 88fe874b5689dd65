// The last known state of each file in the feed, with which the next one is compared.
import type { NotePath } from '../../../base/note.ts';
import type { IndexedNote, Sampled } from '../../../contracts/change-set.ts';
import type { FileEntry } from '../../../contracts/vault.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import { noteTitle } from '../../../markdown/properties/note-title.ts';
import type { Rows } from '../database/rows.ts';
import { type SectionedLines, type Sections, sectionsOf } from './compare-lines.ts';
import type { Placed } from './pair-moves.ts';

export interface SnapshotRow {
  readonly path: NotePath;
  readonly kind: string;
  readonly hash: string | null;
  readonly size: number;
  readonly modified: number;
  readonly title: string;
  /** JSON, as are the sections. */
  readonly tags: string;
  readonly excluded: number;
  readonly sections: string | null;
  readonly lines: Uint8Array | null;
}

export interface FileSnapshot extends SnapshotRow {
  /** When it was found, in milliseconds since 1970, while it is not recorded yet; otherwise 0. */
  readonly is_new: number;
}

const COLUMNS = 'path, kind, hash, size, modified, title, tags, excluded, sections, lines';

const valuesOf = (row: SnapshotRow) =>
  [
    ...[row.path, row.kind, row.hash, row.size, row.modified],
    ...[row.title, row.tags, row.excluded, row.sections, row.lines],
  ] as const;

export const fileIn = (feed: Rows, path: NotePath): FileSnapshot | undefined =>
  feed.first<FileSnapshot>('SELECT * FROM files WHERE path = ?', path);

export function putFile(feed: Rows, row: SnapshotRow, newSince: number): void {
  feed.run(
    `INSERT OR REPLACE INTO files (${COLUMNS}, is_new) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
    ...valuesOf(row),
    newSince,
  );
}

export function putGone(feed: Rows, row: SnapshotRow, linkers: string | null, at: number): void {
  const sql = `INSERT OR REPLACE INTO gone (${COLUMNS}, linkers, seq, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,NULL,?)`;
  feed.run(sql, ...valuesOf(row), linkers, at);
}

/** A file that is only listed yet. */
export function foundRow(entry: FileEntry & Sampled): SnapshotRow {
  const { path, kind, sizeBytes, modifiedMs, excluded = false, hash } = entry;
  const about = { path, kind, hash: hash ?? null, size: sizeBytes, modified: modifiedMs, title: noteTitle(path, {}) };
  return { ...about, tags: '[]', excluded: Number(excluded), sections: null, lines: null };
}

/** The state of a file whose content was read. */
export function readRow(before: SnapshotRow, note: IndexedNote): SnapshotRow {
  const { path, hash, sizeBytes: size, modifiedMs: modified, parsed } = note;
  const { lines, headings, properties, tags } = parsed;
  const { path: _path, kind, excluded } = before;
  // An index that is copied has no lines.
  const isKnown = lines === undefined && before.hash === hash;
  const content = isKnown ? before : { sections: null, lines: null };
  return {
    path,
    kind,
    excluded,
    hash,
    size,
    modified,
    title: noteTitle(path, properties),
    tags: JSON.stringify(distinctTags(tags)),
    sections: lines === undefined ? content.sections : JSON.stringify(sectionsOf(headings, lines)),
    lines: lines === undefined ? content.lines : bytesOf(lines.hashes),
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copied, because the bytes of a row need not begin where a number can. */
const numbersIn = (bytes: Uint8Array): Int32Array => new Int32Array(Uint8Array.from(bytes).buffer);

export const placedAt = (row: SnapshotRow): Placed => ({
  ...row,
  lines: row.lines === null ? undefined : numbersIn(row.lines),
});

/** Undefined if the lines are unknown. */
export function linesOf({ lines, sections }: SnapshotRow): SectionedLines | undefined {
  if (lines === null || sections === null) return undefined;
  return { hashes: numbersIn(lines), sections: JSON.parse(sections) as Sections };
}
