// Makes every character of a script written without blanks a word of its own, for text and query alike.
import type { TextTerm } from '../../../contracts/store.ts';
import { hasUnspacedScript, UNSPACED_SCRIPTS } from '../../../markdown/excerpt/term-matches.ts';

/** Letters below these are of other scripts: most texts are known by it at once, without looking up scripts. */
const MAYBE_UNSPACED = /[\u0E00-\u1FFF\u2E80-\uFFFF]/;
const EVERY_UNSPACED = new RegExp(UNSPACED_SCRIPTS, 'gu');
const WORD_CHARACTER = /[\p{L}\p{N}\p{Co}]/u;

/** The text as the full-text index sees it: the same for equal texts, whichever normal form they are in. */
export function spacedText(text: string): string {
  return MAYBE_UNSPACED.test(text) && hasUnspacedScript(text)
    ? text.normalize('NFC').replace(EVERY_UNSPACED, ' $& ')
    : text;
}

/** Whether the index finds any word in it; punctuation alone holds none. */
export function holdsWord(text: string): boolean {
  return WORD_CHARACTER.test(text);
}

/** One term, quoted; undefined when its text holds no word. */
export function matchTerm({ text, kind }: Pick<TextTerm, 'text' | 'kind'>): string | undefined {
  if (!holdsWord(text)) return undefined;
  const quoted = `"${spacedText(text).replaceAll('\0', ' ').replaceAll('"', '""')}"`;
  return kind === 'prefix' ? `${quoted} *` : quoted;
}

/** All of it as one expression. `wanted` holds at least one quoted term. */
export function matchExpression(wanted: readonly string[], unwanted: readonly string[], mode: 'any' | 'all'): string {
  const positive = `(${wanted.join(mode === 'any' ? ' OR ' : ' AND ')})`;
  return unwanted.length === 0 ? positive : `${positive} NOT (${unwanted.join(' OR ')})`;
}
