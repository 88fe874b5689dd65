// Parses the text of a file by the rules of its kind; positions in a canvas are those of its outline.
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { pageName } from '../links/page-names.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { scanBlocks } from './blocks.ts';
import { canvasOutline } from './canvas-outline.ts';
import { splitLines } from './lines.ts';
import { parseNote } from './parse-note.ts';
import { blankData, type PluginData } from './plugin-data.ts';

/** A page of Logseq is found by its name, too. */
function withPageName(path: NotePath, parsed: ParsedNote): ParsedNote {
  const page = pageName(path);
  return page === undefined ? parsed : { ...parsed, aliases: [...parsed.aliases, page] };
}

/** Bases are not Markdown and have no links; attachments are never parsed. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  if (kind === 'note') return withPageName(path, parseNote(isMdx(path) ? blankData(text, codeToBlank(text)) : text));
  return kind === 'canvas' ? canvasOutline(text).parsed : EMPTY_NOTE;
}

// The code of an MDX file: imports and exports, components and expressions, of which its reader sees only the text between.

/** From a line that begins with it to the next blank line. */
const MODULE_LINE = /^(?:import\s+(?:[\w*{'"]|$)|export\s+(?:default|const|let|var|function|class|async|\{|\*))/;
/** Components, closing tags and expressions within a line or a few. A text in quotes may hold `>`. */
const INLINE =
  /<\/?[A-Z][\w.]*(?:"[^"\n]*"|'[^'\n]*'|\{[^{}]{0,500}\}|[^<>"'{}])*>|\{\/\*[^*]*\*\/\}|\{[^{}\n]*\}|`[^`\n]*`/g;

const CODE = { kind: 'code', texts: [] } as const;

export const isMdx = (path: string): boolean => /\.mdx$/i.test(path);

/** In the order of the file; code that it shows, in fences or backticks, is text. */
export function mdxCode(text: string): readonly PluginData[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const shown = new Set(scanBlocks(text, lines, bodyLine).codeLines);
  const spans: PluginData[] = [];
  let isModule = false;
  let from = lines.starts[bodyLine] ?? text.length;
  const addInline = (to: number): void => {
    for (const { index, 0: code } of text.slice(from, to).matchAll(INLINE))
      if (!code.startsWith('`')) spans.push({ from: from + index, to: from + index + code.length, ...CODE });
  };
  for (let at = bodyLine; at < lines.starts.length; at += 1) {
    const [start = 0, end = 0] = [lines.starts[at], lines.ends[at]];
    const line = text.slice(start, end);
    const isShown = shown.has(at + 1);
    isModule = !isShown && line.trim() !== '' && (isModule || MODULE_LINE.test(line));
    if (!isModule && !isShown) continue;
    addInline(start);
    from = end;
    if (isModule) spans.push({ from: start, to: end, ...CODE });
  }
  addInline(text.length);
  return spans;
}

/** Comments of MDX are left to the parser, which reads anchors in them and in `{#id}`. */
const ANCHOR_START = /^\{(?:#|\/\*)/;

const codeToBlank = (text: string): readonly PluginData[] =>
  mdxCode(text).filter(({ from, to }) => !ANCHOR_START.test(text.slice(from, to)));
