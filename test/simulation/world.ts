// A virtual clock and a queue of events of which a seed decides the order: the time, timers and processes of a simulation.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createSeededRandom, type Random } from '../bench/random.ts';

/** A simulated process: a server that may be killed. */
export interface Process {
  readonly name: string;
  readonly pid: number;
  isDead: boolean;
}

/** Thrown into the code of a process that was killed; no code of it runs afterwards. */
export class Killed extends Error {}

interface Event {
  readonly at: number;
  readonly number: number;
  readonly process: Process | undefined;
  /** Whether it may run between two file operations of another process: it waits for no promise. */
  readonly isSudden: boolean;
  readonly run: () => void;
}

const realImmediate = setImmediate;
/** Any; the same in every run. */
const START = Date.UTC(2026, 10, 20, 9);
/** What takes more events ends in no time. */
const MAX_EVENTS = 200_000;

const ofProcess = new AsyncLocalStorage<Process>();

export const currentProcess = (): Process | undefined => ofProcess.getStore();
export const inProcess = <T>(process: Process, work: () => T): T => ofProcess.run(process, work);

export const outsideProcesses = <T>(work: () => T): T => ofProcess.exit(work);

export class World {
  readonly random: Random;
  /** Monotonic milliseconds. */
  now = 0;
  /** How much the system clock is ahead of the monotonic one. */
  #wall = START;
  /** In the order of time. */
  readonly #events: Event[] = [];
  #number = 0;
  #depth = 0;
  done = 0;
  /** The next task of a disk waits so long; 0 for none. */
  stallMs = 0;
  /** The share of tasks after which the heap of their thread has grown. */
  grownHeaps = 0;
  readonly log: string[] = [];

  constructor(seed: number) {
    this.random = createSeededRandom(seed);
  }

  get wallNow(): number {
    return Math.floor(this.#wall + this.now);
  }

  note(line: string): void {
    if (process.env.VAULTGRAPH_SIMULATION === 'print') this.log.push(`${this.now.toFixed(2)} ${line}`);
  }

  heapBytes(): number {
    return this.grownHeaps > 0 && this.random.chance(this.grownHeaps) ? 2 ** 30 : 0;
  }

  jump(ms: number): void {
    this.#wall += ms;
  }

  /** @returns cancels it */
  plan(delay: number, run: () => void, isSudden = false): () => void {
    const process = currentProcess();
    const bound = process === undefined ? run : () => inProcess(process, run);
    const event = { at: this.now + Math.max(0, delay), number: this.#number++, process, isSudden, run: bound };
    const later = this.#events.findLastIndex(({ at }) => at <= event.at);
    this.#events.splice(later + 1, 0, event);
    return () => {
      const at = this.#events.indexOf(event);
      if (at >= 0) this.#events.splice(at, 1);
    };
  }

  /** Resolves after some time of the clock. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.plan(ms, resolve));
  }

  kill(process: Process): void {
    process.isDead = true;
  }

  /** Runs events until the condition holds. @returns whether it does */
  async runUntil(isDone: () => boolean, maxMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const end = this.now + maxMs;
    const most = this.done + MAX_EVENTS;
    for (await settled(); !isDone(); await settled()) {
      const event = this.#events.shift();
      if (event === undefined || event.at > end || this.done > most) {
        if (event !== undefined) this.#events.unshift(event);
        return false;
      }
      this.now = Math.max(this.now, event.at);
      this.#perform(event);
    }
    return true;
  }

  /** What modules have put off to the end of a turn, they would expect of the next world, whose clock is another one. */
  async endTurn(): Promise<void> {
    await this.runUntil(() => !this.#events.some(({ at, process }) => at <= this.now && process === undefined));
  }

  /** Called between two file operations of a process: time passes, and others may act. */
  interrupt(costMs: number): void {
    this.now += costMs;
    if (this.#depth > 0) return;
    this.#depth += 1;
    try {
      for (;;) {
        const at = this.#events.findIndex((event) => event.at <= this.now && event.isSudden);
        const [event] = at < 0 ? [] : this.#events.splice(at, 1);
        if (event === undefined) break;
        ofProcess.exit(() => this.#perform(event));
      }
    } finally {
      this.#depth -= 1;
    }
  }

  #perform({ process, run }: Event): void {
    this.done += 1;
    if (process?.isDead === true) return;
    try {
      run();
    } catch (thrown) {
      if (!(thrown instanceof Killed)) throw thrown;
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/** Everything that waits for a promise has gone on, and nothing waits for the real system. */
async function settled(): Promise<void> {
  await turn();
  while (process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))) await turn();
}

let current: World | undefined;

export const useWorld = (world: World | undefined): void => {
  current = world;
};

/** The world that the calling code lives in; undefined for the test itself. */
export const worldHere = (): World | undefined => (currentProcess() === undefined ? undefined : current);
