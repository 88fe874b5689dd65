// Writes the words of indexed notes to the text index, as one segment of each set of changes.
import { VaultgraphError } from '../../../base/errors.ts';
import type { PackedWords } from '../../../contracts/change-set.ts';
import type { Rows } from '../database/rows.ts';
import { SegmentWriter } from './segment-rows.ts';

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
