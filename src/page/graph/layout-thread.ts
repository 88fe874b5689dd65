// The worker that computes the layout and posts its progress on request.
import { createLayout } from '../../picture/layout.ts';
import type { Shape } from '../../picture/shape.ts';

export interface LayoutTask {
  readonly shape: Shape;
  readonly places: Float32Array;
  readonly steps: number;
  /** 1 for each node that stays where it is. */
  readonly kept?: Uint8Array;
}

export interface LayoutNews {
  readonly places: Float32Array;
  readonly isDone: boolean;
}

/** Milliseconds of work between two checks for messages. */
const SLICE_MS = 25;

let isRequested = true;

self.addEventListener('message', ({ data }: MessageEvent<LayoutTask | 'report'>) => {
  if (data === 'report') isRequested = true;
  else layOut(data);
});

function layOut({ shape, places, steps, kept }: LayoutTask): void {
  const layout = createLayout(shape, places, kept);
  let step = 0;
  const go = (): void => {
    const began = performance.now();
    while (step < steps && performance.now() - began < SLICE_MS) {
      layout.advance(1);
      step += 1;
    }
    const isDone = step === steps;
    if (isRequested || isDone) report({ places: layout.places(), isDone });
    if (!isDone) setTimeout(go);
  };
  go();
}

function report(news: LayoutNews): void {
  isRequested = false;
  postMessage(news, { transfer: [news.places.buffer] });
}
