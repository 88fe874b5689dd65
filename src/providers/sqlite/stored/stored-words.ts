// Reads the words of indexed files back from the segments of the text index.
import type { PackedWords } from '../../../contracts/change-set.ts';
import { splitWords } from '../../../postings/one-note-words.ts';
import type { Rows } from '../database/rows.ts';
import { segmentRow, storedNotes } from '../texts/segment-rows.ts';

export interface FileWords {
  readonly file: number;
  readonly words: PackedWords;
}

/** Those of one segment after another, without those that are no longer of a file. */
export function* storedWords(rows: Rows): Iterable<readonly FileWords[]> {
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
