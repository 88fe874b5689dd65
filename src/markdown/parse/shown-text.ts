// The text of a file as its user sees it: what is searched, compared, embedded, shown and read.
import { partitionPoint } from '../../base/binary-search.ts';
import { currentDialect, fileKindOf, type Heading, type NotePath } from '../../base/note.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { hiddenProperties } from '../properties/page-properties.ts';
import { scanBlocks } from './blocks.ts';
import { canvasOutline } from './canvas-outline.ts';
import { lineCountOf, splitLines } from './lines.ts';
import { parseContent } from './parse-content.ts';
import { baseTexts, blankData, type PluginData, pluginData, withoutData, withoutOverlaps } from './plugin-data.ts';
import { blankDataUris, type Span, withoutDataUris } from './text-run.ts';

/** What of the lines of a file its user does not see as text. */
export function hiddenData(path: string, text: string): readonly PluginData[] {
  const kind = fileKindOf(path);
  if (kind === 'note') {
    const others = [...(isMdx(path) ? codeOf(text) : []), ...marksOfLogseq(text)];
    return others.length === 0 ? pluginData(text) : withoutOverlaps([...pluginData(text), ...others]);
  }
  return kind === 'base' ? [{ from: 0, to: text.length, kind: 'settings', texts: baseTexts(text) }] : [];
}

const codeOf = (text: string): readonly PluginData[] =>
  mdxCode(text).map((code) => ({ ...code, kind: 'code', texts: [] }));

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

// The code of an MDX file: imports and exports, components and expressions, of which its reader sees only the text between.

/** From a line that begins with it to the next blank line. */
const MODULE_LINE = /^(?:import\s+(?:[\w*{'"]|$)|export\s+(?:default|const|let|var|function|class|async|\{|\*))/;
/** Components, closing tags and expressions within a line or a few. A text in quotes may hold `>`. */
const INLINE =
  /<\/?[A-Z][\w.]*(?:"[^"\n]*"|'[^'\n]*'|\{[^{}]{0,500}\}|[^<>"'{}])*>|\{\/\*[^*]*\*\/\}|\{[^{}\n]*\}|`[^`\n]*`/g;

const isMdx = (path: string): boolean => /\.mdx$/i.test(path);

/** In the order of the file; code that it shows, in fences or backticks, is text. */
function mdxCode(text: string): readonly Span[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const shown = new Set(scanBlocks(text, lines, bodyLine).codeLines);
  const spans: Span[] = [];
  let isModule = false;
  let from = lines.starts[bodyLine] ?? text.length;
  const addInline = (to: number): void => {
    for (const { index, 0: code } of text.slice(from, to).matchAll(INLINE))
      if (!code.startsWith('`')) spans.push({ from: from + index, to: from + index + code.length });
  };
  for (let at = bodyLine; at < lines.starts.length; at += 1) {
    const [start = 0, end = 0] = [lines.starts[at], lines.ends[at]];
    const line = text.slice(start, end);
    const isShown = shown.has(at + 1);
    isModule = !isShown && line.trim() !== '' && (isModule || MODULE_LINE.test(line));
    if (!isModule && !isShown) continue;
    addInline(start);
    from = end;
    if (isModule) spans.push({ from: start, to: end });
  }
  addInline(text.length);
  return spans;
}
