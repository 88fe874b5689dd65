// The text of a file as its user sees it: what is searched, compared, embedded, shown and read.
import { partitionPoint } from '../../base/binary-search.ts';
import { currentDialect, fileKindOf, type Heading, type NotePath } from '../../base/note.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { hiddenProperties } from '../properties/page-properties.ts';
import { scanBlocks } from './blocks.ts';
import { canvasOutline } from './canvas-outline.ts';
import { lineCountOf, splitLines } from './lines.ts';
import { isMdx, mdxCode, parseContent } from './parse-content.ts';
import { baseTexts, blankData, type PluginData, pluginData, withoutData, withoutOverlaps } from './plugin-data.ts';
import { blankDataUris, withoutDataUris } from './text-run.ts';

/** What of the lines of a file its user does not see as text. */
export function hiddenData(path: string, text: string): readonly PluginData[] {
  const kind = fileKindOf(path);
  if (kind === 'note') {
    const others = [...(isMdx(path) ? mdxCode(text) : []), ...marksOfLogseq(text)];
    return others.length === 0 ? pluginData(text) : withoutOverlaps([...pluginData(text), ...others]);
  }
  return kind === 'base' ? [{ from: 0, to: text.length, kind: 'settings', texts: baseTexts(text) }] : [];
}

/** Signs of what Logseq writes for itself. */
const OF_LOGSEQ = /::|:LOGBOOK:/;

function marksOfLogseq(text: string): readonly PluginData[] {
  if (currentDialect() !== 'logseq' || !OF_LOGSEQ.test(text)) return [];
  const lines = splitLines(text);
  // Its blocks may be indented as code is elsewhere.
  const { fences } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const isCode = (at: number): boolean => {
    const fence = fences[partitionPoint(fences.length, (index) => (fences[index]?.endLine ?? 0) < at)];
    return fence !== undefined && fence.line <= at;
  };
  const spans = hiddenProperties(text, lines, isCode);
  return spans.map((span) => ({ ...span, kind: 'mark', texts: [] }));
}

/** The lines that references count: those of the outline of a canvas, and of any other file as it is written. */
function linesOfFile(path: string, text: string): string {
  return fileKindOf(path) === 'canvas' ? canvasOutline(text).text : text;
}

export const lineCountOfFile = (path: string, text: string): number => lineCountOf(linesOfFile(path, text));

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
