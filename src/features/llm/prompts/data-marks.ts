// Text of notes between marks that it cannot forge.
import { contentHash } from '../../../base/content-hash.ts';

const MARK_DIGITS = 16;
const LOOKALIKE = /<(?=\s*\/?\s*data-)/giu;
const HARMLESS = '\u2039';

/**
 * Each text in a pair of marks with its number, from 1. The marks are made of the hash of all the texts: the same texts have the
 * same marks, and a text that held them would have others. What only looks like a mark is written with another sign.
 */
export function asData(texts: readonly string[]): string {
  const mark = `data-${contentHash(Buffer.from(JSON.stringify(texts))).slice(0, MARK_DIGITS)}`;
  return texts
    .map((text, at) => `<${mark} n="${at + 1}">\n${text.replace(LOOKALIKE, HARMLESS)}\n</${mark}>`)
    .join('\n');
}

/** What the marks of one text take up of a prompt, in tokens, on the safe side. */
export const MARK_TOKENS = 64;
