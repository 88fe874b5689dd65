// Reads a canvas: its text cards like the body of a note, its file cards as links.
import { EMPTY_NOTE, type Link, type ParsedNote } from '../../base/note.ts';
import { locateNodeStrings, runOfString, type StringSpan } from './json-strings.ts';
import { type Lines, positionAt, splitLines } from './lines.ts';
import { type Body, readBody } from './parse-note.ts';
import { offsetIn, type TextRun } from './text-run.ts';

/** Like a note without front matter; all positions point into the canvas file. `fault` says why a file is no canvas. */
export interface ParsedCanvas extends ParsedNote {
  readonly fault?: string;
}

/** Reads the text of a `.canvas` file. One that is empty is a canvas with nothing on it, as Obsidian has it. */
export function parseCanvas(text: string): ParsedCanvas {
  if (text.trim() === '') return EMPTY_NOTE;
  const fault = canvasFault(text);
  if (fault !== undefined) return { ...EMPTY_NOTE, fault };
  const lines = splitLines(text);
  const cards = locateNodeStrings(text).map((strings) => readCard(text, lines, strings));
  return {
    ...EMPTY_NOTE,
    tags: cards.flatMap(({ tags }) => tags),
    headings: cards.flatMap(({ headings }) => headings),
    blocks: cards.flatMap(({ blocks }) => blocks),
    links: cards.flatMap(({ links }) => links),
  };
}

function canvasFault(text: string): string | undefined {
  const canvas = parseJson(text);
  if (canvas instanceof SyntaxError) return canvas.message;
  if (typeof canvas !== 'object' || canvas === null || Array.isArray(canvas)) return 'the JSON is no object';
  const nodes = 'nodes' in canvas ? canvas.nodes : [];
  if (!Array.isArray(nodes)) return '`nodes` is no list';
  const odd = nodes.findIndex((node) => typeof node !== 'object' || node === null || Array.isArray(node));
  return odd === -1 ? undefined : `node ${odd + 1} is no object`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (malformed) {
    if (malformed instanceof SyntaxError) return malformed;
    throw malformed;
  }
}

/** Text cards and file cards hold something; web pages and groups lead nowhere in the vault. */
function readCard(json: string, lines: Lines, strings: ReadonlyMap<string, StringSpan>): Body {
  const type = strings.get('type');
  const kind = type === undefined ? '' : runOfString(json, type).text;
  const text = kind === 'text' ? strings.get('text') : undefined;
  const file = kind === 'file' ? strings.get('file') : undefined;
  const body = text === undefined ? EMPTY_NOTE : readText(runOfString(json, text), lines);
  return file === undefined ? body : { ...body, links: [fileLink(json, lines, file, strings.get('subpath'))] };
}

/** A file card names exactly one vault path; a part of that file stands in the display only. */
function fileLink(json: string, lines: Lines, file: StringSpan, subpath: StringSpan | undefined): Link {
  const link = runOfString(json, file).text.normalize('NFC');
  const display = subpath === undefined ? link : link + runOfString(json, subpath).text;
  return { kind: 'canvas', link, display, ...positionAt(lines, file.from + 1), end: file.to - 1 };
}

/** Reads a card by itself, then moves what was found to where it stands in the file. */
function readText(run: TextRun, lines: Lines): Body {
  const cardLines = splitLines(run.text);
  const card = readBody(run.text, cardLines, 0);
  const place = (offset: number) => positionAt(lines, offsetIn(run, offset));
  const lineOf = (line: number) => place(cardLines.starts[line - 1] ?? 0).line;
  return {
    // A line of a card is no line of the file, so that its tasks could not be cited.
    tasks: [],
    tags: card.tags.map((tag) => ({ ...tag, ...place(tag.offset) })),
    headings: card.headings.map((heading) => ({ ...heading, ...place(heading.offset) })),
    blocks: card.blocks.map(({ id, line, endLine }) => ({ id, line: lineOf(line), endLine: lineOf(endLine) })),
    links: card.links.map((link) => ({ ...link, ...place(link.offset), end: offsetIn(run, link.end) })),
  };
}
