// Writes the whole graph in one of the export formats.
import { createHash } from 'node:crypto';
import type { GraphCore } from '../../app/graph-core.ts';
import { NEVER } from '../../base/async/waits.ts';
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import { createLayout, enoughSteps } from '../../picture/layout.ts';
import { PALETTES } from '../../picture/palette.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import { type EmbeddedGraph, type EmbeddedNote, type Shape, shapeOf } from '../../picture/shape.ts';
import { svgOf } from '../../picture/svg.ts';
import { report } from '../output.ts';
import { builtPageFiles, type PageFile, type PageFiles } from '../view/page-files.ts';

/** The formats of one text. */
const FORMAT_NAMES = ['jsonl', 'json', 'graphml', 'csv', 'dot', 'svg', 'html'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Yields the export piece by piece. @param withText includes the notes' text; `html` only */
export function exportText(format: FormatName, core: GraphCore, withText = false): AsyncIterable<string> {
  if (format === 'svg' || format === 'html') return drawnGraph(format, core, withText);
  return FORMATS[format](core.exportedNotes(NEVER) as AsyncIterable<GraphNote>);
}

type DrawnFormat = 'svg' | 'html';

/** Yields the page piece by piece. @param withText includes the notes' text */
async function* drawnGraph(format: DrawnFormat, core: GraphCore, withText: boolean) {
  const picture = await core.picture(NEVER);
  const { shape, places } = laidOut(picture);
  if (format === 'svg') return yield* svgOf(picture, shape, places, PALETTES.light);
  const rounded = Array.from(places, (place) => Math.round(place * 100) / 100);
  const texts = withText ? { texts: Object.fromEntries(await noteTexts(notePaths(picture), core)) } : {};
  yield await htmlOf({ picture, places: rounded, ...texts }, builtPageFiles(import.meta.url));
}

export function notePaths({ notes }: GraphPicture): string[] {
  return notes.filter(({ kind }) => kind === 'note').map(({ path }) => path);
}

function laidOut(picture: GraphPicture): { readonly shape: Shape; readonly places: Float32Array } {
  const shape = shapeOf(picture);
  const layout = createLayout(shape, seedPlaces(shape));
  layout.advance(enoughSteps(shape));
  return { shape, places: layout.places() };
}

/** The file names that `page.html` refers to. */
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const SCRIPT_TAGS = '<script src="drawing.js"></script>\n<script src="page.js"></script>';

export async function htmlOf(graph: EmbeddedGraph, files: PageFiles): Promise<string> {
  const names = [...readerParts(graph), 'drawing.js', 'page.js'] as const;
  const [page, style, ...scripts] = await Promise.all([
    files.read('page.html'),
    files.read('page.css'),
    ...names.map(async (name) => scriptWithin(await files.read(name))),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const data = `<script type="application/json" id="graph-data">${jsonWithin(graph)}</script>`;
  // Replacement functions, because the inserted text may contain `$` patterns of `replace`.
  return page
    .replace(
      '<meta charset="utf-8">',
      (tag) => `${tag}\n<meta http-equiv="content-security-policy" content="${policy}">`,
    )
    .replace(STYLE_TAG, () => `<style>${style}</style>`)
    .replace(SCRIPT_TAGS, () => [data, ...scripts.map((script) => `<script>${script}</script>`)].join('\n'));
}

/** The parts of the reader that the texts need. */
function readerParts({ texts }: EmbeddedGraph): readonly PageFile[] {
  if (texts === undefined) return [];
  const has = (mark: RegExp): boolean => Object.values(texts).some(({ text }) => mark.test(text));
  return ['markdown.js', ...(has(/\$/) ? ['math.js' as const] : []), ...(has(/```|~~~/) ? ['code.js' as const] : [])];
}

/** In a script these begin what only a later `-->` or `</script>` ends; inside its literals an escape means the same. */
const scriptWithin = (script: string): string => script.replaceAll(/<(?=!--|\/?script)/gi, '\\x3c');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Escapes `<` so that no note text can end its script element. */
const jsonWithin = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

type Format = (notes: AsyncIterable<GraphNote>) => AsyncIterable<string>;

/** Formats by the name that `--format` takes. */
export const FORMATS: Readonly<Record<'jsonl' | 'json' | 'graphml' | 'csv' | 'dot', Format>> = Object.freeze({
  jsonl,
  json,
  graphml,
  csv,
  dot,
});

/** One line per note, with all its fields. */
async function* jsonl(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  for await (const note of notes) yield `${JSON.stringify(note)}\n`;
}

/** One object of nodes and edges. */
async function* json(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  let open = '{"nodes":[';
  let before = '';
  for await (const part of graphOf(notes)) {
    if ('edge' in part && open !== '"edges":[') {
      yield before === '' ? `${open}],` : '\n],';
      [open, before] = ['"edges":[', ''];
    }
    yield `${before === '' ? open : before}\n${JSON.stringify('node' in part ? part.node : part.edge)}`;
    before = ',';
  }
  const isEmpty = before === '';
  const hasEdges = open === '"edges":[';
  yield `${isEmpty ? open : '\n'}]${hasEdges ? '' : ',"edges":[]'}}\n`;
}

const GRAPHML_HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="kind" for="node" attr.name="kind" attr.type="string"/>
<key id="tags" for="node" attr.name="tags" attr.type="string"/>
<key id="link" for="edge" attr.name="kind" attr.type="string"/>
<key id="line" for="edge" attr.name="line" attr.type="int"/>
<graph edgedefault="directed">
`;

async function* graphml(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield GRAPHML_HEAD;
  for await (const part of graphOf(notes)) {
    if ('node' in part) {
      const { path, title, kind, tags } = part.node;
      const data = `${datum('title', title)}${datum('kind', kind)}${tags.length === 0 ? '' : datum('tags', tags.join(' '))}`;
      yield `<node id="${xml(path)}">${data}</node>\n`;
    } else {
      const { source, target, kind, line } = part.edge;
      const data = `${datum('link', kind)}${datum('line', String(line))}`;
      yield `<edge source="${xml(source)}" target="${xml(target)}">${data}</edge>\n`;
    }
  }
  yield '</graph>\n</graphml>\n';
}

const datum = (key: string, value: string): string => `<data key="${key}">${xml(value)}</data>`;

const XML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
/** XML 1.0 cannot represent most control characters or lone surrogates. */
function xml(text: string): string {
  const writable = text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd');
  return writable
    .replaceAll(/[&<>"]/g, (character) => `&${XML_NAMES[character]};`)
    .replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** One row per link; unresolved links have an empty target. */
async function* csv(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield 'source,target,kind,line,link,display\r\n';
  for await (const { path: source, links } of notes) {
    for (const { path, kind, line, link, display } of links)
      yield `${[source, path ?? '', kind, String(line), link, display].map(cell).join(',')}\r\n`;
  }
}

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function* dot(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield 'digraph vault {\n';
  for await (const part of graphOf(notes)) {
    if ('node' in part) yield `  ${quoted(part.node.path)} [label=${quoted(part.node.title)}];\n`;
    else yield `  ${quoted(part.edge.source)} -> ${quoted(part.edge.target)};\n`;
  }
  yield '}\n';
}

/** In DOT a backslash begins an escape in labels, so each is doubled. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n\0]/g, ' ')}"`;

/** The fields of an exported note that a graph needs. */
export interface GraphNote {
  readonly path: string;
  readonly kind: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly links: readonly GraphLink[];
}

interface GraphLink {
  readonly kind: string;
  readonly link: string;
  /** Null for an unresolved link. */
  readonly path: string | null;
  readonly display: string;
  readonly line: number;
}

interface GraphNode {
  readonly path: string;
  readonly title: string;
  /** `note`, `canvas`, `base`, or `attachment` for any other linked file. */
  readonly kind: string;
  readonly tags: readonly string[];
}

interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly kind: string;
  readonly line: number;
}

/** All notes in order, then linked attachments; then every resolved link, as often as it occurs. */
async function* graphOf(
  notes: AsyncIterable<GraphNote>,
): AsyncGenerator<{ readonly node: GraphNode } | { readonly edge: GraphEdge }> {
  const seen = new Set<string>();
  const edges: GraphEdge[] = [];
  for await (const { path, title, kind, tags, links } of notes) {
    seen.add(path);
    for (const { path: target, kind: link, line } of links)
      if (target !== null) edges.push({ source: path, target, kind: link, line });
    yield { node: { path, title, kind, tags } };
  }
  const attached = new Set(edges.map(({ target }) => target).filter((target) => !seen.has(target)));
  for (const path of [...attached].sort())
    yield { node: { path, title: fileName(path), kind: 'attachment', tags: [] } };
  for (const edge of edges) yield { edge };
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

// Reads the whole texts of many notes, with their links and properties, for an export.

const NOTES_AT_ONCE = 20;
/** The longest text of a note: even with three bytes a character it fits into one answer. */
const MAX_TEXT = 250_000;

interface ReadNotes {
  readonly succeeded: readonly { readonly id: string; readonly result: ReadNote }[];
}

interface ReadNote {
  readonly content: string;
  readonly truncated?: object;
  readonly links: readonly { readonly link: string; readonly path?: string }[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The notes, or parts of notes, by their references. How many could not be read, or not whole, is printed to stderr.
 * @param what the words for more than one of them
 */
export async function noteTexts(
  paths: readonly string[],
  core: GraphCore,
  what = 'notes',
): Promise<ReadonlyMap<string, EmbeddedNote>> {
  const texts = new Map<string, EmbeddedNote>();
  let cut = 0;
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    for (const { id, result } of await readNotes(paths.slice(at, at + NOTES_AT_ONCE), core)) {
      texts.set(id, embeddedNote(result));
      if (result.truncated !== undefined) cut += 1;
    }
  }
  const without = paths.length - texts.size;
  if (without > 0) report(`${without} ${what} could not be read and have no text here\n`);
  if (cut > 0) report(`${cut} ${what} are longer than ${MAX_TEXT} characters and are cut here\n`);
  return texts;
}

/** Halves a batch whose answer would be too large. */
async function readNotes(notes: readonly string[], core: GraphCore): Promise<ReadNotes['succeeded']> {
  const caller = { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: 'vaultgraph export' };
  const input = { notes, include: ['content', 'links', 'properties'], max_chars: MAX_TEXT };
  const { structured } = await core.call('read_notes', input, caller);
  if (structured.ok) return (structured.data as unknown as ReadNotes).succeeded;
  if (structured.error.code !== 'LIMIT_EXCEEDED' || notes.length === 1) return [];
  const half = Math.ceil(notes.length / 2);
  const parts = [notes.slice(0, half), notes.slice(half)];
  return [...(await readNotes(parts[0] ?? [], core)), ...(await readNotes(parts[1] ?? [], core))];
}

function embeddedNote({ content, links, properties }: ReadNote): EmbeddedNote {
  return {
    text: content,
    links: Object.fromEntries(links.map(({ link, path = null }) => [link, path])),
    properties,
  };
}
