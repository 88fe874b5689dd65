// Places the notes: as they were kept with the index, and otherwise by a layout that runs in a worker.
import { enoughSteps } from '../../picture/layout.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import type { GraphSource } from '../source/graph-source.ts';
import type { Model } from '../source/model.ts';
import type { LayoutNews, LayoutTask } from './layout-thread.ts';

/** Enough for some notes to settle between the others. */
const FEW_STEPS = 60;
/** Drawing takes at most this share of the time, so that the layout and the page continue. */
const SHARE_OF_DRAWING = 0.15;
const MIN_WAIT_MS = 16;
/** If more of the notes than this are new, all are placed again. */
const MAX_NEW = 0.25;

export interface Placed {
  /** The initial positions of the notes, two numbers per note. */
  readonly places: Float32Array;
  stop(): unknown;
}

interface KeptPlace {
  readonly x: number;
  readonly y: number;
  /** The number of linked notes then. */
  readonly degree: number;
}

export function createLayouts(source: GraphSource) {
  let placesBefore: ReadonlyMap<string, KeptPlace> = new Map();
  return Object.freeze({
    /** Reads the places that are kept with the index. */
    load: async (model: Model): Promise<void> => {
      placesBefore = keptPlaces(model, await source.keptPlaces(model.picture.revision));
    },
    /** @param move called with new positions until they settle. @param settled called after the last of them, or after the first frame if none follow; says whether any did */
    run: (model: Model, move: (places: Float32Array) => void, settled: (hasMoved: boolean) => void): Placed => {
      if (source.places !== undefined) return still(Float32Array.from(source.places), settled);
      const task = taskOf(model, placesBefore);
      if (task === undefined) return still(startingPlaces(model, placesBefore), settled);
      return runTask(task, move, (places) => {
        placesBefore = new Map(model.picture.notes.map(({ path }, node) => [path, placeOf(model, places, node)]));
        settled(true);
        void source.keepPlaces(model.picture.revision, rowsOf(model, places));
      });
    },
  });
}

function still(places: Float32Array, settled: (hasMoved: boolean) => void): Placed {
  let isStopped = false;
  void drawn().then(() => {
    if (isStopped) return;
    settled(false);
    markSettled();
  });
  return { places, stop: () => (isStopped = true) };
}

/** Lets tests and tools see when nothing moves any more. */
function markSettled(): void {
  document.body.dataset.layout = 'settled';
}

const placeOf = ({ shape }: Model, places: Float32Array, node: number): KeptPlace => ({
  x: places[node * 2] ?? 0,
  y: places[node * 2 + 1] ?? 0,
  degree: shape.degrees[node] ?? 0,
});

/** Three numbers per note: x, y and degree. */
function rowsOf(model: Model, places: Float32Array): readonly number[] {
  const round = (place: number): number => Math.round(place * 100) / 100;
  return model.picture.notes.flatMap((_, node) => {
    const { x, y, degree } = placeOf(model, places, node);
    return [round(x), round(y), degree];
  });
}

function keptPlaces({ picture }: Model, rows: readonly (number | null)[]): ReadonlyMap<string, KeptPlace> {
  const places = new Map<string, KeptPlace>();
  for (const [node, { path }] of picture.notes.entries()) {
    const [x, y, degree] = rows.slice(node * 3, node * 3 + 3);
    if (typeof x === 'number' && typeof y === 'number') places.set(path, { x, y, degree: degree ?? 0 });
  }
  return places;
}

/** Undefined if every note has a place and the links that it had then. */
function taskOf(model: Model, kept: ReadonlyMap<string, KeptPlace>): LayoutTask | undefined {
  const { shape, picture } = model;
  const stays = Uint8Array.from(picture.notes, ({ path }, node) =>
    kept.get(path)?.degree === shape.degrees[node] ? 1 : 0,
  );
  const moving = stays.reduce((sum, one) => sum + 1 - one, 0);
  if (moving === 0) return undefined;
  if (moving > shape.count * MAX_NEW) return { shape, places: startingPlaces(model, kept), steps: enoughSteps(shape) };
  return { shape, places: startingPlaces(model, kept), steps: FEW_STEPS, kept: stays };
}

/** A new note starts beside a neighbour, or at its seed position. */
function startingPlaces(model: Model, kept: ReadonlyMap<string, KeptPlace>): Float32Array {
  const { shape, picture, around } = model;
  const places = seedPlaces(shape);
  const placeKnown = (node: number): KeptPlace | undefined => kept.get(picture.notes[node]?.path ?? '');
  for (const node of picture.notes.keys()) {
    const near =
      placeKnown(node) ??
      beside(
        node,
        around[node]?.map(placeKnown).find((place) => place !== undefined),
      );
    if (near !== undefined) places.set([near.x, near.y], node * 2);
  }
  return places;
}

function beside(node: number, near: KeptPlace | undefined): KeptPlace | undefined {
  return near && { ...near, x: near.x + Math.cos(node), y: near.y + Math.sin(node) };
}

function runTask(
  task: LayoutTask,
  move: (places: Float32Array) => void,
  settled: (places: Float32Array) => void,
): Placed {
  document.body.dataset.layout = 'moving';
  const worker = new Worker('layout-thread.js');
  worker.addEventListener('message', async ({ data }: MessageEvent<LayoutNews>) => {
    const began = performance.now();
    move(data.places);
    await drawn();
    const tookMs = performance.now() - began;
    if (!data.isDone)
      return void setTimeout(() => worker.postMessage('report'), Math.max(MIN_WAIT_MS, tookMs / SHARE_OF_DRAWING));
    worker.terminate();
    settled(data.places);
    markSettled();
  });
  worker.postMessage(task);
  return { places: task.places, stop: () => worker.terminate() };
}

/** Resolves after the next frame is drawn. */
const drawn = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
