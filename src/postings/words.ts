// Splits texts and query terms into the words of the text index.
import type { TextTerm } from '../contracts/text-query.ts';
import { foldText, WORD_CHARACTERS } from '../markdown/excerpt/fold-text.ts';
import { hasUnspacedScript, UNSPACED_CLUSTERS } from '../markdown/excerpt/term-matches.ts';
import { MAYBE_UNSPACED } from '../markdown/excerpt/terms.ts';

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
const WORD_CHARACTER = /[\p{L}\p{N}\p{Co}]/u;
/** Only the beginning of a longer word is indexed and searched for. */
const MAX_WORD_BYTES = 255;

/**
 * The folded words of a text, in their order. In scripts that are written without spaces every letter with its marks is a word of
 * its own.
 */
export function wordsOf(text: string): string[] {
  const folded = foldText(text);
  const isUnspaced = MAYBE_UNSPACED.test(folded) && hasUnspacedScript(folded);
  const spaced = isUnspaced ? folded.replace(UNSPACED_CLUSTERS, ' $& ') : folded;
  return spaced.match(WORDS) ?? [];
}

/** The length of the indexed part of a word in UTF-8; no character is cut. */
export function cutLength(word: Uint8Array, length: number): number {
  if (length <= MAX_WORD_BYTES) return length;
  let end = MAX_WORD_BYTES;
  while (((word[end] as number) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** What a term looks for: words next to each other, in UTF-8. */
export interface SoughtWords {
  readonly words: readonly Uint8Array[];
  /** Whether the last word may be the beginning of a longer one. */
  readonly isPrefix: boolean;
}

const encoder = new TextEncoder();

/** Undefined if the text of the term has no word. */
export function soughtWords({ text, kind }: Pick<TextTerm, 'text' | 'kind'>): SoughtWords | undefined {
  const words = WORD_CHARACTER.test(text) ? wordsOf(text).map(encodeWord) : [];
  return words.length === 0 ? undefined : { words, isPrefix: kind === 'prefix' };
}

function encodeWord(word: string): Uint8Array {
  const bytes = encoder.encode(word);
  return bytes.subarray(0, cutLength(bytes, bytes.length));
}
