// Locates the path of a link in a file, and quotes a new path for that place.
import { fileKindOf, type Link } from '../../base/note.ts';
import { isBlank, skipSpace } from '../parse/characters.ts';
import { decodeDestination, definitionIn, inlineTargetAt, labelOf } from '../parse/markdown-link.ts';
import { type SiteMacro, siteMacroAt } from '../parse/site-syntax.ts';
import { offsetIn, runOf, runOfString, type Span, type TextRun } from '../parse/text-run.ts';
import { partsOfWikilink } from '../parse/wikilink.ts';
import { splitLink } from './fold.ts';

/** `file` is the vault path of a canvas card, `macro` is within a code of a site generator; `bare` and `enclosed` are Markdown destinations without and with `<>`. */
export type PathForm = 'wikilink' | 'bare' | 'enclosed' | 'file' | 'macro';

export interface LinkPath {
  readonly form: PathForm;
  /** Offsets in the file. */
  readonly from: number;
  readonly to: number;
  /** The offset after the subpath, which follows the path. */
  readonly linkTo: number;
  /** The path as written in the link, including percent-encoding. */
  readonly written: string;
  /** Quotes a path for the JSON or YAML string that contains the link, if any. */
  readonly quote: (path: string) => string;
}

type PlacedLink = Pick<Link, 'kind' | 'link' | 'display' | 'offset' | 'end'>;

/** Undefined if the link is not contiguous in the file, or is defined twice. */
export type LocateLinkPath = (link: PlacedLink) => LinkPath | undefined;

/** @param path the path of the file */
export function createLinkPathLocator(path: string, text: string): LocateLinkPath {
  let definitions: ReadonlyMap<string, readonly DefinedPath[]> | undefined;
  return (link) => {
    const { quote, run } = surroundings(path, text, link);
    if (link.kind === 'canvas') return pathIn(run, { from: 0, to: run.text.length }, 'file', quote);
    if (link.kind === 'reference') {
      definitions ??= definitionsIn(text);
      return pathInDefinition(run, link, definitions);
    }
    const macro = siteMacroAt(run.text, 0);
    if (macro !== undefined) return macroPath(run, macro);
    // One of several files that MkDocs puts in the place of their lines.
    if (link.kind === 'embed' && run.text === link.link)
      return pathIn(run, { from: 0, to: run.text.length }, 'macro', asIs);
    return /^!?\[\[/.test(run.text) ? wikilinkPath(run, link, quote) : destinationPath(run, link, quote);
  };
}

type Quote = LinkPath['quote'];
const asIs: Quote = (path) => path;
const asJson: Quote = (path) => JSON.stringify(path).slice(1, -1);

/** The link's text without the quoting around it. */
function surroundings(path: string, text: string, { kind, offset, end }: PlacedLink): { run: TextRun; quote: Quote } {
  if (fileKindOf(path) === 'canvas') {
    const escapesSlash = text.slice(offset, end).includes('\\/');
    const quote: Quote = (to) => (escapesSlash ? asJson(to).replaceAll('/', '\\/') : asJson(to));
    return { run: runOfString(text, { from: offset - 1, to: end + 1 }), quote };
  }
  const run = runOf(text, offset, end);
  const sign = kind === 'property' ? signBefore(text, offset) : '';
  if (sign === '"') return { run: unescapedRun(run, /\\./g), quote: asJson };
  if (sign === "'") return { run: unescapedRun(run, /''/g), quote: (to) => to.replaceAll("'", "''") };
  return { run, quote: asIs };
}

/** The character before the offset, ignoring blanks. */
function signBefore(text: string, offset: number): string {
  let at = offset - 1;
  while (at >= 0 && isBlank(text.charCodeAt(at))) at -= 1;
  return text.charAt(at);
}

/** Replaces each pair by its second character; sufficient for the characters that occur in links. */
function unescapedRun({ text, pieces }: TextRun, pair: RegExp): TextRun {
  const start = pieces[0]?.offset ?? 0;
  const starts = [{ at: 0, offset: start }];
  let path = '';
  let at = 0;
  for (const { index, 0: signs } of text.matchAll(pair)) {
    path += text.slice(at, index) + signs.charAt(1);
    at = index + signs.length;
    starts.push({ at: path.length, offset: start + at });
  }
  return { text: path + text.slice(at), pieces: starts };
}

function pathIn(run: TextRun, { from, to }: Span, form: PathForm, quote: Quote, linkTo = to): LinkPath {
  const [start, end, linkEnd] = [offsetIn(run, from), offsetIn(run, to), offsetIn(run, linkTo)];
  return { form, from: start, to: end, linkTo: linkEnd, written: run.text.slice(from, to), quote };
}

/** To the first `#` or the end of the name, trimmed. */
function wikilinkPath(run: TextRun, { link }: PlacedLink, quote: Quote): LinkPath | undefined {
  const start = run.text.indexOf('[[') + 2;
  const content = run.text.slice(start, -2);
  const { from: begin, to: close } = partsOfWikilink(content);
  const named = content.slice(begin, close);
  const hash = named.indexOf('#');
  const part = hash === -1 ? named : named.slice(0, hash);
  const first = start + begin;
  const span = { from: first + part.length - part.trimStart().length, to: first + part.trimEnd().length };
  const path = pathIn(run, span, 'wikilink', quote, first + named.trimEnd().length);
  return path.written === splitLink(link).path ? path : undefined;
}

/** The link's text can contain brackets, so the destination is the one that ends at the end of the link. */
function destinationPath(run: TextRun, { link }: PlacedLink, quote: Quote): LinkPath | undefined {
  for (let at = run.text.lastIndexOf(']('); at > 0; at = run.text.lastIndexOf('](', at - 1)) {
    const target = inlineTargetAt(run.text, at + 1);
    if (target?.end === run.text.length && decodeDestination(target.raw) === link)
      return destinationAt(run, at + 2, target.raw, quote);
  }
  return undefined;
}

function macroPath(run: TextRun, { from, raw, isWhole, quote }: SiteMacro): LinkPath {
  const to = from + splitLink(raw).path.length;
  return pathIn(run, { from, to }, 'macro', quote, isWhole ? from + raw.length : to);
}

function destinationAt(run: TextRun, start: number, raw: string, quote: Quote): LinkPath {
  let from = skipSpace(run.text, start);
  const macro = siteMacroAt(run.text, from);
  if (macro !== undefined) return macroPath(run, macro);
  const enclosed = run.text.charAt(from) === '<';
  if (enclosed) from += 1;
  const cut = raw.search(/#|%23|\\#/);
  const to = from + (cut === -1 ? raw.length : cut);
  return pathIn(run, { from, to }, enclosed ? 'enclosed' : 'bare', quote, from + raw.length);
}

const MARKS = /^[ \t]*(?:(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*)*/;

interface DefinedPath {
  readonly link: string;
  readonly path: LinkPath;
}

/** Every link definition, by label. */
function definitionsIn(text: string): Map<string, DefinedPath[]> {
  const paths = new Map<string, DefinedPath[]>();
  for (const { index, 0: line } of text.matchAll(/[^\r\n]+/g)) {
    const from = line.includes(']:') ? (MARKS.exec(line)?.[0].length ?? 0) : line.length;
    const definition = definitionIn(line.slice(from));
    if (definition === undefined) continue;
    const { label, raw, start } = definition;
    const path = destinationAt(runOf(text, index, index + line.length), from + start, raw, asIs);
    const same = paths.get(label);
    if (same === undefined) paths.set(label, [{ link: decodeDestination(raw), path }]);
    else same.push({ link: decodeDestination(raw), path });
  }
  return paths;
}

/** The only definition of the reference's label with the same destination. */
function pathInDefinition(run: TextRun, link: PlacedLink, all: ReadonlyMap<string, readonly DefinedPath[]>) {
  const label = labelOf(/\]\[([^[\]]*)\]$/.exec(run.text)?.[1] || link.display);
  const [first, second] = (all.get(label) ?? []).filter((defined) => defined.link === link.link);
  return second === undefined ? first?.path : undefined;
}
