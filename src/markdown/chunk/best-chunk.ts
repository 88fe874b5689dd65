// Finds the chunk of a note with the most words of a question.
import { findTerms, type Term } from '../excerpt/term-matches.ts';
import { chunkNote } from './chunks.ts';
import { chunkTokensFor } from './text-size.ts';

export interface ChunksToRate {
  readonly notes: readonly { readonly title: string; readonly text: string }[];
  readonly terms: readonly Term[];
}

/** For each note the first and last line of its best chunk, the first one of several; undefined for a note without text. */
export function bestChunks({ notes, terms }: ChunksToRate) {
  return notes.map(({ title, text }) => {
    const rated = chunkNote(title, text, chunkTokensFor(Number.POSITIVE_INFINITY)).map(({ lines, text: chunk }) => {
      const found = findTerms(chunk.normalize('NFC'), terms);
      return { lines, words: new Set(found.map(({ term }) => term)).size };
    });
    const [best] = rated.toSorted((one, other) => other.words - one.words);
    return best?.lines;
  });
}
