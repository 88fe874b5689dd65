// Chooses one sentence of a note that says something, always the same one.
import { sizeOf } from '../chunk/text-size.ts';
import { splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { sentenceAround } from './sentence.ts';

/** Where in the body a sentence is looked for, in this order. */
const PLACES = [0.5, 0.25, 0.75, 0.1, 0.9];
const MAX_CHARS = 300;
/** A shorter text could be from any note. */
const MIN_TOKENS = 8;
/** Less are numbers, links and code. */
const MIN_LETTERS = 0.6;
/** Longer notes are not read to their end. */
const MAX_READ = 20_000;
const MARKS = /[*_=~`#|[\]]+|\(https?:[^)]*\)|https?:\S+/g;

/** Undefined if none is found at a few places of the text. */
export function sampleSentence(written: string): string | undefined {
  const text = written.slice(0, MAX_READ).toWellFormed();
  const { bodyOffset } = bodyStart(text, splitLines(text));
  const length = text.length - bodyOffset;
  for (const share of PLACES) {
    const at = bodyOffset + Math.floor(length * share);
    const word = /\p{L}{2,}/u.exec(text.slice(at));
    if (word === null) continue;
    const from = at + word.index;
    const sentence = sentenceAround(text, from, from + word[0].length, MAX_CHARS)
      .replace(MARKS, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    if (saysSomething(sentence)) return sentence;
  }
  return undefined;
}

function saysSomething(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return sizeOf(sentence).tokens >= MIN_TOKENS && letters >= sentence.length * MIN_LETTERS;
}
