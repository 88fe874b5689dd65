// Draws the graph as SVG with the positions, colours and sizes of the page.
import type { GraphPicture } from '../contracts/graph-picture.ts';
import { groupColour, linkColour, type Palette } from './palette.ts';
import { radii, type Shape } from './shape.ts';

const SIDE = 1600;
const MARGIN = 90;
/** Scale relative to the page, whose window is smaller than the drawing. */
const LARGER = 1.4;
/** Number of titles drawn. */
const MAX_LABELS = 60;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Yields the SVG piece by piece. @param places two numbers per note */
export function* svgOf(
  { vault, notes }: GraphPicture,
  shape: Shape,
  places: Float32Array,
  palette: Palette,
): Generator<string> {
  const at = fitted(places);
  const sizes = radii(notes.map(({ rank }) => rank)).map((size) => size * LARGER);
  yield `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}" font-family="${FONT}">\n`;
  yield `<title>${xml(vault)}</title>\n<rect width="${SIDE}" height="${SIDE}" fill="${palette.paper}"/>\n`;
  yield '<g fill="none" stroke-width="0.8">\n';
  yield* lines(shape, at, palette);
  yield `</g>\n<g stroke="${palette.paper}" stroke-width="1">\n`;
  const order = [...notes.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  for (const node of order) {
    const [x, y] = at(node);
    const fill = groupColour(notes[node]?.group ?? -1, palette);
    const radius = (sizes[node] ?? 1).toFixed(1);
    yield `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"><title>${xml(notes[node]?.title ?? '')}</title></circle>\n`;
  }
  yield `</g>\n<g fill="${palette.ink}" stroke="${palette.paper}" stroke-width="3" paint-order="stroke" text-anchor="middle">\n`;
  yield* labels({ notes, order, sizes, at });
  yield '</g>\n</svg>\n';
}

type At = (node: number) => readonly [number, number];

function fitted(places: Float32Array): At {
  const [xs, ys] = [0, 1].map((axis) => places.filter((_, at) => at % 2 === axis));
  const [left, right] = ends(xs ?? places);
  const [top, bottom] = ends(ys ?? places);
  const scale = (SIDE - 2 * MARGIN) / Math.max(right - left, bottom - top, 1);
  const onPage = (place: number, from: number, to: number): number =>
    Math.round((SIDE / 2 + (place - (from + to) / 2) * scale) * 10) / 10;
  return (node) => [onPage(places[node * 2] ?? 0, left, right), onPage(-(places[node * 2 + 1] ?? 0), -bottom, -top)];
}

function ends(values: Float32Array): [number, number] {
  if (values.length === 0) return [0, 0];
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

function* lines({ pairs, groups }: Shape, at: At, palette: Palette): Generator<string> {
  for (let pair = 0; pair < pairs.length; pair += 2) {
    const [one = 0, other = 0] = [pairs[pair], pairs[pair + 1]];
    const [[x1, y1], [x2, y2]] = [at(one), at(other)];
    yield `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${linkColour(groups[one] ?? -1, groups[other] ?? -1, palette)}"/>\n`;
  }
}

interface Labelled {
  readonly notes: GraphPicture['notes'];
  /** Nodes, most important first. */
  readonly order: readonly number[];
  readonly sizes: Float32Array;
  readonly at: At;
}

/** The titles of the most important notes that do not overlap another title. */
function* labels({ notes, order, sizes, at }: Labelled): Generator<string> {
  const taken: (readonly [number, number, number])[] = [];
  for (const node of order) {
    if (taken.length >= MAX_LABELS) return;
    const title = shortened(notes[node]?.title ?? '');
    const [x, top] = at(node);
    const y = Math.round(top + (sizes[node] ?? 0) + 15);
    const half = title.length * 3.9 + 6;
    if (taken.some(([tx, ty, reach]) => Math.abs(tx - x) < reach + half && Math.abs(ty - y) < 18)) continue;
    taken.push([x, y, half]);
    yield `<text x="${x}" y="${y}" font-size="14">${xml(title)}</text>\n`;
  }
}

const shortened = (title: string): string => {
  const characters = [...title];
  return characters.length <= 36 ? title : `${characters.slice(0, 35).join('')}…`;
};

const XML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
/** XML 1.0 cannot represent most control characters or lone surrogates. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}]|[\ufffe\uffff]/gu, ' ')
    .replaceAll(/[&<>"]/g, (character) => `&${XML_NAMES[character]};`);
}
