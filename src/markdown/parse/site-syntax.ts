// Recognizes what other systems than Obsidian add to Markdown: codes that name a page, attributes, regions without Markdown, and blocks by their indentation.
import { currentDialect, type Dialect } from '../../base/note.ts';
import { isBlank, isLineEnd, skipBlanks } from './characters.ts';

export interface SiteMacro {
  readonly kind: 'markdown' | 'embed';
  /** The path with its subpath. */
  readonly raw: string;
  /** The offset of the path, and the offset after the code and what is written directly after it. */
  readonly from: number;
  readonly end: number;
  /** The path and its subpath are in the file as in `raw`. */
  readonly isWhole: boolean;
  /** Quotes a path that takes the place of this one. */
  readonly quote: (path: string) => string;
}

/** `bare`: the group with a path that is not in quotes. The last group is what is written after the code. */
interface MacroForm {
  readonly kind: SiteMacro['kind'];
  readonly pattern: RegExp;
  readonly bare?: number;
}

const ANCHOR = String.raw`(#[^\s"'<>()]*)?`;
/** Named ones of Hugo before the path, such as `lang="fr"`. */
const OTHER_PARAMETERS = String.raw`(?:(?!path\b)\w+\s*=\s*(?:"[^"\r\n]*"|${'`'}[^${'`'}\r\n]*${'`'}|[^\s"${'`'}<>{}%=]+)\s+)*`;
const QUOTED_MARKDOWN = String.raw`"([^"\r\n]+\.(?:md|markdown))"`;

const FORMS: { readonly [dialect in Dialect]?: readonly MacroForm[] } = {
  hugo: [
    {
      kind: 'markdown',
      pattern: sticky(
        String.raw`\{\{[<%]\s*(?:rel)?ref\s+${OTHER_PARAMETERS}(?:path\s*=\s*)?(?:"\/?([^"\r\n]*)"|${'`'}\/?([^${'`'}\r\n]*)${'`'}|\/?([^\s"${'`'}<>{}%]+))[^<>{}\r\n]*[>%]\}\}${ANCHOR}`,
      ),
      bare: 2,
    },
    {
      kind: 'embed',
      pattern: sticky(
        String.raw`\{\{[<%][ \t]*(?:include|readfile)[ \t]+(?:file[ \t]*=[ \t]*)?${QUOTED_MARKDOWN}[^<>{}\r\n]*[>%]\}\}()`,
      ),
    },
  ],
  jekyll: [
    {
      kind: 'markdown',
      pattern: sticky(
        String.raw`(?:\{\{[^{}\r\n]*\}\})?\{%-?[ \t]*(?:post_url|link)[ \t]+\/?([^{}%\r\n]+?)[ \t]*-?%\}${ANCHOR}`,
      ),
    },
    {
      kind: 'markdown',
      pattern: sticky(
        String.raw`\{%-?[ \t]*post_(?:link|path)[ \t]+(?:"\/?([^"\r\n]*)"|\/?([^\s"{}%]+))[^{}%\r\n]*%\}()`,
      ),
      bare: 1,
    },
    {
      kind: 'markdown',
      pattern: sticky(
        String.raw`\{\{-?[ \t]*(?:"(\/[^":\r\n]*)"|'(\/[^':\r\n]*)')[ \t]*\|[ \t]*(?:relative|absolute)_url[^{}\r\n]*\}\}${ANCHOR}`,
      ),
    },
    {
      kind: 'markdown',
      pattern: sticky(String.raw`(?:\{\{-?[ \t]*site\.(?:base)?url[ \t]*-?\}\}){1,2}(\/[^\s"'<>(){}#]*)${ANCHOR}`),
    },
    {
      kind: 'embed',
      pattern: sticky(
        String.raw`\{%-?[ \t]*include(?:_relative)?[ \t]+([^\s{}%"']+\.(?:md|markdown))(?=[ \t%-])[^{}%\r\n]*%\}()`,
      ),
    },
  ],
  quarto: [
    {
      kind: 'embed',
      pattern: sticky(String.raw`(?<!\{)\{\{<[ \t]*include[ \t]+(?:"([^"\r\n]*)"|([^\s"<>{}]+))[ \t]*>\}\}()`),
      bare: 1,
    },
  ],
  markdown: [
    {
      kind: 'embed',
      pattern: sticky(
        String.raw`<!--[ \t]*@include:[ \t]*([^\s{}<>#]+\.(?:md|markdown))(?:#[^\s{}<>]*)?(?:\{[\d,]*\})?[ \t]*-->()`,
      ),
    },
    {
      kind: 'embed',
      pattern: sticky(String.raw`(?<!\\)\{\{#include[ \t]+([^\s{}:]+\.(?:md|markdown))(?::[^\s{}]*)?[ \t]*\}\}()`),
    },
  ],
  mkdocs: [
    { kind: 'embed', pattern: sticky(String.raw`(?<!;--8)<--[ \t]+"([^":\r\n]+)(?::[\w,:-]+)?"()`) },
    {
      kind: 'embed',
      pattern: sticky(String.raw`\{%-?\s{1,9}include(?:-markdown)?\s{1,9}${QUOTED_MARKDOWN}[^{}]{0,1000}%\}()`),
    },
  ],
};

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, 'dy');
}

/** The code that begins at `from`, if the vault at hand is one of such a site. */
export function siteMacroAt(text: string, from: number): SiteMacro | undefined {
  const sign = text.charCodeAt(from);
  if (sign !== 123 && sign !== 60) return undefined;
  for (const { kind, pattern, bare } of FORMS[currentDialect()] ?? []) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    const places = match?.indices?.slice(1, -1) ?? [];
    const [place] = places.filter((one) => one !== undefined);
    if (match === null || place === undefined) continue;
    const after = match.at(-1) ?? '';
    const isBare = bare !== undefined && places[bare] !== undefined;
    return {
      kind,
      raw: text.slice(...place) + after,
      from: place[0],
      end: from + match[0].length,
      isWhole: after === '',
      quote: (path) => (isBare && path.includes(' ') ? `"${path}"` : path),
    };
  }
  return undefined;
}

/** From one of two lines of MkDocs to the other. The group: the lines between them, each with a file. */
const SNIPPETS = /--8<--[ \t]*\r?\n((?:(?![ \t]*--8<--).{1,500}\n){1,200})[ \t]*--8<--/y;
/** Without the lines of the file that are meant; a `;` takes it out. */
const SNIPPET = /^[ \t]*([^\s;:][^:\r\n]*?)(?::[\w,:-]*)?[ \t]*\r?$(?!:)/gm;

/** The files in lines of their own between two `--8<--`, of which the first is around the `<` at `sign`. */
export function snippetsAt(text: string, sign: number) {
  if (currentDialect() !== 'mkdocs') return undefined;
  const from = sign - '--8'.length;
  SNIPPETS.lastIndex = Math.max(from, 0);
  const [whole, lines = ''] = SNIPPETS.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const start = from + whole.indexOf(lines);
  const files = Array.from(lines.matchAll(SNIPPET), ({ index, 0: line, 1: raw = '' }) => {
    return { raw, from: start + index + line.indexOf(raw) };
  });
  return { files, end: from + whole.length };
}

/** A command of Roam with its name in brackets, such as `{{[[TODO]]}}`, which is not the name of a page. */
const COMMAND = /\{\{\[\[[^[\]{}\r\n]{1,40}\]\](?=[}:])/y;

/** The end of the name of the command at `from`; 0 without one. */
export function commandEnd(text: string, from: number): number {
  if (currentDialect() !== 'roam') return 0;
  COMMAND.lastIndex = from;
  return COMMAND.test(text) ? COMMAND.lastIndex : 0;
}

/** A code of one line: what is in it is no Markdown. What is between two of them is. */
const CODE = /\{%[^{}\r\n]*%\}|\{\{[^{}\r\n]*\}\}/y;
const WITH_CODES: readonly Dialect[] = ['hugo', 'jekyll', 'mkdocs', 'quarto', 'markdown'];

/** The end of the code at `from`; 0 without one. */
export function codeEnd(text: string, from: number): number {
  if (!WITH_CODES.includes(currentDialect())) return 0;
  CODE.lastIndex = from;
  return CODE.test(text) ? CODE.lastIndex : 0;
}

const CONTENTS = /^\[\[_?toc_?\]\]$/i;
const WITH_CONTENTS: readonly Dialect[] = ['jekyll', 'markdown'];

/** Whether what is between the offsets stands for the table of contents, alone on its line. */
export function isContents(text: string, from: number, to: number): boolean {
  if (!WITH_CONTENTS.includes(currentDialect()) || !CONTENTS.test(text.slice(from, to))) return false;
  let start = from;
  while (start > 0 && isBlank(text.charCodeAt(start - 1))) start -= 1;
  const end = skipBlanks(text, to, text.length);
  return (
    (start === 0 || isLineEnd(text.charCodeAt(start - 1))) && (end === text.length || isLineEnd(text.charCodeAt(end)))
  );
}

/** Whether a code with this path reads back as the path. */
export const isMacroPath = (path: string): boolean => !/["`<>{}%#\r\n]/.test(path);

/** Attributes as Pandoc, kramdown, Goldmark, Python-Markdown and Docusaurus write them after what they belong to. */
const ATTRIBUTE = String.raw`(?:[#.][^\s{}]+|[\w-]+=(?:"[^"\r\n]*"|[^\s{}"]+))`;
const ATTRIBUTES = new RegExp(
  String.raw`\{(?::?[ \t]*(?:${ATTRIBUTE}|-)(?:[ \t]+${ATTRIBUTE})*[ \t]*|\/\*[ \t]*#[^\s{}*]+[ \t]*\*\/)\}`,
  'y',
);
const WITH_ATTRIBUTES: readonly Dialect[] = ['hugo', 'jekyll', 'mkdocs', 'docusaurus', 'quarto', 'markdown'];

/** The end of attributes such as `{#id .class}` at `from`, in the systems that have them. */
export function attributesAt(text: string, from: number): { readonly end: number; readonly id?: string } | undefined {
  if (!WITH_ATTRIBUTES.includes(currentDialect())) return undefined;
  ATTRIBUTES.lastIndex = from;
  const [written] = ATTRIBUTES.exec(text) ?? [];
  if (written === undefined) return undefined;
  const id = /[\s{:*]#([^\s{}*]+)/.exec(written.replace(/"[^"]*"/g, '""'))?.[1];
  return { end: from + written.length, ...(id !== undefined && { id }) };
}

/** From the code that opens it to the one that closes it, whose name is the first group of the opening one. */
interface Region {
  readonly opening: RegExp;
  readonly closing: (name: string) => RegExp;
}

const LIQUID: Region = {
  opening: /\{%-?[ \t]*(highlight|comment|codeblock|code)\b[^{}\r\n]*%\}/y,
  closing: (name) => new RegExp(String.raw`\{%-?[ \t]*end${name}[ \t]*-?%\}`, 'g'),
};
const SHORTCODE: Region = {
  opening: /\{\{[<%][ \t]*(highlight|comment|mermaid|katex|math|raw|rawhtml|plantuml|goat)\b[^{}\r\n/]*[>%]\}\}/y,
  closing: (name) => new RegExp(String.raw`\{\{[<%][ \t]*/[ \t]*${name}[ \t]*[>%]\}\}`, 'g'),
};
/** A comment of Nunjucks. */
const NUNJUCKS_COMMENT: Region = { opening: /\{(#)(?=[-\s])/y, closing: () => /#\}/g };
const MDX_COMMENT: Region = { opening: /\{(\/\*)/y, closing: () => /\*\/\}/g };
const ORG_BLOCK: Region = {
  opening: /#\+BEGIN_(SRC|EXAMPLE|COMMENT|EXPORT|QUERY)\b/iy,
  closing: (name) => new RegExp(String.raw`#\+END_${name}\b`, 'gi'),
};
const REGIONS: { readonly [dialect in Dialect]?: readonly Region[] } = {
  hugo: [SHORTCODE, MDX_COMMENT],
  jekyll: [LIQUID, NUNJUCKS_COMMENT],
  docusaurus: [MDX_COMMENT],
  markdown: [MDX_COMMENT],
  logseq: [ORG_BLOCK],
};

/** What closes the region without Markdown that begins at `from`. */
export function regionAt(text: string, from: number): RegExp | undefined {
  for (const { opening, closing } of REGIONS[currentDialect()] ?? []) {
    opening.lastIndex = from;
    const name = opening.exec(text)?.[1];
    if (name !== undefined) return closing(name);
  }
  return undefined;
}

/** Admonitions and tabs of MkDocs, whose lines are indented by four columns. */
const CONTENT = /(?:!!!|\?\?\?\+?|===[!+]?)(?=[ \t]+["\w])/y;
const CONTENT_COLUMNS = 4;

/** The mark of a block whose lines are indented, as that of a list item is. */
export function contentMarkAt(text: string, from: number) {
  if (currentDialect() !== 'mkdocs') return undefined;
  CONTENT.lastIndex = from;
  const [mark] = CONTENT.exec(text) ?? [];
  if (mark === undefined) return undefined;
  return { length: mark.length, sign: mark, starts: true, endsParagraph: true, width: CONTENT_COLUMNS };
}

/** The anchors that HTML has, by their offsets. */
const HTML_ID = /<[a-z][^<>]{0,500}?[\s"'](?:id|name)[ \t]*=[ \t]*["']?([^\s"'<>=]+)/gi;

/** The label of a cell of code in Quarto, or in the attributes of a fence. */
const LABEL = /^[ \t]*(?:#|\/\/|%%|--)\|[ \t]*label:[ \t]*["']?([\w:.-]+)/;

/** Each with the line on which it is, 1-based. */
export function htmlAnchors(text: string): readonly { readonly id: string; readonly offset: number }[] {
  if (currentDialect() === 'obsidian' || !/\s(?:id|name)[ \t]*=/i.test(text)) return [];
  return Array.from(text.matchAll(HTML_ID), ({ index, 1: id = '' }) => ({ id, offset: index }));
}

/** The anchor of a block of code, by the text after its fence and its first lines. */
export function cellAnchor(info: string, firstLines: readonly string[]): string | undefined {
  if (currentDialect() !== 'quarto') return undefined;
  const label = firstLines.map((line) => LABEL.exec(line)?.[1]).find((text) => text !== undefined);
  return label ?? /^\{[^{}]*?#([^\s{}]+)/.exec(info)?.[1];
}
