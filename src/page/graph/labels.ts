// Draws the titles of notes where they cover neither each other nor, if there is room, a disc.
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import type { Palette } from '../../picture/palette.ts';

type Labelled = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'> & { readonly key?: string };

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const MAX_LENGTH = 34;
const RING_WIDTH = 2.5;
const GAP = 5;
/** Smaller titles are hard to read. */
const MIN_LABEL_SCALE = 0.9;

/** The area of a title, in window pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Drawing {
  readonly palette: Palette;
  /** The scale of the titles. */
  readonly scale: number;
  /** Areas of titles drawn before. */
  readonly taken: Box[];
  /** Whose discs a title avoids if it can. */
  readonly discs: readonly Labelled[];
  /** By the key of a note: where its title was drawn last, which is where it stays when the note is chosen. */
  readonly places: Map<string, number>;
}

export function createLabels() {
  let waiting: Labelled[] = [];
  /** The titles and discs of the chosen notes, which are drawn before the titles that wait. */
  let marked: Box[] = [];
  let places = new Map<string, number>();
  let canvas: CanvasRenderingContext2D | undefined;
  return Object.freeze({
    /** Queues a title for the next `draw`. */
    add: (context: CanvasRenderingContext2D, data: Labelled) => {
      canvas = context;
      waiting.push({ ...data });
    },
    draw: (palette: Palette, scale: number) => {
      places = new Map();
      const drawing = { palette, scale, taken: [...marked, ...cards()], discs: waiting, places };
      const rest = waiting.filter(({ highlighted }) => highlighted !== true);
      rest.sort((a, b) => Number(b.forceLabel ?? false) - Number(a.forceLabel ?? false) || b.size - a.size);
      for (const data of rest) if (canvas !== undefined) drawLabel(canvas, data, drawing);
      waiting = [];
    },
    /** Draws the hovered or chosen note at once, with a ring. */
    drawMarked: (context: CanvasRenderingContext2D, data: Labelled, palette: Palette, scale: number) => {
      context.beginPath();
      context.arc(data.x, data.y, data.size + RING_WIDTH, 0, 2 * Math.PI);
      context.lineWidth = RING_WIDTH;
      context.strokeStyle = palette.accent;
      context.stroke();
      // What is drawn at once is drawn in one turn.
      if (marked.length === 0) queueMicrotask(() => (marked = []));
      const drawing = { palette, scale, taken: marked, discs: [], places };
      drawLabel(context, { ...data, forceLabel: true }, drawing, true);
      marked.push(boxOf(data));
    },
  });
}

/** What lies on the graph and would cut a title. */
const CARDS = ['finder', 'timeline', 'local', 'legend', 'summary', 'tools', 'panel'];

const cards = (): Box[] =>
  CARDS.flatMap((id) => {
    // The page beside an answer has only some of them.
    const card = document.getElementById(id);
    return card?.checkVisibility() ? [card.getBoundingClientRect()] : [];
  });

/** Draws a title with an outline, so that it is legible on links. @param always also where no place is free */
function drawLabel(context: CanvasRenderingContext2D, data: Labelled, drawing: Drawing, always = false): void {
  if (!data.label) return;
  const { palette, scale, taken } = drawing;
  const height = Math.min(15, Math.max(11.5, 9.5 + (data.size / scale) * 0.22)) * Math.max(scale, MIN_LABEL_SCALE);
  context.font = `${data.size > 12 ? 600 : 450} ${height}px ${FONT}`;
  const text = shortened(data.label);
  const boxes = boxesAround(data, context.measureText(text).width, height);
  const box = freeBox(data, boxes, drawing) ?? (always ? boxes[0] : undefined);
  if (box === undefined) return;
  if (data.key !== undefined) drawing.places.set(data.key, boxes.indexOf(box));
  taken.push(box);
  context.textAlign = 'center';
  context.lineJoin = 'round';
  context.lineWidth = 3.5;
  context.strokeStyle = palette.paper;
  context.fillStyle = palette.ink;
  const [x, y] = [(box.left + box.right) / 2, box.top + height];
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

/** Below the disc, above it, at its right and at its left. */
function boxesAround({ x, y, size }: Labelled, width: number, height: number): readonly Box[] {
  const at = (middle: number, top: number): Box => {
    const half = width / 2 + GAP;
    return { left: middle - half, right: middle + half, top, bottom: top + height + 4 };
  };
  const [beside, half] = [size + GAP + width / 2, y - height * 0.65];
  return [at(x, y + size + 1), at(x, y - size - height - GAP), at(x + beside, half), at(x - beside, half)];
}

/** A title that is not asked for has only the place below its disc. */
function freeBox(data: Labelled, boxes: readonly Box[], { taken, discs, places }: Drawing): Box | undefined {
  const last = boxes[places.get(data.key ?? '') ?? 0];
  const inOrder = last === undefined ? boxes : [...new Set([last, ...boxes])];
  const isWhole = ({ left, right }: Box): boolean => left >= 0 && right <= innerWidth;
  const free = inOrder.filter((box) => isWhole(box) && !taken.some((other) => overlap(box, other)));
  const isClear = (box: Box): boolean => !discs.some((disc) => isOther(disc, data) && overlap(box, boxOf(disc)));
  return data.forceLabel ? (free.find(isClear) ?? free[0]) : free.find((box) => box === boxes[0]);
}

const isOther = (one: Labelled, other: Labelled): boolean => one.x !== other.x || one.y !== other.y;

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const boxOf = ({ x, y, size }: Labelled): Box => ({
  left: x - size,
  right: x + size,
  top: y - size,
  bottom: y + size,
});

/** Removes direction marks, which would reverse the text after them. */
function shortened(label: string): string {
  const plain = label.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
  const characters = [...plain];
  return characters.length <= MAX_LENGTH ? plain : `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
}
