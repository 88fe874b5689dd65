// Finds the words of a query in a text, compared as in the full-text index.

/** The scripts that are written without spaces, as a regex character class. */
export const UNSPACED_SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const UNSPACED_SCRIPT = new RegExp(UNSPACED_SCRIPTS, 'u');

/**
 * `word` and `phrase` end at a word boundary, `prefix` anywhere; in scripts without spaces every position is a
 * boundary.
 */
export interface Term {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
}

export interface TermMatch {
  /** The index of the term. */
  readonly term: number;
  readonly from: number;
  readonly to: number;
}

/** A very frequent word needs no more matches than this to choose a good one. */
const MAX_MATCHES = 500;
const WORDS = /[\p{L}\p{N}\p{Co}]+/gu;
const WORD = /[\p{L}\p{N}\p{Co}]/u;

/** The matches of all terms in the order of the text, which must be in NFC. */
export function findTerms(text: string, terms: readonly Term[]): TermMatch[] {
  const folded = foldText(text);
  const matches = terms.flatMap((term, index) => findTerm(folded, term, index));
  return matches.sort((one, other) => one.from - other.from);
}

/** Lower case and without Latin diacritics; every code unit keeps its offset. `text` must be in NFC. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  const kept = lower.length === text.length ? lower : text.replace(/[\s\S]/g, lowerUnit);
  return kept.replace(/[\u00C0-\u024F\u03C2\u1E00-\u1EFF]/g, baseLetter);
}

function lowerUnit(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.length === 1 ? lower : unit;
}

function baseLetter(letter: string): string {
  if (letter === 'ς') return 'σ';
  const base = letter.normalize('NFD').charAt(0);
  return base < '\u0080' ? base : letter;
}

function findTerm(folded: string, { text, kind }: Term, index: number): TermMatch[] {
  const words = foldText(text.normalize('NFC')).match(WORDS) ?? [];
  const [first] = words;
  const found: TermMatch[] = [];
  let from = first === undefined ? -1 : folded.indexOf(first);
  while (first !== undefined && from !== -1 && found.length < MAX_MATCHES) {
    const to = startsWord(folded, from) ? matchEnd(folded, from, words, kind) : -1;
    if (to !== -1) found.push({ term: index, from, to });
    from = folded.indexOf(first, to === -1 ? from + 1 : to);
  }
  return found;
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
  return isApart(folded.charAt(at - 1)) || hasUnspacedScript(characterAt(folded, at));
}

function endsWord(folded: string, at: number): boolean {
  return isApart(characterAt(folded, at)) || hasUnspacedScript(folded.charAt(at - 1));
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
