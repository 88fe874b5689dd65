// Writes the whole graph in one of the export formats.
import { createHash } from 'node:crypto';
import { NEVER } from '../../base/until-aborted.ts';
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import type { GraphCore } from '../../graph-core.ts';
import { createLayout, enoughSteps } from '../../picture/layout.ts';
import { PALETTES } from '../../picture/palette.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import { type EmbeddedGraph, type Shape, shapeOf } from '../../picture/shape.ts';
import { svgOf } from '../../picture/svg.ts';
import { builtPageFiles, type PageFiles } from '../view/page-files.ts';
import type { GraphNote } from './exported-graph.ts';
import { FORMATS } from './formats.ts';

export const FORMAT_NAMES = ['jsonl', 'json', 'graphml', 'csv', 'dot', 'svg', 'html'] as const;
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
  const texts = withText ? { texts: await noteTexts(picture, core) } : {};
  yield await htmlOf({ picture, places: rounded, ...texts }, builtPageFiles(import.meta.url));
}

function laidOut(picture: GraphPicture): { readonly shape: Shape; readonly places: Float32Array } {
  const shape = shapeOf(picture);
  const layout = createLayout(shape, seedPlaces(shape));
  layout.advance(enoughSteps(shape));
  return { shape, places: layout.places() };
}

const NOTES_AT_ONCE = 50;

interface ReadNotes {
  readonly succeeded: readonly { readonly id: string; readonly result: { readonly content: string } }[];
}

/** The texts by path. The number of unreadable notes is printed to stderr. */
export async function noteTexts({ notes }: GraphPicture, core: GraphCore): Promise<Readonly<Record<string, string>>> {
  const paths = notes.filter(({ kind }) => kind === 'note').map(({ path }) => path);
  const texts: [string, string][] = [];
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    const input = { notes: paths.slice(at, at + NOTES_AT_ONCE) };
    const caller = { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: 'vaultgraph view' };
    const { structured } = await core.call('read_notes', input, caller);
    const { succeeded } = structured.ok ? (structured.data as unknown as ReadNotes) : { succeeded: [] };
    for (const { id, result } of succeeded) texts.push([id, result.content]);
  }
  const without = paths.length - texts.length;
  if (without > 0) process.stderr.write(`${without} notes could not be read and have no text in the page\n`);
  return Object.fromEntries(texts);
}

/** The file names that `page.html` refers to. */
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const SCRIPT_TAG = '<script src="page.js"></script>';

export async function htmlOf(graph: EmbeddedGraph, files: PageFiles): Promise<string> {
  const [page, style, script] = await Promise.all([
    files.read('page.html'),
    files.read('page.css'),
    files.read('page.js'),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
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
    .replace(SCRIPT_TAG, () => `${data}\n<script>${script}</script>`);
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Escapes `<` so that no note text can end its script element. */
const jsonWithin = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
