// Gives each note and link of the drawing its colour, size and marks for the current view.
import type Graph from 'graphology';
import { mixed, type Palette } from '../../picture/palette.ts';
import type { Loose } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';
import type { Shown } from './drawn-graph.ts';
import type { Look } from './look.ts';

/** With more links than this, they are drawn as hairlines, which cost a tenth. */
const MANY_PAIRS = 6_000;
const MANY_NOTES = 1_500;
/** Pixels of the ring around a collected note. */
const COLLECTED_RIM = 2;

type Attributes = ReturnType<Graph['getNodeAttributes']>;

interface Dress {
  readonly look: Look;
  readonly palette: Palette;
  /** Of the discs. */
  readonly scale: number;
}

export function dressAll({ graph, model }: Shown, state: ViewState, { look, palette, scale }: Dress): void {
  const type = model.shape.count > MANY_NOTES ? 'dot' : 'disc';
  const chain = new Set(state.chain ?? []);
  const collected = new Set(state.marked);
  const hollow = {
    color: palette.paper,
    rim: mixed(palette.ink, palette.paper, 0.45),
    rimWidth: 1.2,
    size: (type === 'dot' ? 2.6 : 4.2) * scale,
  };
  const plain = model.shape.pairs.length / 2 > MANY_PAIRS ? { size: 1, type: 'hair' } : { size: 1.5, type: 'line' };
  graph.forEachNode((key, attributes) => {
    const { node, loose } = attributes;
    const isMarked = key === state.selected || key === state.cursor;
    const isStep = chain.has(key);
    const marks = { highlighted: isMarked, zIndex: Number(isMarked) * 2 + Number(isStep), type };
    if (node === undefined) {
      const isOn = key === state.selected || isSwitchedOn(loose.kind);
      const hidden = !isOn || !loose.sources.some(look.isShown);
      Object.assign(attributes, hollow, marks, { hidden, forceLabel: isMarked });
      return;
    }
    const isFaded = look.isFaded(node);
    const size = (look.sizes[node] ?? 3) * scale;
    const isCollected = collected.has(key);
    const rim = isCollected
      ? { rim: palette.ink, rimWidth: COLLECTED_RIM, size: Math.max(size, COLLECTED_RIM * 3) }
      : { rim: palette.paper, rimWidth: Math.min(1, size / 5), size };
    Object.assign(attributes, marks, rim, {
      hidden: !look.isShown(node),
      color: isStep ? palette.accent : look.nodeColour(node),
      label: isFaded ? null : model.picture.notes[node]?.title,
      forceLabel: isMarked || isStep || isCollected || (look.isFew && !isFaded),
    });
  });
  graph.forEachEdge((_key, attributes, source, target) => {
    Object.assign(attributes, linkLook(attributes, source, target));
  });

  function isSwitchedOn(kind: Loose['kind']): boolean {
    return kind === 'file' ? state.files : state.unresolved;
  }

  function linkLook({ one, other, kind, source: from }: Attributes, source: string, target: string): object {
    const isOwn = state.chain === undefined && (source === state.selected || target === state.selected);
    if (kind !== undefined) {
      const hidden = !(isOwn || isSwitchedOn(kind)) || !look.isShown(from);
      return { ...plain, color: palette.link, zIndex: 0, hidden };
    }
    const hidden = !(look.isShown(one) && look.isShown(other));
    if (follows(state.chain, source, target))
      return { hidden, color: palette.accent, size: 3, zIndex: 2, type: 'line' };
    const color = look.pairColour(one, other);
    if (isOwn) return { hidden, color: mixed(palette.ink, color, 0.3), size: 1.9, zIndex: 1, type: 'line' };
    return { ...plain, hidden, color, zIndex: 0 };
  }
}

/** Whether the two are neighbours in the path. */
function follows(chain: readonly string[] | undefined, one: string, other: string): boolean {
  if (chain === undefined) return false;
  const place = chain.indexOf(one);
  return place >= 0 && (chain[place + 1] === other || chain[place - 1] === other);
}
