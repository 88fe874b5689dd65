// Runs the layout in a worker and keeps the result for the browser session.
import { enoughSteps } from '../../picture/layout.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import type { GraphSource } from '../source/graph-source.ts';
import type { Model } from '../source/model.ts';
import type { LayoutNews, LayoutTask } from './layout-thread.ts';

/** If the vault changed only a little, the kept positions only need to settle again. */
const FEW_STEPS = 60;
/** Drawing takes at most this share of the time, so that the page stays responsive during the layout. */
const SHARE_OF_DRAWING = 0.2;
const MIN_WAIT_MS = 16;

export type LayoutRun = ReturnType<typeof runLayout>;

/** @param move called with new positions until they settle. @param settled called after the last of them */
export function runLayout(
  model: Model,
  source: GraphSource,
  move: (places: Float32Array) => void,
  settled: () => void,
) {
  if (source.places !== undefined) return { places: Float32Array.from(source.places), stop: () => undefined };
  const known = remembered(model);
  /** The initial positions of the notes. */
  const places = known.places;
  if (known.missing === 0) return { places, stop: () => undefined };
  const worker = new Worker('layout-thread.js');
  worker.addEventListener('message', async ({ data }: MessageEvent<LayoutNews>) => {
    const began = performance.now();
    move(data.places);
    await drawn();
    const tookMs = performance.now() - began;
    if (!data.isDone)
      return void setTimeout(() => worker.postMessage('report'), Math.max(MIN_WAIT_MS, tookMs / SHARE_OF_DRAWING));
    worker.terminate();
    remember(model, data.places);
    settled();
  });
  const isNew = known.missing > model.shape.count / 4;
  const task: LayoutTask = {
    shape: model.shape,
    places,
    steps: isNew ? enoughSteps(model.shape) : FEW_STEPS,
  };
  worker.postMessage(task);
  return { places, stop: () => worker.terminate() };
}

/** Resolves after the next frame is drawn. */
const drawn = (): Promise<unknown> => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)));

const keyOf = (model: Model): string => `places of ${model.picture.vault}`;

/** A new note starts beside a neighbour, or at its seed position. */
function remembered(model: Model): { readonly places: Float32Array; readonly missing: number } {
  const places = seedPlaces(model.shape);
  const known = storedPlaces(keyOf(model));
  const missing: number[] = [];
  for (const [node, { path }] of model.picture.notes.entries()) {
    const place = known[path];
    if (place === undefined) missing.push(node);
    else places.set(place, node * 2);
  }
  if (missing.length < model.shape.count) for (const node of missing) placeByNeighbour(node, places, model, known);
  return { places, missing: missing.length };
}

function placeByNeighbour(node: number, places: Float32Array, { around, picture }: Model, known: Stored): void {
  const near = around[node]?.find((other) => known[picture.notes[other]?.path ?? ''] !== undefined);
  if (near === undefined) return;
  places.set([(places[near * 2] ?? 0) + Math.cos(node), (places[near * 2 + 1] ?? 0) + Math.sin(node)], node * 2);
}

type Stored = Readonly<Record<string, readonly [number, number]>>;

function storedPlaces(key: string): Stored {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Stored;
  } catch {
    return {};
  }
}

/** Without session storage the layout is computed each time. */
function remember(model: Model, places: Float32Array): boolean {
  const round = (at: number): number => Math.round((places[at] ?? 0) * 100) / 100;
  const rows = model.picture.notes.map(({ path }, node) => [path, [round(node * 2), round(node * 2 + 1)]]);
  try {
    sessionStorage.setItem(keyOf(model), JSON.stringify(Object.fromEntries(rows)));
    return true;
  } catch {
    return false;
  }
}
