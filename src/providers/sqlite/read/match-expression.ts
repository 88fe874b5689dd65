// Writes a full-text query so that the engine reads every word of it literally.
import type { TextTerm } from '../../../contracts/store.ts';
import { holdsWord, spacedText } from '../write/spaced-text.ts';

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
