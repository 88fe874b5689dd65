// Parses a batch of files for the index, and packs their words.
import { EMPTY_NOTE, type ParsedNote } from '../base/note.ts';
import type { PackedWords } from '../contracts/change-set.ts';
import { packNotes } from '../markdown/parse/packed-notes.ts';
import { packWords } from '../postings/word-collector.ts';
import { type FileToParse, type ParsedFile, type ParseRow, parseFiles, type RefusedFile } from './parse-files.ts';

/** A file without its text and what it holds, which the thread that asks does not need. */
export type IndexRow =
  | (Omit<ParsedFile, 'text' | 'parsed'> & Pick<ParsedNote, 'propertiesFault'>)
  | Omit<RefusedFile, 'text'>;

export interface IndexedBatch {
  /** One per file, in the given order. */
  readonly rows: readonly IndexRow[];
  /** The note as in a set of changes; nothing for a file that cannot be parsed. */
  readonly parsed: Uint8Array;
  readonly words: PackedWords;
}

/** A file that cannot be parsed is indexed by its words. */
export function indexFiles(files: readonly FileToParse[]): IndexedBatch {
  const { notes, ...batch } = parseAndPack(files);
  return { ...batch, words: packWords(notes) };
}

/** Of a note with a million links, these are the most: they are packed, and gone before the words are collected. */
function parseAndPack(files: readonly FileToParse[]) {
  const read = parseFiles(files).map((row) => ({ row, parsed: 'parsed' in row ? row.parsed : EMPTY_NOTE }));
  return {
    rows: read.map(({ row }) => indexRow(row)),
    parsed: packNotes(read.map(({ parsed }) => parsed)),
    notes: read.map(({ row: { path, text }, parsed }) => ({ path, text, parsed: { ...parsed, links: [] } })),
  };
}

function indexRow(row: ParseRow): IndexRow {
  if (!('parsed' in row)) {
    const { text: _, ...refused } = row;
    return refused;
  }
  const { path, hash, encoding, parsed } = row;
  const { propertiesFault } = parsed;
  return { path, hash, encoding, ...(propertiesFault && { propertiesFault }) };
}
