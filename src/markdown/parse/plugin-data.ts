// Finds the data that plugins keep in notes: its user sees a drawing, a board or what a program makes, never this text.
import type { Properties } from '../../base/note.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { type BlockFindings, scanBlocks } from './blocks.ts';
import { skipSpace, stringEnd } from './characters.ts';
import { type Lines, splitLines } from './lines.ts';
import type { Span } from './text-run.ts';

/** `mark`: what a plugin writes around its data or at a text. */
export type DataKind = 'drawing' | 'settings' | 'code' | 'mark';

/** The data with the texts in it that its user sees, such as that of a shape; both in the order of the note. */
export interface PluginData extends Span {
  readonly kind: DataKind;
  readonly texts: readonly Span[];
}

/** What such data begins with; found much faster than by a pattern. Most notes have none of these signs. */
const SIGNS = ['```', '~~~', '%%', '`$=', '<!--SR:', 'TLDRAW', '==⚠'];
/** What the data of a plugin begins with in a note that is not a drawing. */
const DATA =
  /TLDRAW|(?:`{3}|~{3})[^\S\r\n]*(?:compressed-json|hand(?:written|drawn)-ink|annotation-json|base\b|dataviewjs|datacore[jt]s|js-engine)|%%\s*kanban:settings|`\$=|<!--SR:/;
const OF_DRAWING = /excalidraw|EXCALIDRAW|tldraw/;

const NONE: readonly PluginData[] = [];

function mayHaveData(text: string): boolean {
  if (hasDrawingProperty(text)) return true;
  if (!SIGNS.some((sign) => text.includes(sign))) return false;
  return DATA.test(text) || (text.includes('==⚠') && OF_DRAWING.test(text));
}

export function pluginData(text: string): readonly PluginData[] {
  if (!mayHaveData(text)) return NONE;
  const lines = splitLines(text);
  const { bodyLine, bodyOffset } = bodyStart(text, lines);
  const blocks = scanBlocks(text, lines, bodyLine);
  const note = { text, lines, body: text.slice(bodyOffset), bodyOffset };
  const isDrawing = DRAWS.test(text.slice(0, bodyOffset)) || note.body.trimStart().startsWith('==⚠');
  const data = [...fencedData(note, blocks, isDrawing), ...settingsOf(note, blocks), ...bareData(note, isDrawing)];
  return withoutOverlaps(data);
}

/** With blanks instead of the data, so that every offset stays the same. */
export function blankData(text: string, data: readonly PluginData[]): string {
  return withGaps(text, data, (gap) => gap.replace(/[^\r\n]+/g, (line) => ' '.repeat(line.length)));
}

/** Without the data. Line numbers stay the same, offsets do not. */
export function withoutData(text: string, data: readonly PluginData[]): string {
  const isLineEdge = (at: number): boolean => /^[\r\n]?$/.test(text.charAt(at));
  return withGaps(text, data, (gap, from) => {
    const isWithinLine = !isLineEdge(from - 1) && !isLineEdge(from + gap.length);
    return isWithinLine && !/[\r\n]/.test(gap) ? ' ' : gap.replace(/[^\r\n]+/g, '');
  });
}

/** The data of the drawings of a note as stored; empty in a note without. */
export function drawingsIn(text: string): string {
  const drawings = pluginData(text).filter(({ kind }) => kind === 'drawing');
  return drawings.map(({ from, to }) => text.slice(from, to)).join('\n');
}

function withGaps(text: string, data: readonly PluginData[], filled: (gap: string, from: number) => string): string {
  if (data.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, texts } of data) {
    parts.push(text.slice(at, from));
    at = from;
    for (const shown of [...texts, { from: to, to }]) {
      parts.push(filled(text.slice(at, shown.from), at), text.slice(shown.from, shown.to));
      at = shown.to;
    }
  }
  return parts.join('') + text.slice(at);
}

/** In the order of the note. */
export function withoutOverlaps(data: readonly PluginData[]): readonly PluginData[] {
  let end = 0;
  return data
    .toSorted((one, other) => one.from - other.from)
    .filter(({ from, to }) => {
      if (from < end) return false;
      end = to;
      return true;
    });
}

interface ScannedNote {
  readonly text: string;
  readonly lines: Lines;
  readonly body: string;
  readonly bodyOffset: number;
}

type TextsOf = (text: string, data: Span) => readonly Span[];
const NO_TEXTS: TextsOf = () => [];

/** By what is written after the opening fence. */
const FENCES: readonly (readonly [RegExp, DataKind, TextsOf])[] = [
  [/TLDRAW.DATA/, 'drawing', (text, data) => jsonTexts(text, data, ['text', 'url'])],
  [/^compressed-json/, 'drawing', NO_TEXTS],
  [/^hand(?:written|drawn)-ink/, 'drawing', (text, data) => jsonTexts(text, data, ['filepath'])],
  [/^annotation-json/, 'settings', (text, data) => jsonTexts(text, data, ['text'])],
  [/^base\b/, 'settings', baseTexts],
  [/^(?:dataviewjs|datacore[jt]sx?|js-engine)\b/, 'code', NO_TEXTS],
];

/** In the properties of a note that is a drawing. */
const DRAWS = /^(?:excalidraw-plugin|tldraw-(?:file|plugin)):/m;

function hasDrawingProperty(text: string): boolean {
  return DRAWS.test(propertiesIn(text));
}

/** The properties as they are written; empty without any. */
function propertiesIn(text: string): string {
  if (!text.startsWith('---')) return '';
  const end = text.slice(3).search(/[\r\n]---[ \t]*(?:[\r\n]|$)/);
  return end === -1 ? '' : text.slice(0, end + 3);
}

/** In the order in which Excalidraw looks for them. */
const DATA_HEADINGS = ['# Excalidraw Data', '##? Text Elements', '##? Drawing'].map(
  (heading) => new RegExp(String.raw`^(?:#[ \t]*(?:\r?\n)+)?(?:%%(?:\r?\n)+)?${heading}[ \t]*\r?$`, 'm'),
);

export const isExcalidraw = (properties: Properties): boolean => Object.hasOwn(properties, 'excalidraw-plugin');

/** From where each save of Excalidraw replaces the text, without what was added there; undefined in other notes. */
export function drawingStart(text: string): number | undefined {
  if (!/^excalidraw-plugin:/m.test(propertiesIn(text))) return undefined;
  return DATA_HEADINGS.map((heading) => text.search(heading)).find((at) => at !== -1);
}

const EXCALIDRAW_JSON = /^[^{]*\{\s*"type"\s*:\s*"excalidraw/;

function fencedData({ text, lines }: ScannedNote, { fences }: BlockFindings, isDrawing: boolean): PluginData[] {
  return fences.flatMap(({ line, endLine, info }): PluginData[] => {
    const data = spanOfLines(lines, line, endLine);
    const rule = FENCES.find(([is]) => is.test(info));
    if (rule !== undefined) return [{ ...data, kind: rule[1], texts: rule[2](text, data) }];
    const isScene = isDrawing && EXCALIDRAW_JSON.test(text.slice(data.from, data.to));
    return isScene ? [{ ...data, kind: 'drawing', texts: sceneTexts(text, data) }] : [];
  });
}

const spanOfLines = ({ starts, ends }: Lines, line: number, endLine: number): Span => {
  return { from: starts[line - 1] ?? 0, to: ends[endLine - 1] ?? 0 };
};

/** The comment in which the Kanban plugin keeps the settings of a board. */
function settingsOf({ text, lines }: ScannedNote, { comments }: BlockFindings): PluginData[] {
  return comments.flatMap(({ line, endLine }): PluginData[] => {
    const { from, to } = spanOfLines(lines, line, endLine);
    return /^%%\s*kanban:settings/.test(text.slice(from, to)) ? [{ from, to, kind: 'settings', texts: [] }] : [];
  });
}

/** Data that is not in a block of its own. */
const BARE: readonly (readonly [RegExp, DataKind])[] = [
  [/`\$=[^`\r\n]*`/g, 'code'],
  // When a card of Spaced Repetition is due.
  [/<!--SR:[^>\r\n]*-->/g, 'mark'],
];
const BARE_DRAWING = /^[ \t]*!!!_?START.OF.TLDRAW.DATA[\s\S]*?(?:!!!_?END.OF.TLDRAW.DATA.*|$(?![\s\S]))/gm;
const BARE_SCENE = /^\{\s*"type"\s*:\s*"excalidraw[\s\S]*?(?=^%%|$(?![\s\S]))/gm;
/** What Excalidraw and Tldraw write around their data, and the hash before the name of an embedded file. */
const PLUGIN_LINE =
  /^(?:==⚠.*|You can decompress Drawing data.*|%%(?: Drawing)?|#{1,2} (?:Excalidraw Data|tldraw Data|Text Elements|Element Links|Embedded [Ff]iles|Drawing)|[\da-f]{40}:)[ \t]*(?:\r?$|(?<=: *))/gm;

function bareData({ body, bodyOffset, text }: ScannedNote, isDrawing: boolean): PluginData[] {
  const dataBy = ([is, kind]: (typeof BARE)[number], textsOf: TextsOf = NO_TEXTS): PluginData[] =>
    Array.from(body.matchAll(is), ({ index, 0: match }) => {
      const data = { from: bodyOffset + index, to: bodyOffset + index + match.length };
      return { ...data, kind, texts: textsOf(text, data) };
    });
  const always = BARE.flatMap((rule) => dataBy(rule));
  if (!isDrawing) return always;
  const drawn = dataBy([BARE_DRAWING, 'drawing'], (_, data) => jsonTexts(text, data, ['text', 'url']));
  return [...always, ...drawn, ...dataBy([BARE_SCENE, 'drawing'], sceneTexts), ...dataBy([PLUGIN_LINE, 'mark'])];
}

/** Excalidraw writes the texts of the shapes above the data, each with its id, unless the drawing is in raw mode. */
const TEXT_ELEMENT = /[ \t]\^[\w-]{8}[ \t]*\r?$/m;

function sceneTexts(text: string, data: Span): readonly Span[] {
  return TEXT_ELEMENT.test(text.slice(0, data.from)) ? [] : jsonTexts(text, data, ['text', 'link']);
}

/** An object that is open. */
interface OpenObject {
  /** How many texts there were before it. */
  readonly texts: number;
  isDeleted: boolean;
}

/**
 * The parts of the strings of members with these names between their escape sequences, without those of deleted shapes, which Excalidraw
 * keeps.
 */
export function jsonTexts(text: string, { from, to }: Span, names: readonly string[]): readonly Span[] {
  const texts: Span[] = [];
  const open: OpenObject[] = [];
  const close = (object: OpenObject | undefined): void => {
    if (object?.isDeleted) texts.length = object.texts;
  };
  for (let at = from; at < to; at += 1) {
    const sign = text.charAt(at);
    if (sign === '{') open.push({ texts: texts.length, isDeleted: false });
    else if (sign === '}') close(open.pop());
    else if (sign === '"') {
      const end = Math.min(stringEnd(text, at), to);
      const value = memberValue(text, end, to);
      const [name, object] = [text.slice(at + 1, end - 1), open.at(-1)];
      if (value !== undefined && object !== undefined && name === 'isDeleted')
        object.isDeleted = text.startsWith('true', value);
      else if (value !== undefined && names.includes(name) && text.charAt(value) === '"')
        texts.push(...partsOf(text, value, to));
      at = end - 1;
    }
  }
  for (const object of open.toReversed()) close(object);
  return texts;
}

/** Where the value of a member begins whose name ends at `end`; undefined behind a string that is not a name. */
function memberValue(text: string, end: number, to: number): number | undefined {
  const colon = skipSpace(text, end);
  const value = skipSpace(text, colon + 1);
  return text.charAt(colon) === ':' && value < to ? value : undefined;
}

/** The parts of the string that begins with this quote; a quote, a slash and a backslash stand for themselves. */
function partsOf(text: string, quote: number, to: number): Span[] {
  const spans: Span[] = [];
  let at = quote + 1;
  for (const part of text
    .slice(at, Math.min(stringEnd(text, quote) - 1, to))
    .split(/(\\(?:["\\/]|u[\da-fA-F]{4}|.))/)) {
    const isSign = /^\\["\\/]$/.test(part);
    if (part !== '' && (isSign || !part.startsWith('\\')))
      spans.push({ from: isSign ? at + 1 : at, to: at + part.length });
    at += part.length;
  }
  return spans;
}

/** The names of views and columns, the links, and the notes and folders that expressions name, by which a move finds the base. */
const BASE_TEXT = new RegExp(
  [
    // The sign first: looking behind each of many blanks takes their square.
    /(?=\S)(?<=^[ \t-]*(?:name|displayName):[ \t]*)\S.*$/,
    /\[\[[^[\]\r\n]+\]\]/,
    /(?<=\b(?:link|file|image|hasLink|linksTo|inFolder)\(\\?(?<called>["']))(?:(?!\k<called>)[^\\\r\n])+/,
    /(?<=\b(?:folder|path)[ \t]{0,9}[!=]=[ \t]{0,9}\\?(?<compared>["']))(?:(?!\k<compared>)[^\\\r\n])+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** What the user of a base sees of its settings. */
export function baseTexts(text: string, { from, to }: Span = { from: 0, to: text.length }): readonly Span[] {
  return Array.from(text.slice(from, to).matchAll(BASE_TEXT), ({ index, 0: shown }) => {
    return { from: from + index, to: from + index + shown.length };
  });
}
