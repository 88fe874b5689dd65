// Reads and writes the rows of the text index: its segments, their notes, and the notes that have been replaced since.

import { VaultgraphError } from '../../../base/errors.ts';
import type { PackedWords } from '../../../contracts/change-set.ts';
import { ByteReader, ByteWriter } from '../../../postings/bytes.ts';
import { Segment } from '../../../postings/segment.ts';
import { DamagedRow, isIntact } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';

/** The notes of a segment: their numbers in the text index, the ids of their files, and the numbers of their words. */
interface SegmentNotes {
  readonly docs: Int32Array;
  readonly files: Int32Array;
  readonly lengths: Int32Array;
}

export interface StoredSegment extends SegmentNotes {
  readonly id: number;
  readonly segment: Segment;
}

interface SegmentRow {
  readonly id: number;
  readonly first_row: number;
  readonly row_count: number;
  readonly notes: Uint8Array;
  readonly directory: Uint8Array;
}

/** @param readRow reads a row by its id @throws DamagedRow */
export function loadSegment(rows: Rows, id: number, readRow: (row: number) => Uint8Array): StoredSegment {
  const { firstRow, directory, notes } = storedNotes(rows, id);
  return { id, ...notes, segment: new Segment(directory, (at) => readRow(firstRow + at)) };
}

/** What is stored of a segment beside its rows. @throws DamagedRow */
export function storedNotes(rows: Rows, id: number) {
  const [row] = rows.checked<SegmentRow>('SELECT * FROM text_segments WHERE id = ?', id);
  if (row === undefined) throw new DamagedRow(`segment ${id}`);
  const { first_row: firstRow, row_count: rowCount, directory } = row;
  return { firstRow, rowCount, directory, notes: unpackNotes(row.notes) };
}

/** @throws DamagedRow */
export function segmentRow(rows: Rows, id: number): Uint8Array {
  const [row] = rows.tuples<readonly [id: number, data: Uint8Array, checksum: number]>(
    'SELECT * FROM text_rows WHERE id = ?',
    id,
  );
  if (row === undefined || !isIntact(row)) throw new DamagedRow(`row ${id} of the text index`);
  const [, data] = row;
  // Every access is as fast as to the arrays of other rows only if all are of one class.
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function unpackNotes(packed: Uint8Array): SegmentNotes {
  const reader = new ByteReader(packed);
  const count = reader.number();
  const [docs, files, lengths] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  let doc = 0;
  for (let at = 0; at < count; at++) {
    doc += reader.number();
    docs[at] = doc;
    files[at] = reader.number();
    lengths[at] = reader.number();
  }
  return { docs, files, lengths };
}

function packNotes({ docs, files, lengths }: SegmentNotes): Uint8Array {
  const packed = new ByteWriter();
  packed.number(docs.length);
  let last = 0;
  for (const [at, doc] of docs.entries()) {
    packed.number(doc - last);
    packed.number(files[at] as number);
    packed.number(lengths[at] as number);
    last = doc;
  }
  return packed.view();
}

/** Writes the rows of a segment one after the other, and then the segment itself. */
export class SegmentWriter {
  readonly #rows: Rows;
  readonly #first: number;
  #next: number;

  constructor(rows: Rows) {
    this.#rows = rows;
    // Ids are never used again, so that a reader can keep the rows.
    const last = rows.value<number>(`SELECT seq FROM sqlite_sequence WHERE name = 'text_rows'`) ?? 0;
    this.#first = last + 1;
    this.#next = this.#first;
  }

  row(data: Uint8Array): void {
    this.#rows.run('INSERT INTO text_rows (id, data) VALUES (?, ?)', this.#next++, data);
  }

  /** @param notes at least one */
  end(notes: SegmentNotes, directory: Uint8Array): void {
    const { docs } = notes;
    this.#rows.run(
      `INSERT INTO text_segments (first_row, row_count, first_doc, last_doc, note_count, notes, directory)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#first, this.#next - this.#first, docs[0] as number, docs.at(-1) as number, docs.length],
      ...[packNotes(notes), directory],
    );
  }
}

/** @param files the ids of the notes, in the order of their words */
export function writeWords(rows: Rows, words: PackedWords | undefined, files: readonly number[]): void {
  if ((words?.lengths.length ?? 0) !== files.length)
    throw new VaultgraphError('INTERNAL', { kind: 'words_of_other_notes' });
  if (words === undefined || files.length === 0) return;
  const { lengths, directory, rows: data, ends, vectors, vectorEnds } = words;
  const first = (rows.value<number>('SELECT max(last_doc) FROM text_segments') ?? 0) + 1;
  const docs = Int32Array.from(files, (_, at) => first + at);
  const writer = new SegmentWriter(rows);
  let from = 0;
  for (const end of ends) {
    writer.row(data.subarray(from, end));
    from = end;
  }
  writer.end({ docs, files: Int32Array.from(files), lengths }, directory);
  for (const [at, file] of files.entries()) {
    rows.run('INSERT INTO text_notes (file, doc) VALUES (?, ?)', file, docs[at] as number);
    const vector = vectors.subarray(vectorEnds[at - 1] ?? 0, vectorEnds[at]);
    if (vector.length > 0) rows.run('INSERT INTO term_vectors (file, terms) VALUES (?, ?)', file, vector);
  }
}

/** The words of the file are no longer found. They stay in their segment until it is merged with others. */
export function deleteWords(rows: Rows, file: number): void {
  const [note] = rows.checked<{ doc: number }>('SELECT * FROM text_notes WHERE file = ?', file);
  if (note === undefined) return;
  rows.run('DELETE FROM text_notes WHERE file = ?', file);
  rows.run('DELETE FROM term_vectors WHERE file = ?', file);
  rows.run('INSERT INTO text_dead (doc) VALUES (?)', note.doc);
}
