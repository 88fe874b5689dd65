// The steps before a tokenizer's model that the tokenizer library does otherwise than the reference: normalizers and pre-tokenizers.
import { createCharsmap } from './charsmap.ts';

/** One step as tokenizer.json describes it. */
export type Step = { readonly type?: string } & Readonly<Record<string, unknown>>;
export type Normalize = (text: string) => string;
/** @param isFirst whether the text begins the input */
export type PreTokenize = (text: string, isFirst: boolean) => readonly string[];

/** The library composes the characters of every text instead (NFKC), which puts vowel signs into another order. */
const precompiled = ({ precompiled_charsmap: table }: Step): Normalize =>
  typeof table === 'string' && table !== '' ? createCharsmap(table) : (text) => text;

/** Character by character: the library writes a Greek word's last letter otherwise than the others. */
const lowercase: Normalize = (text) => text.replaceAll('Σ', 'σ').toLowerCase();

const UNUSABLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\0\ufffd]/gu;
/** Also those in planes above the first, and the gap from 2B820 to 2B91F, as in the reference. */
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

/** The accents are removed before the letters are made small. */
function bert({ clean_text, handle_chinese_chars, lowercase: small, strip_accents }: Step): Normalize {
  return (text) => {
    const clean = clean_text ? text.replace(UNUSABLE, '').replace(/\p{White_Space}/gu, ' ') : text;
    const spaced = handle_chinese_chars ? clean.replace(IDEOGRAPH, ' $& ') : clean;
    const plain = (strip_accents ?? small) ? spaced.normalize('NFD').replace(/\p{Mn}/gu, '') : spaced;
    return small ? lowercase(plain) : plain;
  };
}

const isSpace = (text: string, at: number): boolean => /\p{White_Space}/u.test(text.charAt(at));

function strip({ strip_left, strip_right }: Step): Normalize {
  return (text) => {
    let [from, to] = [0, text.length];
    while (strip_left && from < to && isSpace(text, from)) from += 1;
    while (strip_right && to > from && isSpace(text, to - 1)) to -= 1;
    return text.slice(from, to);
  };
}

export const NORMALIZERS: Readonly<Record<string, (step: Step) => Normalize>> = {
  Precompiled: precompiled,
  BertNormalizer: bert,
  Lowercase: () => lowercase,
  Strip: strip,
};

/** Whether two neighbours are one piece, of which `true` matches the pattern. */
const JOINED: Readonly<Record<string, (left: boolean, right: boolean) => boolean>> = {
  MergedWithPrevious: (left, right) => right && !left,
  MergedWithNext: (left, right) => left && !right,
  Contiguous: (left, right) => left === right,
};

export function splitText(text: string, pattern: RegExp, behavior: string, invert = false): string[] {
  const parts: { readonly text: string; readonly matches: boolean }[] = [];
  let end = 0;
  const add = (to: number, matches: boolean): void => {
    if (to > end) parts.push({ text: text.slice(end, to), matches: matches !== invert });
    end = to;
  };
  for (const match of text.matchAll(pattern)) {
    add(match.index, false);
    add(match.index + match[0].length, true);
  }
  add(text.length, false);
  if (behavior === 'Removed') return parts.filter(({ matches }) => !matches).map((part) => part.text);
  const pieces: string[] = [];
  for (const [at, part] of parts.entries()) {
    const left = parts[at - 1];
    if (left && JOINED[behavior]?.(left.matches, part.matches)) pieces.push(`${pieces.pop()}${part.text}`);
    else pieces.push(part.text);
  }
  return pieces;
}

/** The library keeps words together, so that the sums of their scores are rounded otherwise. */
function metaspace(step: Step): PreTokenize {
  const mark = String(step.replacement ?? '▁');
  const scheme = step.prepend_scheme ?? (step.add_prefix_space === false ? 'never' : 'always');
  const pattern = new RegExp(`\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`, 'gu');
  return (text, isFirst) => {
    const marked = text.replaceAll(' ', mark);
    const begins = scheme === 'always' || (scheme === 'first' && isFirst);
    const whole = begins && !marked.startsWith(mark) ? mark + marked : marked;
    return step.split === false ? [whole] : splitText(whole, pattern, 'MergedWithNext');
  };
}

const SPACES = /\p{White_Space}+/gu;
const WORDS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/gu;
const NUMERALS = /\p{N}/gu;

/** Those of the library know fewer or other spaces, digits and letters, and not all behaviors. */
export const PRE_TOKENIZERS: Readonly<Record<string, (step: Step) => PreTokenize>> = {
  Metaspace: metaspace,
  WhitespaceSplit: () => (text) => splitText(text, SPACES, 'Removed'),
  Whitespace: () => (text) => splitText(text, WORDS, 'Removed', true),
  BertPreTokenizer: () => (text) =>
    splitText(text, SPACES, 'Removed').flatMap((word) => splitText(word, PUNCTUATION, 'Isolated')),
  Digits: (step) => (text) => splitText(text, NUMERALS, step.individual_digits ? 'Isolated' : 'Contiguous'),
  Punctuation: (step) => (text) => splitText(text, PUNCTUATION, String(step.behavior ?? 'Isolated')),
};
