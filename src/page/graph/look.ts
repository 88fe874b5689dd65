// The colour, size and visibility of each note and link for the current view.
import { groupColour, linkColour, mixed, type Palette } from '../../picture/palette.ts';
import { radii } from '../../picture/shape.ts';
import { hasTag, isInFolder, type Model, topFolder } from '../source/model.ts';
import { looseOf } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';
import { localNodes } from './local-graph.ts';
import { noteMatch } from './note-query.ts';

export interface Look {
  /** Per node: an index into the colours, or -1 for none. */
  readonly colourOf: Int32Array;
  readonly sizes: Float32Array;
  isShown(node: number): boolean;
  isFaded(node: number): boolean;
  /** Whether its links are so many that each is drawn faintly. */
  isHub(node: number): boolean;
  /** Whether so few notes are highlighted that each can show its title. */
  readonly isFew: boolean;
  nodeColour(node: number): string;
  /** The style of a link between two nodes. */
  pairColour(one: number, other: number): string;
}

/** Highlighted notes are drawn above the others. */
const FADED = 0.26;
const FEW = 24;
/** With more links than this, each is drawn fainter, so that they do not hide the notes. */
const CLEAR_PAIRS = 5_000;
const FAINTEST = 0.3;

/** A note of more links than this, and than this many times the root of the number of notes, is a hub. */
const [HUB_LINKS, HUB_ROOTS] = [50, 4];
/** What is left of the colour of a hub's links. */
const HUB_FADED = 0.35;

/** @param lit the highlighted nodes; undefined for all */
export function lookOf(model: Model, state: ViewState, palette: Palette, lit: ReadonlySet<number> | undefined): Look {
  const { notes } = model.picture;
  const near = localNodes(model, state);
  const colourOf = coloursOf(model, state);
  const scores = state.sizeBy === 'rank' ? notes.map(({ rank }) => rank) : model.shape.degrees;
  const isFaded = (node: number): boolean => lit !== undefined && !lit.has(node);
  const dimmed = remembering((colour: string) => mixed(colour, palette.paper, FADED));
  const strength = Math.min(1, Math.max(FAINTEST, Math.sqrt(CLEAR_PAIRS / Math.max(1, model.shape.pairs.length / 2))));
  const faint = remembering((colour: string) => mixed(colour, palette.paper, strength));
  const ofHub = remembering((colour: string) => mixed(colour, palette.paper, HUB_FADED));
  const within = remembering((group: number) => linkColour(group, group, palette));
  return Object.freeze({
    colourOf,
    sizes: radii(scores),
    isShown: (node: number) => near?.has(node) !== false && isShown(node, model, state),
    isFaded,
    isHub: (node: number) => isHub(node, model),
    isFew: ((lit ?? near)?.size ?? Number.POSITIVE_INFINITY) <= FEW,
    nodeColour: (node: number) => {
      const colour = groupColour(colourOf[node] ?? -1, palette);
      return isFaded(node) ? dimmed(colour) : colour;
    },
    pairColour: (one: number, other: number) => {
      const group = colourOf[one] ?? -1;
      const plain = faint(group === colourOf[other] ? within(group) : palette.link);
      const colour = isHub(one, model) || isHub(other, model) ? ofHub(plain) : plain;
      return isFaded(one) || isFaded(other) ? dimmed(colour) : colour;
    },
  });
}

/** Caches mixed colours: there are few colours and many links. */
function remembering<K>(make: (key: K) => string): (key: K) => string {
  const colors = new Map<K, string>();
  return (key) => {
    const value = colors.get(key) ?? make(key);
    colors.set(key, value);
    return value;
  };
}

function isHub(node: number, { shape }: Model): boolean {
  return (shape.degrees[node] ?? 0) > Math.max(HUB_LINKS, HUB_ROOTS * Math.sqrt(shape.count));
}

function isShown(node: number, model: Model, { folder, tag, until, orphans, hubs }: ViewState): boolean {
  const { picture, shape } = model;
  const note = picture.notes[node];
  if (note === undefined) return false;
  if (!orphans && shape.degrees[node] === 0) return false;
  if (!hubs && isHub(node, model)) return false;
  if (until !== undefined && note.date > until) return false;
  return (folder === undefined || isInFolder(note, folder)) && (tag === undefined || hasTag(note, tag));
}

/** Assigns the first colours to the top folders with the most notes. */
export function coloursOfFolders({ picture }: Model): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { path } of picture.notes) counts.set(topFolder(path), (counts.get(topFolder(path)) ?? 0) + 1);
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

function coloursOf(model: Model, { colourBy, queries }: Pick<ViewState, 'colourBy' | 'queries'>): Int32Array {
  if (colourBy === 'group') return model.shape.groups;
  return colourBy === 'folder' ? folderColours(model) : queryColours(model, queries);
}

/** Per note: the first query that matches it, or -1. */
export function queryColours({ picture }: Model, queries: readonly string[]): Int32Array {
  const matches = queries.map(noteMatch);
  return Int32Array.from(picture.notes, (note) => matches.findIndex((isMatch) => isMatch(note)));
}

function folderColours(model: Model): Int32Array {
  const order = new Map(coloursOfFolders(model).map(([folder], place) => [folder, place]));
  return Int32Array.from(model.picture.notes, ({ path }) => order.get(topFolder(path)) ?? -1);
}

/** Undefined if all notes are highlighted. */
export function litNodes(model: Model, state: ViewState): ReadonlySet<number> | undefined {
  if (state.chain !== undefined) return new Set(state.chain.flatMap((path) => model.nodes.get(path) ?? []));
  // In a local graph all is about the selected note.
  const pointed = state.hovered ?? (state.local ? undefined : state.selected);
  if (pointed !== undefined) return aroundOf(model, pointed);
  if (state.marked.length > 0) return new Set(state.marked.flatMap((path) => model.nodes.get(path) ?? []));
  return state.colour === undefined ? undefined : ofColour(model, state, state.colour);
}

function aroundOf({ nodes, around, picture }: Model, key: string): ReadonlySet<number> | undefined {
  const node = nodes.get(key);
  if (node !== undefined) return new Set([node, ...(around[node] ?? [])]);
  const loose = looseOf(picture, key);
  return loose === undefined ? undefined : new Set(loose.sources);
}

/** @param colour a group or query by number, or a top folder */
function ofColour(model: Model, state: ViewState, colour: string): ReadonlySet<number> {
  const { notes } = model.picture;
  const colours = coloursOf(model, state);
  const isOf =
    state.colourBy === 'folder'
      ? (node: number) => topFolder(notes[node]?.path ?? '') === colour
      : (node: number) => colours[node] === Number(colour);
  return new Set([...notes.keys()].filter(isOf));
}
