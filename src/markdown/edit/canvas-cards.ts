// Adds text cards to a canvas and deletes nodes of it, with the arrows of these; all else of the file stays byte for byte.
import { contentHash } from '../../base/content-hash.ts';
import { isObject } from '../../base/plain-object.ts';
import { canvasLists, type ListPlace } from '../parse/canvas.ts';
import { applySplices, type Splice } from './splice.ts';

/** What a canvas file says of a node; all but the id can be missing. */
export interface WrittenNode {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}

export interface WrittenCanvas {
  readonly nodes?: readonly WrittenNode[];
  readonly edges?: unknown;
}

/** `below`: the id of the card below which it is; without one it is below all. */
export interface NewCard {
  readonly text: string;
  readonly below?: string;
}

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

const GAP = 20;
const WIDTH = 260;
const MIN_HEIGHT = 60;
const LINE_HEIGHT = 26;
const LINE_LENGTH = 32;

/** The canvas with the cards, and their ids. Each has the width of the one that it is below, and the first free place there. */
export function withCards(json: string, added: readonly NewCard[]): { readonly text: string; readonly ids: string[] } {
  if (added.length === 0) return { text: json, ids: [] };
  const canvas: WrittenCanvas = json.trim() === '' ? {} : JSON.parse(json);
  const nodes = canvas.nodes ?? [];
  const taken = new Set(nodes.map(({ id }) => id));
  const ids: string[] = [];
  const boxes = nodes.filter(({ type }) => type !== 'group').map(boxOf);
  const cards = added.map(({ text, below }) => {
    const above = nodes.find(({ id }) => below !== undefined && id === below);
    const box = freePlace(boxes, text, above === undefined ? undefined : boxOf(above));
    boxes.push(box);
    const id = freshId(`${json}\n${text}`, taken);
    taken.add(id);
    ids.push(id);
    return JSON.stringify({ id, type: 'text', text, ...box });
  });
  return { text: applySplices(json, [insertion(json, cards)]), ids };
}

function boxOf(node: WrittenNode): Box {
  const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return { x: number(node.x), y: number(node.y), width: number(node.width), height: number(node.height) };
}

function freePlace(boxes: readonly Box[], text: string, above: Box | undefined): Box {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil((line.length + 1) / LINE_LENGTH), 0);
  const height = Math.max(MIN_HEIGHT, (lines + 1) * LINE_HEIGHT);
  const bottom = boxes.reduce((most, box) => Math.max(most, box.y + box.height), Number.NEGATIVE_INFINITY);
  const last = above ?? boxes.find((box) => box.y + box.height === bottom);
  const x = last?.x ?? 0;
  const width = above === undefined || above.width <= 0 ? WIDTH : above.width;
  let y = last === undefined ? 0 : last.y + last.height + GAP;
  for (const box of boxes.toSorted((one, other) => one.y - other.y)) {
    const overlaps = box.x < x + width && x < box.x + box.width && box.y < y + height && y < box.y + box.height;
    if (overlaps) y = box.y + box.height + GAP;
  }
  return { x, y, width, height };
}

const ID_DIGITS = 16;

/** The same for the same canvas and text, so that a plan is carried out as it was shown. */
function freshId(seed: string, taken: ReadonlySet<unknown>): string {
  for (let round = 0; ; round += 1) {
    const id = contentHash(Buffer.from(`${round}\n${seed}`)).slice(0, ID_DIGITS);
    if (!taken.has(id)) return id;
  }
}

/** In the layout of the file, or as Obsidian writes an empty canvas. */
function insertion(json: string, cards: readonly string[]): Splice {
  const list = canvasLists(json).nodes;
  const listed = `"nodes":[\n\t\t${cards.join(',\n\t\t')}\n\t]`;
  if (json.trim() === '') return { from: 0, to: json.length, text: `{\n\t${listed},\n\t"edges":[]\n}` };
  const root = json.indexOf('{') + 1;
  const isEmpty = json.slice(root).trim().startsWith('}');
  if (list === undefined) return { from: root, to: root, text: `\n\t${listed}${isEmpty ? '\n' : ','}` };
  const last = list.items.at(-1);
  if (last === undefined) return { from: list.from, to: list.to, text: listed.slice('"nodes":'.length) };
  const between = separator(json, list);
  return { from: last.to, to: last.to, text: cards.map((card) => between + card).join('') };
}

/** What the file has between two nodes. */
function separator(json: string, { from, items: [first, second] }: ListPlace): string {
  if (first === undefined) return ',';
  return second === undefined ? `,${json.slice(from + 1, first.from)}` : json.slice(first.to, second.from);
}

/** Removes the nodes at these places of the list, and every arrow from or to one of them; `arrows`: how many these are. */
export function deletionOf(json: string, canvas: WrittenCanvas, nodes: ReadonlySet<number>) {
  if (nodes.size === 0) return { splices: [], arrows: 0 };
  const { nodes: written = [], edges } = canvas;
  const kept = new Set(written.filter((_, at) => !nodes.has(at)).map(({ id }) => id));
  const gone = new Set([...nodes].map((at) => written[at]?.id).filter((id) => !kept.has(id)));
  const lists = canvasLists(json);
  const all: readonly unknown[] = Array.isArray(edges) && lists.edges?.items.length === edges.length ? edges : [];
  const touches = (edge: unknown): boolean => isObject(edge) && (gone.has(edge.fromNode) || gone.has(edge.toNode));
  const arrows = new Set(all.flatMap((edge, at) => (touches(edge) ? [at] : [])));
  return { splices: [...removals(lists.nodes, nodes), ...removals(lists.edges, arrows)], arrows: arrows.size };
}

function removals(list: ListPlace | undefined, removed: ReadonlySet<number>): Splice[] {
  const items = list?.items ?? [];
  const splices: Splice[] = [];
  for (let at = 0; at < items.length; at += 1) {
    if (!removed.has(at)) continue;
    const first = at;
    while (removed.has(at + 1)) at += 1;
    const [one, last, next, before] = [items[first], items[at], items[at + 1], items[first - 1]];
    if (one === undefined || last === undefined) continue;
    if (next !== undefined) splices.push({ from: one.from, to: next.from, text: '' });
    else splices.push({ from: before?.to ?? one.from, to: last.to, text: '' });
  }
  return splices;
}
