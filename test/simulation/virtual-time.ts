// Puts the clock, the timers and the random numbers of a world in place of those of Node, for the code of its processes.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { outsideProcesses, type World, worldHere } from './world.ts';

const RealDate = Date;
const real = {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  now: performance.now.bind(performance),
  random: Math.random,
  atomicsWait: Atomics.wait,
  timeout: AbortSignal.timeout,
  promised: { ...timersPromises },
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
};

class VirtualTimer {
  readonly #world: World;
  readonly #run: () => void;
  readonly #ms: number;
  readonly #repeats: boolean;
  #cancel: () => void = () => {};

  /** @param ms 0 for the next turn */
  constructor(world: World, run: () => void, ms: number, repeats = false) {
    this.#world = world;
    this.#run = run;
    this.#ms = ms;
    this.#repeats = repeats;
    this.#start();
  }

  #start(): void {
    this.#cancel = this.#world.plan(this.#ms, () => {
      if (this.#repeats) this.#start();
      this.#run();
    });
  }

  close(): this {
    this.#cancel();
    return this;
  }
  refresh(): this {
    this.#cancel();
    this.#start();
    return this;
  }
  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  [Symbol.dispose](): void {
    this.close();
  }
}

/** As Node reads it. */
const timerMs = (ms: number): number => (ms >= 1 && ms < 2 ** 31 ? ms : 1);

type Task = (...given: unknown[]) => void;

function timer(repeats: boolean, ordinary: unknown) {
  return (run: Task, ms = 1, ...given: unknown[]): unknown => {
    const world = worldHere();
    if (world === undefined) return (ordinary as Task)(run, ms, ...given);
    return new VirtualTimer(world, () => run(...given), timerMs(ms), repeats);
  };
}

function clear(ordinary: unknown) {
  return (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
    else (ordinary as (timer: unknown) => void)(timer);
  };
}

/** As those of `timers/promises`. */
function promised(ordinary: (...given: never[]) => Promise<unknown>, isImmediate: boolean) {
  return (...given: unknown[]): Promise<unknown> => {
    const world = worldHere();
    if (world === undefined) return ordinary(...(given as never[]));
    const [value, options] = isImmediate ? given : given.slice(1);
    const { signal } = (options ?? {}) as { signal?: AbortSignal };
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.close();
        reject(
          Object.assign(new Error('aborted', { cause: signal?.reason }), { name: 'AbortError', code: 'ABORT_ERR' }),
        );
      };
      const waiting = new VirtualTimer(world, end, isImmediate ? 0 : timerMs(Number(given[0] ?? 1)));
      function end(): void {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  };
}

class VirtualDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(VirtualDate.now());
    else super(...(given as [number]));
  }
  static override now(): number {
    return worldHere()?.wallNow ?? RealDate.now();
  }
}

function randomBytes(size: number, ...rest: unknown[]): unknown {
  const world = worldHere();
  if (world === undefined) return real.randomBytes(size, ...(rest as []));
  return Buffer.from(Array.from({ length: size }, () => world.random.below(256)));
}

function timeout(ms: number): AbortSignal {
  const world = worldHere();
  if (world === undefined) return real.timeout.call(AbortSignal, ms);
  const ended = new AbortController();
  world.plan(ms, () => ended.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
  return ended.signal;
}

/** For good. */
export function virtualizeTime(): void {
  Object.assign(globalThis, {
    setTimeout: timer(false, real.setTimeout),
    setInterval: timer(true, real.setInterval),
    setImmediate: (run: Task, ...given: unknown[]) => {
      const world = worldHere();
      if (world === undefined) return real.setImmediate(run, ...given);
      // Processes share what a module keeps, so that what ends a turn also runs after a kill.
      return outsideProcesses(() => new VirtualTimer(world, () => run(...given), 0));
    },
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
    Date: VirtualDate,
  });
  Object.assign(timersPromises, {
    setTimeout: promised(real.promised.setTimeout as never, false),
    setImmediate: promised(real.promised.setImmediate as never, true),
  });
  Object.defineProperty(performance, 'now', { value: () => worldHere()?.now ?? real.now() });
  Object.assign(Math, { random: () => worldHere()?.random.next() ?? real.random() });
  Object.assign(AbortSignal, { timeout });
  Object.assign(Atomics, {
    wait: (...given: [Int32Array, number, number, number?]) => {
      const world = worldHere();
      if (world === undefined) return real.atomicsWait(...given);
      world.interrupt(given[3] ?? 0);
      return 'timed-out';
    },
  });
  Object.assign(crypto, { randomBytes });
  syncBuiltinESMExports();
}
