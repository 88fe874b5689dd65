// Opens an index file to be copied to another store.
import type { ErrorCode } from '../../base/errors.ts';
import { type NotePath, type ParsedNote, parserRules } from '../../base/note.ts';
import { type ChangeSet, type IndexedFile, NO_CHANGES, type PackedWords } from '../../contracts/change-set.ts';
import type { StoreDriver, StoredIndex } from '../../contracts/store.ts';
import type { FileEntry } from '../../contracts/vault.ts';
import type { EmbeddedChunk, EmbeddedNote, VectorChanges } from '../../contracts/vectors.ts';
import { packNotes } from '../../markdown/parse/packed-notes.ts';
import { joinWords, splitWords } from '../../postings/one-note-words.ts';
import type { Connection } from './database/connection.ts';
import { loadEngine } from './database/engine.ts';
import { isUnpublished, openCheckedReader, versionOf } from './database/open-database.ts';
import { createRows, type Rows } from './database/rows.ts';
import { SCHEMA_STEPS } from './database/schema.ts';
import { isMissing } from './database/store-errors.ts';
import { createKnownFiles } from './read/known-files.ts';
import { createLinkRows, type LinkRows, linksOf } from './read/links.ts';
import { attachmentTexts, type FileRow, fileById, isExcluded, storedTasks } from './read/note-rows.ts';
import { noteRecords } from './read/note-summaries.ts';
import { countsNow, quarantineEntries } from './read/store-counts.ts';
import { segmentRow, storedNotes } from './texts/segment-rows.ts';
import { createGenerationList } from './vectors/generations.ts';
import { vectorFrom } from './vectors/vector-codes.ts';

const OTHER_VERSION = 'it is of another version of vaultgraph';

/**
 * @param isWhole whether nothing is missing, beside what is checked here
 * @returns the reason if it cannot be copied, because it is missing, of another version or not complete @throws STORE_*
 */
export function openStoredIndex(
  file: string,
  driver?: StoreDriver,
  isWhole: (rows: Rows) => boolean = () => true,
): StoredIndex | string {
  if (isMissing(file)) return 'there is no such index on this machine';
  if (isUnpublished(file)) return OTHER_VERSION;
  const connection = openCheckedReader(loadEngine(driver), file);
  let stored: StoredIndex | string = '';
  try {
    stored = indexIn(connection, isWhole);
    return stored;
  } finally {
    if (typeof stored === 'string') connection.close();
  }
}

function indexIn(connection: Connection, isWhole: (rows: Rows) => boolean): StoredIndex | string {
  if (versionOf(connection) !== SCHEMA_STEPS.length) return OTHER_VERSION;
  // One moment for all that is read.
  connection.exec('BEGIN');
  const rows = createRows(connection);
  const counts = countsNow(rows);
  const rules = rows.value<number | null>('SELECT rules FROM state');
  if (counts.scannedAt === null || counts.pending > 0 || rules !== parserRules() || !isWhole(rows))
    return 'it is not complete';
  const generations = createGenerationList(rows)().toReversed();
  return {
    counts,
    changes: () => storedChanges(rows),
    generations: generations.map(({ id, ...one }) => ({ ...one, changes: () => storedVectors(rows, id) })),
    close: () => void connection.close(),
  };
}

const NOTES_AT_ONCE = 100;

interface Embedded {
  readonly file: number;
  readonly path: NotePath;
  readonly hash: string;
}

interface Failed {
  readonly ordinal: number;
  readonly from_line: number;
  readonly to_line: number;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

type Vector = VectorChanges['vectors'][number];

function* storedVectors(rows: Rows, generation: number): Iterable<VectorChanges> {
  const sql = `SELECT file, path, files.hash FROM embedded JOIN files ON files.id = file
    WHERE generation = ? AND embedded.hash = files.hash ORDER BY path`;
  const notes = rows.all<Embedded>(sql, generation);
  for (let from = 0; from < notes.length; from += NOTES_AT_ONCE) {
    const vectors: Vector[] = [];
    const part = notes.slice(from, from + NOTES_AT_ONCE).map((note) => embeddedNote(rows, generation, note, vectors));
    yield { vectors, notes: part };
  }
}

/** @param vectors gets those of the note */
function embeddedNote(rows: Rows, generation: number, { file, path, hash }: Embedded, vectors: Vector[]): EmbeddedNote {
  const chunks: EmbeddedChunk[] = [];
  const sql = 'SELECT ordinal, from_line, to_line, vector FROM chunks WHERE generation = ? AND file = ?';
  for (const [ordinal, from, to, id] of rows.tuples<[number, number, number, number]>(sql, generation, file)) {
    const [vector] = rows.checked<{ hash: string; embedding: Uint8Array }>('SELECT * FROM vectors WHERE id = ?', id);
    if (vector === undefined) continue;
    vectors.push({ hash: vector.hash, vector: vectorFrom(vector.embedding) });
    chunks[ordinal] = { hash: vector.hash, lines: [from, to] };
  }
  const failed = 'SELECT * FROM failed_chunks WHERE generation = ? AND file = ?';
  for (const row of rows.checked<Failed>(failed, generation, file)) {
    const { ordinal, from_line: from, to_line: to, code, reason } = row;
    chunks[ordinal] ??= { hash: row.hash, lines: [from, to], failure: { code, reason } };
  }
  return { path, hash, chunks: chunks.filter((chunk) => chunk !== undefined) };
}

// Reads the files of an index back as the sets of changes that made it.

const FILES_AT_ONCE = 500;
const EVERY = { limit: 1_000_000, offset: 0 };

/** All files first, so that links lead to them; then what each holds. */
function* storedChanges(rows: Rows): Iterable<ChangeSet> {
  const files = rows.checked<FileRow>('SELECT * FROM files ORDER BY path');
  for (const part of slices(files)) yield { ...NO_CHANGES, added: part.map((file) => foundEntry(rows, file)) };
  for (const words of storedWords(rows)) for (const part of slices(words)) yield indexedPart(rows, part);
  const quarantined = quarantineEntries(rows, EVERY);
  if (quarantined.length > 0) yield { ...NO_CHANGES, quarantined };
}

function* slices<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += FILES_AT_ONCE) yield all.slice(from, from + FILES_AT_ONCE);
}

function foundEntry(
  rows: Rows,
  { id, path, kind, size, modified, created, evicted, conflict_copy }: FileRow,
): FileEntry {
  return {
    path,
    kind,
    sizeBytes: size,
    modifiedMs: modified,
    evicted: evicted === 1,
    conflictCopy: conflict_copy === 1,
    ...(isExcluded(rows, id) && { excluded: true }),
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
  { id, path, hash, size, modified, created, changed }: FileRow,
): IndexedFile & { readonly parsed: ParsedNote } {
  const [record] = noteRecords(rows, [path]);
  const [text] = attachmentTexts(rows, [path]);
  const { encoding = 'utf-8', properties = {}, notices = [], aliases = [] } = record ?? {};
  const { headings = [], blocks = [], tagPlaces: tags = [], bodyOffset = 0 } = record ?? {};
  const links = linksOf(linkRows, path, 'out', EVERY);
  const fields = record?.fields && { fields: record.fields };
  const lists = { aliases, tags, headings, blocks, links, tasks: tasksOf(rows, id) };
  const parsed = { properties, notices, ...lists, bodyOffset, ...fields };
  return {
    path,
    hash: hash ?? '',
    sizeBytes: size,
    modifiedMs: modified,
    encoding,
    parsed,
    ...(created === null ? {} : { createdMs: created }),
    ...(changed === null ? {} : { changedMs: changed }),
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
