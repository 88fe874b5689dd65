// Draws titles below their discs, the largest first, without overlaps.
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import type { Palette } from '../../picture/palette.ts';

type Labelled = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>;

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const MAX_LENGTH = 34;
const RING_WIDTH = 2.5;
const GAP = 5;
/** Smaller titles are hard to read. */
const MIN_LABEL_SCALE = 0.9;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly half: number;
  readonly height: number;
}

export function createLabels() {
  let waiting: Labelled[] = [];
  let canvas: CanvasRenderingContext2D | undefined;
  return Object.freeze({
    /** Queues a title for the next `draw`. */
    add: (context: CanvasRenderingContext2D, data: Labelled) => {
      canvas = context;
      waiting.push({ ...data });
    },
    /** @param scale of the titles */
    draw: (palette: Palette, scale: number) => {
      const taken: Box[] = [];
      waiting.sort((a, b) => Number(b.forceLabel ?? false) - Number(a.forceLabel ?? false) || b.size - a.size);
      for (const data of waiting) if (canvas !== undefined) drawLabel(canvas, data, { palette, scale, taken });
      waiting = [];
    },
    /** Draws the hovered or focused note at once, with a ring. */
    drawMarked: (context: CanvasRenderingContext2D, data: Labelled, palette: Palette, scale: number) => {
      context.beginPath();
      context.arc(data.x, data.y, data.size + RING_WIDTH, 0, 2 * Math.PI);
      context.lineWidth = RING_WIDTH;
      context.strokeStyle = palette.accent;
      context.stroke();
      drawLabel(context, { ...data, forceLabel: true }, { palette, scale, taken: [] });
    },
  });
}

interface Drawing {
  readonly palette: Palette;
  readonly scale: number;
  /** Areas of titles drawn before. */
  readonly taken: Box[];
}

/** Draws a title with an outline, so that it is legible on links. */
function drawLabel(context: CanvasRenderingContext2D, data: Labelled, { palette, scale, taken }: Drawing): void {
  if (!data.label) return;
  const height = Math.min(15, Math.max(11.5, 9.5 + (data.size / scale) * 0.22)) * Math.max(scale, MIN_LABEL_SCALE);
  context.font = `${data.size > 12 ? 600 : 450} ${height}px ${FONT}`;
  const text = shortened(data.label);
  const box = {
    x: data.x,
    y: data.y + data.size + height + 1,
    half: context.measureText(text).width / 2 + GAP,
    height,
  };
  if (taken.some((other) => overlap(box, other))) return;
  taken.push(box);
  context.textAlign = 'center';
  context.lineJoin = 'round';
  context.lineWidth = 3.5;
  context.strokeStyle = palette.paper;
  context.fillStyle = palette.ink;
  context.strokeText(text, box.x, box.y);
  context.fillText(text, box.x, box.y);
}

function overlap(one: Box, other: Box): boolean {
  const isBeside = Math.abs(one.x - other.x) >= one.half + other.half;
  return !isBeside && Math.abs(one.y - other.y) < (one.height + other.height) / 2 + 2;
}

/** Removes direction marks, which would reverse the text after them. */
function shortened(label: string): string {
  const plain = label.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
  const characters = [...plain];
  return characters.length <= MAX_LENGTH ? plain : `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
}
