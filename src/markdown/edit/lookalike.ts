// Finds a text that differs from another one only in characters that look the same, and names them.

interface LookalikeClass {
  readonly name: string;
  readonly fold: (text: string) => string;
}

const CLASSES: readonly LookalikeClass[] = [
  { name: 'no-break spaces (U+00A0)', fold: (text) => text.replaceAll('\u00a0', ' ') },
  { name: 'narrow no-break spaces (U+202F)', fold: (text) => text.replaceAll('\u202f', ' ') },
  { name: 'other spaces', fold: (text) => text.replace(/[\u2000-\u200a\u205f\u3000\t]/g, ' ') },
  { name: 'zero-width characters', fold: (text) => text.replace(/[\u200b-\u200d\u2060\ufeff]/g, '') },
  { name: 'soft hyphens (U+00AD)', fold: (text) => text.replaceAll('\u00ad', '') },
  {
    name: 'curly quotes',
    fold: (text) => text.replace(/[\u2018\u2019\u201b]/g, "'").replace(/[\u201c\u201d\u201f]/g, '"'),
  },
  { name: 'dashes', fold: (text) => text.replace(/[\u2010-\u2015\u2212]/g, '-') },
  { name: 'ellipses (U+2026)', fold: (text) => text.replaceAll('\u2026', '...') },
  { name: 'Unicode composition (NFC and NFD)', fold: (text) => text.normalize('NFC') },
];

export interface Lookalike {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** What differs. */
  readonly differs_in: readonly string[];
}

const MAX_SHOWN_LENGTH = 300;

/** The first line with such a text; undefined if there is none, or the text itself is there. */
export function findLookalike(text: string, sought: string): Lookalike | undefined {
  const clean = sought.replace(/\r\n?/g, '\n').trim();
  if (clean === '' || text.includes(clean)) return undefined;
  const folded = foldAll(text.replace(/\r\n?/g, '\n'));
  const target = foldAll(clean);
  const at = target === '' ? -1 : folded.indexOf(target);
  if (at === -1) return undefined;
  const line = folded.slice(0, at).split('\n').length;
  const lines = text.split(/\r\n|\r|\n/).slice(line - 1, line - 1 + target.split('\n').length);
  const shown = lines.join('\n');
  const differs_in = CLASSES.filter((each) => !foldAll(shown, each).includes(foldAll(clean, each))).map(
    ({ name }) => name,
  );
  return { line, text: (lines[0] ?? '').trim().slice(0, MAX_SHOWN_LENGTH).toWellFormed(), differs_in };
}

/** @param except a class that is not folded */
function foldAll(text: string, except?: LookalikeClass): string {
  return CLASSES.filter((each) => each !== except).reduce((folded, { fold }) => fold(folded), text);
}
