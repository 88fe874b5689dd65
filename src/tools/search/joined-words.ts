// Splits words joined by hyphens or apostrophes, because notes often contain only some of their parts.
import { WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';

const WORD = `[${WORD_CHARACTERS}]+`;
const JOINT = String.raw`['’ʼ\u2010-\u2015-]`;
/** Only such words, with punctuation around them: addresses, paths and dotted names are read as they are. */
const JOINED = new RegExp(`^[^${WORD_CHARACTERS}]*(${WORD}(?:${JOINT}${WORD})+)[^${WORD_CHARACTERS}]*$`, 'u');
const JOINTS = new RegExp(JOINT, 'u');
/** `don't`, `they're`: the parts do not have the meaning of the whole. */
const CONTRACTION = /^\p{L}+['’](?:t|re|ve|ll|m|d)$/iu;
const NUMBER = /^\p{N}+$/u;
/** `l'eau`, `e-mail`: a single letter matches too many notes. */
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
  const meaningful = parts.filter((part) => !LETTER.test(part));
  return meaningful.length < parts.length && meaningful.length > 0 ? meaningful : parts.length > 1 ? parts : [text];
}
