// Folds the units of a text one by one where that gives the same words as folding the whole text.
import { foldText, WORD_CHARACTERS } from '../markdown/excerpt/fold-text.ts';

const ONLY_WORD = new RegExp(`^[${WORD_CHARACTERS}]+$`, 'u');
const SOME_WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');
/** Latin, Greek and Cyrillic letters, and punctuation: none of them combines with its neighbours. */
const ALONE = /[\0-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20AC]/;
const END = 0x20ad;

/** Of a unit that is apart from words. */
export const APART = 0;
/** Of a unit with a folded form beyond ASCII: this and the number of the form. Lower values are forms in ASCII. */
export const BEYOND_ASCII = 128;
/** Of a unit that cannot be folded by itself. */
export const NEEDS_CONTEXT = 0xffff;

export interface FoldedUnits {
  /** By UTF-16 unit. */
  readonly folded: Uint16Array;
  /** The folded forms beyond ASCII, in UTF-8. */
  readonly forms: readonly Uint8Array[];
}

let known: FoldedUnits | undefined;

/** Made when it is needed first: it takes some milliseconds. */
export function foldedUnits(): FoldedUnits {
  known ??= foldUnits();
  return known;
}

function foldUnits(): FoldedUnits {
  const folded = new Uint16Array(1 << 16).fill(NEEDS_CONTEXT);
  const forms: Uint8Array[] = [];
  const encoder = new TextEncoder();
  for (let unit = 0; unit < END; unit++) {
    const character = String.fromCharCode(unit);
    const form = ALONE.test(character) ? foldText(character) : '';
    if (form === '') continue;
    const bytes = encoder.encode(form);
    if (!SOME_WORD.test(form)) folded[unit] = APART;
    else if (ONLY_WORD.test(form)) {
      folded[unit] = bytes.length === 1 ? (bytes[0] as number) : BEYOND_ASCII + forms.push(bytes) - 1;
    }
  }
  return { folded, forms };
}
