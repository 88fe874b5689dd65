// Reads the rows of files and of their contents, each compared with its checksum.
import type { Encoding, FileKind, NotePath } from '../../../base/note.ts';
import type { AttachmentText } from '../../../contracts/change-set.ts';
import type { NoteSummary } from '../../../contracts/store.ts';
import type { TextIndex } from '../../../postings/text-index.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { type StoredTask, unpackTasks } from '../write/packed-note.ts';
import { hasExcluded } from './note-conditions.ts';

export interface FileRow {
  readonly id: number;
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly size: number;
  readonly modified: number;
  readonly created: number | null;
  readonly changed: number | null;
  readonly evicted: number;
  readonly conflict_copy: number;
  readonly hash: string | null;
  readonly title: string | null;
  readonly date: string | null;
  readonly dated_by: NoteSummary['datedBy'] | null;
}

export interface ContentRow {
  readonly encoding: Encoding | null;
  readonly body_offset: number;
  readonly properties: string;
  readonly notices: string;
  readonly headings: string;
  readonly blocks: string;
  readonly tag_places: string;
}

/** The file that another row refers to. @throws DamagedRow also if there is none */
export function fileById(rows: Rows, id: number): FileRow {
  const [file] = rows.checked<FileRow>('SELECT * FROM files WHERE id = ?', id);
  if (file === undefined) throw new DamagedRow('a row refers to a file that is missing');
  return file;
}

export function fileAt(rows: Rows, path: NotePath): FileRow | undefined {
  return rows.checked<FileRow>('SELECT * FROM files WHERE path = ?', path)[0];
}

/** One query for many files takes a third of the time of one for each. */
export function filesAt(rows: Rows, paths: readonly NotePath[]): FileRow[] {
  return rows.checked<FileRow>(`SELECT * FROM files WHERE path IN ${LISTED}`, JSON.stringify(paths));
}

const LISTED = '(SELECT value FROM json_each(?))';

/** By the id of the file. */
export interface NoteParts {
  readonly contents: ReadonlyMap<number, ContentRow>;
  readonly aliases: ReadonlyMap<number, readonly { readonly name: string }[]>;
  readonly excluded: ReadonlySet<number>;
}

/** By the id of the file. @throws DamagedRow also if a file is indexed and has no content */
export function contentsOf(rows: Rows, files: readonly FileRow[]): ReadonlyMap<number, ContentRow> {
  const ids = JSON.stringify(files.map(({ id }) => id));
  const contents = new Map(
    rows
      .checked<ContentRow & OfFile>(`SELECT * FROM contents WHERE file IN ${LISTED}`, ids)
      .map((content) => [content.file, content]),
  );
  for (const { id, hash } of files) if (hash !== null && !contents.has(id)) throw withoutContent();
  return contents;
}

/** @throws DamagedRow also if a file is indexed and has no content */
export function partsOf(rows: Rows, files: readonly FileRow[]): NoteParts {
  const ids = JSON.stringify(files.map(({ id }) => id));
  const names = `SELECT * FROM names WHERE file IN ${LISTED} AND kind = 'alias' ORDER BY file, ordinal`;
  return {
    contents: contentsOf(rows, files),
    aliases: Map.groupBy(rows.checked<OfFile & { name: string }>(names, ids), ({ file }) => file),
    excluded: new Set(
      hasExcluded(rows) ? rows.column<number>(`SELECT file FROM excluded_files WHERE file IN ${LISTED}`, ids) : [],
    ),
  };
}

interface OfFile {
  readonly file: number;
}

const withoutContent = (): DamagedRow => new DamagedRow('an indexed file has no content');

/** Whether Obsidian's settings exclude the file. */
export function isExcluded(rows: Rows, id: number): boolean {
  return rows.value<number>('SELECT 1 FROM excluded_files WHERE file = ?', id) === 1;
}

/** Undefined until the file is indexed. @throws DamagedRow also if it is indexed and has no content */
export function contentOf(rows: Rows, { id, hash }: Pick<FileRow, 'id' | 'hash'>): ContentRow | undefined {
  const [content] = rows.checked<ContentRow>('SELECT * FROM contents WHERE file = ?', id);
  if (content === undefined && hash !== null) throw withoutContent();
  return content;
}

/** In the order of their lines; none in an attachment. */
export function storedTasks(rows: Rows, file: number): StoredTask[] {
  const [row] = rows.checked<{ tasks: string }>('SELECT * FROM tasks WHERE file = ?', file);
  return row === undefined ? [] : unpackTasks(row.tasks);
}

/** In the order of `paths`, without those that have none. */
export function attachmentTexts(rows: Rows, paths: readonly NotePath[]): AttachmentText[] {
  return paths.flatMap((path) => {
    const file = fileAt(rows, path);
    if (file?.kind !== 'attachment' || file.hash === null) return [];
    const { id, hash, size: sizeBytes, modified: modifiedMs } = file;
    const sql = 'SELECT * FROM attachment_texts WHERE file = ?';
    return rows.checked<{ text: string; fault: string | null }>(sql, id).map(({ text, fault }) => {
      return { path, text, hash, sizeBytes, modifiedMs, ...(fault !== null && { fault }) };
    });
  });
}

/** @param notes numbers of the text index */
export function withoutAttachments({ column }: Rows, { files }: TextIndex, notes: Int32Array): Int32Array {
  const attachments = new Set(column<number>('SELECT file FROM attachment_texts'));
  return attachments.size === 0 ? notes : notes.filter((note) => !attachments.has(files[note] as number));
}
