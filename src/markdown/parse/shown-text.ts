// The text of a file as its user sees it: what is searched, compared, embedded, shown and read.
import { fileKindOf } from '../../base/note.ts';
import { baseTexts, blankData, type PluginData, pluginData, withoutData } from './plugin-data.ts';
import { blankDataUris, withoutDataUris } from './text-run.ts';

/** What of a file its user does not see as text. */
export function hiddenData(path: string, text: string): readonly PluginData[] {
  const kind = fileKindOf(path);
  if (kind === 'note') return pluginData(text);
  return kind === 'base' ? [{ from: 0, to: text.length, kind: 'settings', texts: baseTexts(text) }] : [];
}

/** With blanks instead of what is hidden and of embedded files, so that every offset stays the same. */
export const shownText = (path: string, text: string): string => blankDataUris(blankData(text, hiddenData(path, text)));

/** For words, chunks and passages: without either. Line numbers stay the same, offsets do not. */
export const shownWords = (path: string, text: string): string =>
  withoutDataUris(withoutData(text, hiddenData(path, text)));
