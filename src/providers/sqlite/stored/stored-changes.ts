// Reads the files of an index back as the sets of changes that made it.

import type { ParsedNote } from '../../../base/note.ts';
import { type ChangeSet, type IndexedFile, NO_CHANGES, type PackedWords } from '../../../contracts/change-set.ts';
import type { FileEntry } from '../../../contracts/vault.ts';
import { packNotes } from '../../../markdown/parse/packed-notes.ts';
import { joinWords, splitWords } from '../../../postings/one-note-words.ts';
import type { Rows } from '../database/rows.ts';
import { attachmentTexts } from '../read/attachment-texts.ts';
import { createKnownFiles } from '../read/known-files.ts';
import { createLinkRows, type LinkRows, linksOf } from '../read/links.ts';
import { type FileRow, fileById, storedTasks } from '../read/note-rows.ts';
import { noteRecords } from '../read/note-summaries.ts';
import { quarantineEntries } from '../read/store-counts.ts';
import { segmentRow, storedNotes } from '../texts/segment-rows.ts';

const SLICE = 500;
const EVERY = { limit: 1_000_000, offset: 0 };

/** All files first, so that links lead to them; then what each holds. */
export function* storedChanges(rows: Rows): Iterable<ChangeSet> {
  const files = rows.checked<FileRow>('SELECT * FROM files ORDER BY path');
  for (const part of slices(files)) yield { ...NO_CHANGES, found: part.map(foundEntry) };
  for (const words of storedWords(rows)) for (const part of slices(words)) yield indexedPart(rows, part);
  const quarantined = quarantineEntries(rows, EVERY);
  if (quarantined.length > 0) yield { ...NO_CHANGES, quarantined };
}

function* slices<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += SLICE) yield all.slice(from, from + SLICE);
}

function foundEntry({ path, kind, size, modified, created, evicted, conflict_copy }: FileRow): FileEntry {
  return {
    path,
    kind,
    sizeBytes: size,
    modifiedMs: modified,
    evicted: evicted === 1,
    conflictCopy: conflict_copy === 1,
    ...(created === null ? {} : { createdMs: created }),
  };
}

function indexedPart(rows: Rows, part: readonly FileWords[]): ChangeSet {
  const links = createLinkRows(rows, createKnownFiles(rows))();
  const notes = part.map(({ file }) => indexedNote(rows, links, fileById(rows, file)));
  const indexed = notes.map(({ parsed: _, ...file }) => file);
  const parsed = packNotes(notes.map((note) => note.parsed));
  return { ...NO_CHANGES, indexed, parsed, words: joinWords(part.map(({ words }) => words)) };
}

function indexedNote(
  rows: Rows,
  linkRows: LinkRows,
  { id, path, hash, size, modified, created }: FileRow,
): IndexedFile & { readonly parsed: ParsedNote } {
  const [record] = noteRecords(rows, [path]);
  const [text] = attachmentTexts(rows, [path]);
  const { encoding = 'utf-8', properties = {}, notices = [], aliases = [] } = record ?? {};
  const { headings = [], blocks = [], tagPlaces: tags = [], bodyOffset = 0 } = record ?? {};
  const links = linksOf(linkRows, path, 'out', EVERY);
  const parsed = { properties, notices, aliases, tags, headings, blocks, links, tasks: tasksOf(rows, id), bodyOffset };
  return {
    path,
    hash: hash ?? '',
    sizeBytes: size,
    modifiedMs: modified,
    encoding,
    parsed,
    ...(created === null ? {} : { createdMs: created }),
    ...(text && { attachment: { text: text.text, ...(text.fault === undefined ? {} : { fault: text.fault }) } }),
  };
}

/** The index does not keep their texts: those are read from the note. */
function tasksOf(rows: Rows, file: number) {
  return storedTasks(rows, file).map((task) => ({ ...task, text: '' }));
}

interface FileWords {
  readonly file: number;
  readonly words: PackedWords;
}

/** Those of one segment after another, without those that are no longer of a file. */
function* storedWords(rows: Rows): Iterable<readonly FileWords[]> {
  for (const id of rows.column<number>('SELECT id FROM text_segments ORDER BY id')) {
    const { files, docs, words } = segmentWords(rows, id);
    const parts = splitWords(words);
    yield parts.flatMap((part, at) => {
      const file = files[at] ?? 0;
      const doc = rows.value<number>('SELECT doc FROM text_notes WHERE file = ?', file);
      return doc === docs[at] ? [{ file, words: withVector(rows, file, part) }] : [];
    });
  }
}

function segmentWords(rows: Rows, id: number) {
  const { firstRow, rowCount, directory, notes } = storedNotes(rows, id);
  const { files, docs, lengths } = notes;
  const data = Array.from({ length: rowCount }, (_, at) => segmentRow(rows, firstRow + at));
  let end = 0;
  const ends = Int32Array.from(data, ({ length }) => (end += length));
  const none = { vectors: new Uint8Array(0), vectorEnds: new Int32Array(lengths.length) };
  return { files, docs, words: { lengths, directory, rows: Buffer.concat(data), ends, ...none } };
}

function withVector(rows: Rows, file: number, words: PackedWords): PackedWords {
  const [row] = rows.checked<{ terms: Uint8Array }>('SELECT * FROM term_vectors WHERE file = ?', file);
  const vectors = row?.terms ?? new Uint8Array(0);
  return { ...words, vectors, vectorEnds: Int32Array.of(vectors.length) };
}
