// `POST /api/pull` of the fake Ollama: a stream that succeeds, fails in a 200, or stalls.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../http/exchange.ts';
import { fullNameOf, type Model } from './model.ts';

export interface PullSettings {
  /** `stalls` after the first layer's first part; `ends early` without the last line. */
  readonly outcome: 'works' | 'fails' | 'stalls' | 'ends early';
  /** Progress lines. */
  readonly steps: number;
  readonly stepMs: number;
}

export const USUAL_PULL: PullSettings = { outcome: 'works', steps: 4, stepMs: 5 };

/** @param install called when a pull is complete */
export function answerPull(
  name: string,
  library: ReadonlyMap<string, Model>,
  settings: PullSettings,
  closed: AbortSignal,
  install: (model: Model) => void,
): Answer {
  const model = library.get(fullNameOf(name));
  const events = model === undefined ? unknownModel() : pullEvents(model, settings, closed, install);
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: asLines(events) };
}

async function* asLines(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

async function* unknownModel(): AsyncGenerator<object> {
  yield { status: 'pulling manifest' };
  yield { error: 'pull model manifest: file does not exist' };
}

const LAYER_BYTES = 1_000_000;

async function* pullEvents(
  model: Model,
  { outcome, steps, stepMs }: PullSettings,
  closed: AbortSignal,
  install: (model: Model) => void,
): AsyncGenerator<object> {
  const digest = `sha256:${model.digest}`;
  yield { status: 'pulling manifest' };
  for (let step = 1; step <= steps; step += 1) {
    await sleep(stepMs, undefined, { signal: closed });
    const completed = Math.round((LAYER_BYTES * step) / steps);
    yield { status: `pulling ${model.digest.slice(0, 12)}`, digest, total: LAYER_BYTES, completed };
    if (outcome === 'stalls') await sleep(2 ** 31 - 1, undefined, { signal: closed, ref: false });
    if (outcome === 'fails') return yield { error: 'max retries exceeded: unexpected EOF' };
  }
  if (outcome === 'ends early') return;
  yield { status: 'verifying sha256 digest' };
  yield { status: 'writing manifest' };
  install(model);
  yield { status: 'success' };
}
