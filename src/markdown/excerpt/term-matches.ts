// Finds the words of a query in a text, compared as in the full-text index.
import { foldText, foldWithOffsets, WORD_CHARACTERS } from './fold-text.ts';

/** The scripts that are written without spaces, as a regex character class. */
export const UNSPACED_SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const UNSPACED_SCRIPT = new RegExp(UNSPACED_SCRIPTS, 'u');
/**
 * A letter of those scripts with its marks, and in Khmer and Burmese with the letters below it: what a reader sees as one. It is a word
 * of its own, since no list of words is the same in every version of Node.
 */
export const UNSPACED_CLUSTERS = new RegExp(`${UNSPACED_SCRIPTS}(?:[\\u1039\\u17D2]${UNSPACED_SCRIPTS}|\\p{M})*`, 'gu');
const MARK = /\p{M}/u;
/** The signs after which Burmese and Khmer write the next letter below. */
const STACKING = /[\u1039\u17D2]/;

/**
 * `word` and `phrase` end at a word boundary, `prefix` anywhere; in scripts without spaces every letter with its marks is
 * a word.
 */
export interface Term {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
  /** Other words that are found as this term. */
  readonly forms?: readonly string[];
}

export interface TermMatch {
  /** The index of the term. */
  readonly term: number;
  readonly from: number;
  readonly to: number;
  /** Absent for the word itself. */
  readonly isForm?: true;
}

/** A very frequent word needs no more matches than this to choose a good one. */
const MAX_MATCHES = 500;
const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
const WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');

/** The matches of all terms in the order of the text, which must be in NFC. */
export function findTerms(text: string, terms: readonly Term[]): TermMatch[] {
  return termFinder(text)(terms);
}

/** The same for several searches of one text. */
export function termFinder(text: string): (terms: readonly Term[]) => TermMatch[] {
  const { folded, offsetOf } = foldWithOffsets(text);
  return (terms) => {
    const matches = terms.flatMap((term, index) => {
      const { words, forms } = soughtOf(term);
      return [...findWords(folded, words, term.kind, index), ...findForms(folded, forms, index)];
    });
    return matches
      .map((match) => ({ ...match, from: offsetOf(match.from), to: offsetOf(match.to) }))
      .sort((one, other) => one.from - other.from);
  };
}

/** What is looked for in a text: folded words, and forms by how they are found. */
interface SoughtTerm {
  readonly words: readonly string[];
  readonly forms: {
    /** Those of scripts without spaces, each as its words. */
    readonly unspaced: readonly (readonly string[])[];
    /** The others by how they begin: there can be many of them. */
    readonly alike: readonly (readonly [start: string, forms: ReadonlySet<string>])[];
  };
}

/** The same for each text that a term is looked for in. */
const knownTerms = new WeakMap<Term, SoughtTerm>();

function soughtOf(term: Term): SoughtTerm {
  const sought = knownTerms.get(term) ?? { words: wordsOf(term.text), forms: soughtForms(term.forms ?? []) };
  knownTerms.set(term, sought);
  return sought;
}

const wordsOf = (text: string): readonly string[] => foldText(text).match(WORDS) ?? [];

const SAME_START = 3;

function soughtForms(forms: readonly string[]): SoughtTerm['forms'] {
  const spaced = forms.filter((form) => !hasUnspacedScript(form));
  const alike = [...Map.groupBy(spaced, (form) => form.slice(0, SAME_START))];
  return {
    unspaced: forms.filter(hasUnspacedScript).map(wordsOf),
    alike: alike.map(([start, some]) => [start, new Set(some)]),
  };
}

function findWords(folded: string, words: readonly string[], kind: Term['kind'], index: number): TermMatch[] {
  const [first] = words;
  const matches: TermMatch[] = [];
  let from = first === undefined ? -1 : folded.indexOf(first);
  while (first !== undefined && from !== -1 && matches.length < MAX_MATCHES) {
    const to = startsWord(folded, from) ? matchEnd(folded, from, words, kind) : -1;
    if (to !== -1) matches.push({ term: index, from, to });
    from = folded.indexOf(first, to === -1 ? from + 1 : to);
  }
  return matches;
}

function findForms(folded: string, { unspaced, alike }: SoughtTerm['forms'], index: number): TermMatch[] {
  const matches = [
    ...unspaced.flatMap((words) => findWords(folded, words, 'word', index)),
    ...alike.flatMap(([start, forms]) => findAny(folded, start, forms, index)),
  ];
  return matches.map((match) => ({ ...match, isForm: true }));
}

/** @param forms folded words that begin with `start` */
function findAny(folded: string, start: string, forms: ReadonlySet<string>, index: number): TermMatch[] {
  const matches: TermMatch[] = [];
  for (let from = folded.indexOf(start); from !== -1 && matches.length < MAX_MATCHES; ) {
    let to = from + start.length;
    if (startsWord(folded, from)) {
      while (!endsWord(folded, to)) to += characterAt(folded, to).length;
      if (forms.has(folded.slice(from, to))) matches.push({ term: index, from, to });
    }
    from = folded.indexOf(start, to);
  }
  return matches;
}

/** The end of the words if they all follow each other without another word between them, or -1. */
function matchEnd(folded: string, from: number, words: readonly string[], kind: Term['kind']): number {
  let at = from;
  for (const [index, word] of words.entries()) {
    if (index > 0) at = nextWord(folded, at);
    if (!folded.startsWith(word, at)) return -1;
    at += word.length;
    const last = index === words.length - 1;
    if (!(last && kind === 'prefix') && !endsWord(folded, at)) return -1;
  }
  return at;
}

function nextWord(folded: string, from: number): number {
  let at = from;
  while (at < folded.length && !WORD.test(characterAt(folded, at))) at += 1;
  return at;
}

function startsWord(folded: string, at: number): boolean {
  const [before, first] = [folded.charAt(at - 1), characterAt(folded, at)];
  return !STACKING.test(before) && (isApart(before) || (hasUnspacedScript(first) && !MARK.test(first)));
}

function endsWord(folded: string, at: number): boolean {
  const [last, after] = [folded.charAt(at - 1), characterAt(folded, at)];
  if (MARK.test(after) || (STACKING.test(last) && hasUnspacedScript(after))) return false;
  return isApart(after) || hasUnspacedScript(last);
}

/** Whether a character never joins others to a longer word. */
function isApart(character: string): boolean {
  return character === '' || !WORD.test(character) || hasUnspacedScript(character);
}

function characterAt(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : '';
}

/** Whether the text contains a character of a script that is written without spaces. */
export function hasUnspacedScript(text: string): boolean {
  return UNSPACED_SCRIPT.test(text);
}
