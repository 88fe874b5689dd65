// Folds the units of a text one by one where that gives the same words as folding the whole text.
import { foldText, WORD_CHARACTERS } from '../markdown/excerpt/fold-text.ts';
import { hasUnspacedScript } from '../markdown/excerpt/term-matches.ts';

const ONLY_WORD = new RegExp(`^[${WORD_CHARACTERS}]+$`, 'u');
const SOME_WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');
/**
 * Latin, Greek and Cyrillic letters, signs, and the punctuation and wide letters of Chinese and Japanese: none of them combines with
 * its neighbours.
 */
const ALONE =
  /[\0-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20AC\u2190-\u2BFF\u3000-\u3020\u30FB-\u30FE\uFF01-\uFF5E]/;
/** The letters of Chinese, Japanese and Korean, first and last, which folding leaves as they are. */
const LETTERS = ['\u3041\u3096', '\u30A1\u30FA', '\u3400\u4DBF', '\u4E00\u9FFF', '\uAC00\uD7A3'];

/** The value of a unit that is apart from words. */
export const APART = 0;
/** A unit with a folded form beyond ASCII has this and the number of the form. Lower values are forms in ASCII. */
export const BEYOND_ASCII = 128;
/** The value of a unit that is a word by itself, three bytes in UTF-8. */
export const OWN_WORD = 0xfffe;
/** The value of a unit that cannot be folded by itself. */
const NEEDS_CONTEXT = 0xffff;

export interface FoldedUnits {
  /** By UTF-16 unit. */
  readonly folded: Uint16Array;
  /** The folded forms beyond ASCII, in UTF-8. */
  readonly forms: readonly Uint8Array[];
}

let units: FoldedUnits | undefined;

/** Made when it is needed first: it takes some milliseconds. */
export function foldedUnits(): FoldedUnits {
  units ??= foldUnits();
  return units;
}

function foldUnits(): FoldedUnits {
  const folded = new Uint16Array(1 << 16).fill(NEEDS_CONTEXT);
  const forms: Uint8Array[] = [];
  const encoder = new TextEncoder();
  for (const [first, last] of LETTERS) folded.fill(OWN_WORD, first?.charCodeAt(0), (last?.charCodeAt(0) ?? 0) + 1);
  for (let unit = 0; unit < folded.length; unit++) {
    const character = String.fromCharCode(unit);
    const form = folded[unit] === NEEDS_CONTEXT && ALONE.test(character) ? foldText(character) : '';
    if (form === '') continue;
    const bytes = encoder.encode(form);
    if (!SOME_WORD.test(form)) folded[unit] = APART;
    else if (hasUnspacedScript(form)) folded[unit] = form === character ? OWN_WORD : NEEDS_CONTEXT;
    else if (ONLY_WORD.test(form)) {
      folded[unit] = bytes.length === 1 ? (bytes[0] as number) : BEYOND_ASCII + forms.push(bytes) - 1;
    }
  }
  return { folded, forms };
}
