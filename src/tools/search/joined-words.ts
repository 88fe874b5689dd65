// Takes words that hyphens and apostrophes join apart, because notes often have only some of them.
import { WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';

const WORD = `[${WORD_CHARACTERS}]+`;
const JOINT = String.raw`['’ʼ\u2010-\u2015-]`;
/** Only such words, with punctuation around them: addresses, paths and dotted names are read as they are. */
const JOINED = new RegExp(`^[^${WORD_CHARACTERS}]*(${WORD}(?:${JOINT}${WORD})+)[^${WORD_CHARACTERS}]*$`, 'u');
const JOINTS = new RegExp(JOINT, 'u');
/** `don't`, `they're`: the parts say something else than the whole. */
const CONTRACTION = /^\p{L}+['’](?:t|re|ve|ll|m|d)$/iu;
const NUMBER = /^\p{N}+$/u;
/** `l'eau`, `e-mail`: a letter alone is in every note. */
const LETTER = /^\p{L}\p{M}*$/u;

/** The parts to look for; the text itself if there is only one. A number stays with the word or number before it. */
export function partsOfJoined(text: string): readonly string[] {
  const [, joined] = JOINED.exec(text.normalize('NFC')) ?? [];
  if (joined === undefined || CONTRACTION.test(joined)) return [text];
  const parts: string[] = [];
  for (const part of joined.split(JOINTS)) {
    const before = parts.at(-1);
    if (before !== undefined && NUMBER.test(part)) parts[parts.length - 1] = `${before}-${part}`;
    else parts.push(part);
  }
  const telling = parts.filter((part) => !LETTER.test(part));
  return telling.length < parts.length && telling.length > 0 ? telling : parts.length > 1 ? parts : [text];
}
