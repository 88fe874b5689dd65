// Parses a batch of files for the index, and packs their words.
import { EMPTY_NOTE } from '../base/note.ts';
import type { PackedWords } from '../contracts/change-set.ts';
import { packWords } from '../postings/word-collector.ts';
import { type FileToParse, type ParsedFile, parseFiles, type RefusedFile } from './parse-files.ts';

/** A parsed file without its text, which no other thread needs. */
export type IndexRow = Omit<ParsedFile, 'text'> | Omit<RefusedFile, 'text'>;

export interface IndexedBatch {
  /** One per file, in the given order. */
  readonly rows: readonly IndexRow[];
  readonly words: PackedWords;
}

/** A file that cannot be parsed is indexed by its words. */
export function indexFiles(files: readonly FileToParse[]): IndexedBatch {
  const parsed = parseFiles(files);
  const words = packWords(
    parsed.map((row) => ({ path: row.path, text: row.text, parsed: 'parsed' in row ? row.parsed : EMPTY_NOTE })),
  );
  return { rows: parsed.map(({ text, ...row }) => row), words };
}

export function buffersOfWords({ words }: IndexedBatch): ArrayBuffer[] {
  const { lengths, directory, rows, ends, vectors, vectorEnds } = words;
  return [lengths, directory, rows, ends, vectors, vectorEnds].map(({ buffer }) => buffer as ArrayBuffer);
}
