// Folds text to the form in which words are compared: in the full-text index, in queries, in highlights and in suggestions.
import { partitionPoint } from '../../base/binary-search.ts';

/** The characters of a word, for a regex character class. Marks stay with their letter. */
export const WORD_CHARACTERS = String.raw`\p{L}\p{M}\p{N}\p{Co}`;

const BEYOND_ASCII = /[^\0-\x7F]/;
/** Characters that folding only puts in lower case. */
export const PLAIN_CHARACTERS = [
  String.raw`\0-\x7F\u2013\u2014\u2018-\u201F`, // ASCII, dashes and quotes
  String.raw`\u0391-\u03A1\u03A4-\u03A9\u03B1-\u03C1\u03C3-\u03C9`, // Greek, without sigmas and accents
  String.raw`\u0402-\u0450\u0452-\u0481\u048A-\u048F\u0492-\u052F`, // Cyrillic, without io and ghe with upturn
  String.raw`\u05D0-\u05EA\u0627\u0628\u062A-\u063A\u0641-\u0648\u064A\u0E01-\u0E30`, // Hebrew, Arabic and Thai, without marks
  String.raw`\u3001-\u3020\u3041-\u3096\u30A1-\u30FA\u3400-\u9FFF\uAC00-\uD7A3`, // Chinese, Japanese, Korean
].join('');
/**
 * What is folded at once: a character, with a joiner that only shapes it, the voiced mark of a half-width kana, the sign that joins a
 * nasal to the next Hindi consonant, or the second half of a Thai or Lao vowel. Without the flag `u`, and with one class in front, a
 * text is searched in a third of the time.
 */
const PART = new RegExp(
  String.raw`[^${PLAIN_CHARACTERS}](?:(?<=[\u0900-\u0DFF])[\u200C\u200D]+|(?<=[\uFF66-\uFF9D])[\uFF9E\uFF9F]|(?<=[\u0919\u091E\u0923\u0928\u092E])\u094D(?=[\u0915-\u092E])|(?<=\u0E4D)\u0E32|(?<=\u0ECD)\u0EB2|(?<=[\uD800-\uDBFF])[\uDC00-\uDFFF])?`,
  'g',
);
const DROPPED = new RegExp(
  `[${[
    String.raw`\u0300-\u036F`, // accents
    String.raw`\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7`, // Hebrew points
    String.raw`\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08D3-\u08FF`, // Arabic vowel signs, tatweel
    String.raw`\u055B\u055C\u055E`, // Armenian signs inside of a word
    String.raw`\u093C\u0A3C`, // dots of Hindi and Punjabi letters
    String.raw`\u00AD\u200D\u2060\uFEFF\u20D0-\u20F0\uFE00-\uFE0F\u{E0100}-\u{E01EF}`, // soft hyphens, joiners, enclosing marks, variation selectors
  ].join('')}]`,
  'gu',
);
/** A letter to a reader, whose compatibility form is a mark and a letter, and signs whose form is letters. */
const AS_WRITTEN = /[\u0E33\u0EB3\u2120\u2122]/;
const ACCENTED = /[\p{sc=Latin}\p{sc=Greek}]/u;
/** Letters that are written for each other, and letters without an accent that Unicode could take off. */
const SAME: readonly (readonly [letters: string, form: string])[] = [
  ['ς', 'σ'],
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['þ', 'th'],
  ['ø', 'o'],
  ['ı', 'i'],
  ['ł', 'l'],
  ['đðɗ', 'd'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ə', 'e'],
  ['ɓ', 'b'],
  ['ƙ', 'k'],
  ['\u02BB\u02BC\u02BE\u02BF', '’'],
  ['ё', 'е'],
  ['ґ', 'г'],
  ['\u0623\u0625\u0622\u0671', '\u0627'], // alef
  ['\u0624', '\u0648'], // waw
  ['\u0626\u0649\u06CC', '\u064A'], // yeh of Arabic, Persian and Urdu
  ['\u06A9', '\u0643'], // kaf of Persian and Urdu
  ['\u0629\u06C0\u06C1\u06C2\u06C3', '\u0647'], // teh marbuta, and heh of Urdu
  ['\u05F0', '\u05D5\u05D5'], // Yiddish pairs
  ['\u05F1', '\u05D5\u05D9'],
  ['\u05F2', '\u05D9\u05D9'],
  ['\u0901', '\u0902'], // signs of nasals in Hindi
  ['\u0D7A', '\u0D23\u0D4D'], // Malayalam letters without a vowel
  ['\u0D7B', '\u0D28\u0D4D'],
  ['\u0D7C', '\u0D30\u0D4D'],
  ['\u0D7D', '\u0D32\u0D4D'],
  ['\u0D7E', '\u0D33\u0D4D'],
];
/** Seven letters each of Amharic that sound like seven others. */
const SAME_SEVEN: readonly (readonly [first: number, same: number])[] = [
  [0x1210, 0x1200],
  [0x1280, 0x1200],
  [0x1220, 0x1230],
  [0x12d0, 0x12a0],
  [0x1340, 0x1338],
];
const FORMS = new Map([
  ...SAME.flatMap(([letters, form]) => [...letters].map((letter) => [letter, form] as const)),
  ...SAME_SEVEN.flatMap(([first, same]) =>
    [0, 1, 2, 3, 4, 5, 6].map((at) => [String.fromCharCode(first + at), String.fromCharCode(same + at)] as const),
  ),
]);
const LETTER = new RegExp(`[${[...FORMS.keys()].join('')}]`, 'gu');
/** Parts of several characters that are written for one. */
const SEQUENCES: readonly (readonly [RegExp, string])[] = [
  [/^[\u0919\u091E\u0923\u0928\u092E]\u094D$/, '\u0902'],
  [/^\u0E4D\u0E32$/, '\u0E33'],
  [/^\u0ECD\u0EB2$/, '\u0EB3'],
];
const DIGIT = /\p{Nd}/u;

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
  const cached = knownParts.get(part);
  if (cached !== undefined) return cached;
  if (knownParts.size >= MAX_KNOWN_PARTS) knownParts.clear();
  const whole = SEQUENCES.find(([sequence]) => sequence.test(part))?.[1] ?? part;
  const lower = (AS_WRITTEN.test(whole) ? whole : whole.normalize('NFKC')).toLowerCase();
  const plain = (ACCENTED.test(lower) ? lower.normalize('NFD') : lower).replace(DROPPED, '');
  const folded = plain.replace(LETTER, (letter) => FORMS.get(letter) ?? letter);
  const counted = DIGIT.test(folded) ? plainDigit(folded) : folded;
  knownParts.set(part, counted);
  return counted;
}

/** The digits of each script begin at a code that ends in 0 or 6. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const first = code - (code & 0xf);
  const zero = DIGIT.test(String.fromCodePoint(first)) ? first : first + 6;
  return [...digit].length === 1 ? String(code - zero) : digit;
}
