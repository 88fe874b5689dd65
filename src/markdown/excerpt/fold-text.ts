// Folds text to the form in which words are compared: in the full-text index, in queries, in highlights and in suggestions.
import { partitionPoint } from '../../base/binary-search.ts';

/** The characters of a word, for a regex character class. Marks stay with their letter. */
export const WORD_CHARACTERS = String.raw`\p{L}\p{M}\p{N}\p{Co}`;

const BEYOND_ASCII = /[^\0-\x7F]/;
/** Characters that folding only puts in lower case. */
export const PLAIN_CHARACTERS = [
  String.raw`\0-\x7F\u2013\u2014\u2018-\u201F`, // ASCII, dashes and quotes
  String.raw`\u0391-\u03A1\u03A4-\u03A9\u03B1-\u03C1\u03C3-\u03C9`, // Greek, without sigmas and accents
  String.raw`\u0400-\u0481\u048A-\u052F`, // Cyrillic
  String.raw`\u05D0-\u05EA\u0627-\u063A\u0641-\u064A\u0E01-\u0E30`, // Hebrew, Arabic and Thai, without marks
  String.raw`\u3001-\u3020\u3041-\u3096\u30A1-\u30FA\u3400-\u9FFF\uAC00-\uD7A3`, // Chinese, Japanese, Korean
].join('');
/**
 * What is folded at once: a character, with a joiner that only shapes it or the voiced mark of a half-width kana. Without the flag `u`,
 * and with one class in front, a text is searched in a third of the time.
 */
const PART = new RegExp(
  String.raw`[^${PLAIN_CHARACTERS}](?:(?<=[\u0900-\u0DFF])[\u200C\u200D]+|(?<=[\uFF66-\uFF9D])[\uFF9E\uFF9F]|(?<=[\uD800-\uDBFF])[\uDC00-\uDFFF])?`,
  'g',
);
const DROPPED = new RegExp(
  `[${[
    String.raw`\u0300-\u036F`, // accents
    String.raw`\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7`, // Hebrew points
    String.raw`\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08D3-\u08FF`, // Arabic vowel signs, tatweel
    String.raw`\u00AD\u200D\u2060\uFEFF\u20D0-\u20F0\uFE00-\uFE0F\u{E0100}-\u{E01EF}`, // soft hyphens, joiners, enclosing marks, variation selectors
  ].join('')}]`,
  'gu',
);
/** One letter to a reader; its compatibility form is a mark and a letter. */
const SARA_AM = /[\u0E33\u0EB3]/;
const LATIN = /\p{sc=Latin}/u;
const OTHER_FORMS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ß: 'ss',
  // Alef, waw and yeh with hamza or madda, and alef wasla.
  '\u0623': '\u0627',
  '\u0625': '\u0627',
  '\u0622': '\u0627',
  '\u0671': '\u0627',
  '\u0624': '\u0648',
  '\u0626': '\u064A',
};
const OTHER_FORM = new RegExp(`[${Object.keys(OTHER_FORMS).join('')}]`, 'gu');

/**
 * Lower case, one width (NFKC), without Latin accents, Arabic vowel signs and hamza, Hebrew points and characters that
 * are not seen. The length may change.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFC').replace(PART, foldPart).toLowerCase();
}

export interface FoldedText {
  readonly folded: string;
  /** The offset in the text of an offset in the folded text. */
  offsetOf(at: number): number;
}

/** The same, with the way back. @param text in NFC */
export function foldWithOffsets(text: string): FoldedText {
  /** Offsets in the folded text and in the text, after each part that changed its length. */
  const shifts: [folded: number, written: number][] = [];
  let growth = 0;
  const folded = text.replace(PART, (part: string, index: number) => {
    const form = foldPart(part);
    growth += form.length - part.length;
    const end = index + part.length;
    if (form.length !== part.length) shifts.push([end + growth, end]);
    return form;
  });
  return { folded: folded.toLowerCase(), offsetOf: (at) => offsetIn(shifts, at) };
}

/** After a part that became longer, no offset is beyond its end. */
function offsetIn(shifts: readonly (readonly [folded: number, written: number])[], at: number): number {
  const next = partitionPoint(shifts.length, (index) => (shifts[index]?.[0] ?? 0) <= at);
  const [folded, written] = shifts[next - 1] ?? [0, 0];
  return Math.min(written + at - folded, shifts[next]?.[1] ?? Number.POSITIVE_INFINITY);
}

const MAX_KNOWN_PARTS = 20_000;
const knownParts = new Map<string, string>();

function foldPart(part: string): string {
  const known = knownParts.get(part);
  if (known !== undefined) return known;
  if (knownParts.size >= MAX_KNOWN_PARTS) knownParts.clear();
  const lower = (SARA_AM.test(part) ? part : part.normalize('NFKC')).toLowerCase();
  const plain = (LATIN.test(lower) ? lower.normalize('NFD') : lower).replace(DROPPED, '');
  const folded = plain.replace(OTHER_FORM, (character) => OTHER_FORMS[character] ?? character);
  knownParts.set(part, folded);
  return folded;
}
