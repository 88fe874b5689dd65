// Finds the links and tags of a canvas where they are in its JSON, for changing them.
import { EMPTY_NOTE, type Link, type ParsedNote } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { skipSpace, stringEnd } from './characters.ts';
import { type Lines, positionAt, splitLines } from './lines.ts';
import { type Body, readBody } from './parse-note.ts';
import { offsetIn, runOfString, type Span, type TextRun } from './text-run.ts';

/**
 * The canvas as a note without front matter; all positions are in the canvas file. `fault` says why the file is not a canvas.
 */
export interface ParsedCanvas extends ParsedNote {
  readonly fault?: string;
}

/** Parses the text of a `.canvas` file. An empty file is an empty canvas, as in Obsidian. */
export function parseCanvas(text: string): ParsedCanvas {
  if (text.trim() === '') return EMPTY_NOTE;
  const fault = canvasFault(text);
  if (fault !== undefined) return { ...EMPTY_NOTE, fault };
  const lines = splitLines(text);
  const cards = locateNodeStrings(text).map((strings) => readNode(text, lines, strings));
  return {
    ...EMPTY_NOTE,
    tags: cards.flatMap(({ tags }) => tags),
    headings: cards.flatMap(({ headings }) => headings),
    blocks: cards.flatMap(({ blocks }) => blocks),
    links: cards.flatMap(({ links }) => links),
  };
}

/** Why the text is not that of a canvas. */
export function canvasFault(text: string): string | undefined {
  const canvas = parseJson(text);
  if (canvas instanceof SyntaxError) return canvas.message;
  if (!isObject(canvas)) return 'the JSON is not an object';
  const { nodes = [] } = canvas;
  if (!Array.isArray(nodes)) return '`nodes` is not a list';
  const odd = nodes.findIndex((node) => !isObject(node));
  return odd === -1 ? undefined : `node ${odd + 1} is not an object`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (malformed) {
    if (malformed instanceof SyntaxError) return malformed;
    throw malformed;
  }
}

/** Only text cards and file cards have content; web pages and groups do not link into the vault. */
function readNode(json: string, lines: Lines, strings: ReadonlyMap<string, Span>): Body {
  const type = strings.get('type');
  const kind = type === undefined ? '' : runOfString(json, type).text;
  const text = kind === 'text' ? strings.get('text') : undefined;
  const file = kind === 'file' ? strings.get('file') : undefined;
  const body = text === undefined ? EMPTY_NOTE : readText(runOfString(json, text), lines);
  return file === undefined ? body : { ...body, links: [fileLink(json, lines, file, strings.get('subpath'))] };
}

/** The value of `subpath` of each file card, with its quotes, by the offset of the card's link. `json` must be valid. */
export function cardSubpaths(json: string): ReadonlyMap<number, Span> {
  return new Map(
    locateNodeStrings(json).flatMap((strings): [number, Span][] => {
      const [file, subpath] = [strings.get('file'), strings.get('subpath')];
      return file === undefined || subpath === undefined ? [] : [[file.from + 1, subpath]];
    }),
  );
}

/** A file card names exactly one vault path; the part of the file is beside it. */
function fileLink(json: string, lines: Lines, file: Span, subpath: Span | undefined): Link {
  const link = runOfString(json, file).text.normalize('NFC');
  const display = subpath === undefined ? link : link + runOfString(json, subpath).text;
  return { kind: 'canvas', link, display, ...positionAt(lines, file.from + 1), end: file.to - 1 };
}

/** What is below the front matter of a text card, which Obsidian does not show. */
export function readCard(text: string): Body {
  const lines = splitLines(text);
  return readBody(text, lines, bodyStart(text, lines).bodyLine);
}

/** Parses a card on its own and maps the positions into the file. */
function readText(run: TextRun, lines: Lines): Body {
  const cardLines = splitLines(run.text);
  const card = readCard(run.text);
  const place = (offset: number) => positionAt(lines, offsetIn(run, offset));
  const lineOf = (line: number) => place(cardLines.starts[line - 1] ?? 0).line;
  return {
    // Tasks are left out: their lines are lines of the card, not of the file, so they could not be cited.
    tasks: [],
    tags: card.tags.map((tag) => ({ ...tag, ...place(tag.offset) })),
    headings: card.headings.map((heading) => ({ ...heading, ...place(heading.offset) })),
    blocks: card.blocks.map(({ id, line, endLine }) => ({ id, line: lineOf(line), endLine: lineOf(endLine) })),
    links: card.links.map((link) => ({ ...link, ...place(link.offset), end: offsetIn(run, link.end) })),
  };
}

/** Where the JSON has the text of each node, with its quotes, in their order. `json` must be that of a canvas. */
export const cardTexts = (json: string): readonly (Span | undefined)[] =>
  locateNodeStrings(json).map((strings) => strings.get('text'));

/** The depth at which the properties of a node are: below the root object and the list of nodes. */
const NODE_DEPTH = 3;

/** The string values of each node by property name, in the order of the nodes. `json` must be valid. */
function locateNodeStrings(json: string): Map<string, Span>[] {
  const nodes: Map<string, Span>[] = [];
  /** For each open object or list: the name of the property whose value comes next. */
  const names: (string | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charAt(at);
    if (sign === '{' || sign === '[') {
      names.push(undefined);
      if (names.length === NODE_DEPTH && names[0] === 'nodes') nodes.push(new Map());
    } else if (sign === '}' || sign === ']') names.pop();
    else if (sign === ',') names[names.length - 1] = undefined;
    else if (sign === '"') {
      const span = { from: at, to: stringEnd(json, at) };
      readString(json, span, names, nodes);
      at = span.to - 1;
    }
  }
  return nodes;
}

/** A list of the root object, with its brackets, and the objects in it. */
export interface ListPlace extends Span {
  readonly items: readonly Span[];
}

/** The depth of the objects in a list of the root object. */
const ITEM_DEPTH = 3;

/** Where the JSON has its nodes and its edges. `json` must be that of a canvas. */
export function canvasLists(json: string): Partial<Record<string, ListPlace>> {
  const lists: Record<string, ListPlace> = {};
  let [depth, name, from, item] = [0, '', 0, 0];
  let items: Span[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charAt(at);
    if (sign === '"') {
      const to = stringEnd(json, at);
      if (depth === 1 && json.charAt(skipSpace(json, to)) === ':') name = String(JSON.parse(json.slice(at, to)));
      at = to - 1;
    } else if (sign === '{' || sign === '[') {
      depth += 1;
      if (depth === ITEM_DEPTH) item = at;
      if (depth === ITEM_DEPTH - 1) [from, items] = [at, []];
    } else if (sign === '}' || sign === ']') {
      if (depth === ITEM_DEPTH) items.push({ from: item, to: at + 1 });
      if (depth === ITEM_DEPTH - 1) lists[name] = { from, to: at + 1, items };
      depth -= 1;
    }
  }
  return lists;
}

function readString(json: string, span: Span, names: (string | undefined)[], nodes: Map<string, Span>[]): void {
  const depth = names.length;
  if (depth !== 1 && depth !== NODE_DEPTH) return;
  const name = names[depth - 1];
  const isName = json.charAt(skipSpace(json, span.to)) === ':';
  if (isName) names[depth - 1] = String(JSON.parse(json.slice(span.from, span.to)));
  else if (depth === NODE_DEPTH && names[0] === 'nodes' && name !== undefined) nodes.at(-1)?.set(name, span);
}
