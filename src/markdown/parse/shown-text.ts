// The text of a file as its user sees it: what is searched, compared, embedded, shown and read.
import { fileKindOf, type Heading, type NotePath } from '../../base/note.ts';
import { canvasOutline } from './canvas-outline.ts';
import { lineCountOf } from './lines.ts';
import { parseContent } from './parse-content.ts';
import { baseTexts, blankData, type PluginData, pluginData, withoutData } from './plugin-data.ts';
import { blankDataUris, withoutDataUris } from './text-run.ts';

/** What of the lines of a file its user does not see as text. */
export function hiddenData(path: string, text: string): readonly PluginData[] {
  const kind = fileKindOf(path);
  if (kind === 'note') return pluginData(text);
  return kind === 'base' ? [{ from: 0, to: text.length, kind: 'settings', texts: baseTexts(text) }] : [];
}

/** The lines that references count: those of the outline of a canvas, and of any other file as it is written. */
export function linesOfFile(path: string, written: string): string {
  return fileKindOf(path) === 'canvas' ? canvasOutline(written).text : written;
}

export const lineCountOfFile = (path: string, written: string): number => lineCountOf(linesOfFile(path, written));

/** With blanks instead of what is hidden and of embedded files, so that every offset stays the same; of a canvas its outline. */
export function shownText(path: string, written: string): string {
  const text = linesOfFile(path, written);
  return blankDataUris(blankData(text, hiddenData(path, text)));
}

/** For words, chunks and passages: without either. Line numbers stay the same, offsets do not. */
export function shownWords(path: string, written: string): string {
  const text = linesOfFile(path, written);
  return withoutDataUris(withoutData(text, hiddenData(path, text)));
}

const FORMS = { text: shownText, words: shownWords, lines: linesOfFile };

/** `text` and `words` as the functions of this file make them; `lines`: with the data of plugins; `written`: as the file has it. */
export type ShownForm = keyof typeof FORMS | 'written';

export interface FileToShow {
  readonly path: string;
  readonly text: string;
  readonly as: ShownForm;
}

export function shownAs({ path, text, as }: FileToShow): string {
  return as === 'written' ? text : FORMS[as](path, text);
}

/** Those that are not part of the data of a plugin. */
export function shownHeadings(path: NotePath, written: string): readonly Heading[] {
  const { headings } = parseContent(path, written);
  const text = shownText(path, written);
  return headings.filter(({ offset }) => text.charAt(offset) !== ' ');
}
