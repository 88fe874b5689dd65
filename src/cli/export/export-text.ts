// Writes the whole graph in one of the export formats.
import { createHash } from 'node:crypto';
import { NEVER } from '../../base/until-aborted.ts';
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import type { GraphCore } from '../../core/graph-core.ts';
import { createLayout, enoughSteps } from '../../picture/layout.ts';
import { PALETTES } from '../../picture/palette.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import { type EmbeddedGraph, type Shape, shapeOf } from '../../picture/shape.ts';
import { svgOf } from '../../picture/svg.ts';
import { builtPageFiles, type PageFile, type PageFiles } from '../view/page-files.ts';
import type { GraphNote } from './exported-graph.ts';
import { FORMATS } from './formats.ts';
import { noteTexts } from './note-texts.ts';

/** The formats of one text. */
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
const SCRIPT_TAG = '<script src="page.js"></script>';

export async function htmlOf(graph: EmbeddedGraph, files: PageFiles): Promise<string> {
  const names = [...readerParts(graph), 'page.js'] as const;
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
    .replace(SCRIPT_TAG, () => [data, ...scripts.map((script) => `<script>${script}</script>`)].join('\n'));
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
