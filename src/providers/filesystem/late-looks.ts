// Decides when the writer looks once more at the files that it has replaced, and reports what it found there.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import type { AnswerTo, LateWrite } from './file-task.ts';

/** Milliseconds after a change. */
const LOOKS_AT = [50, 200, 1_000, 3_000, 10_000];
/** A process that ends gives other programs at least this long after its last change. */
const LEAST_MS = 100;
/** A disk that hangs does not keep the process. */
const MAX_CLOSE_MS = 500;

export class LateLooks {
  readonly #look: () => Promise<AnswerTo<'look'> | undefined>;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #changedAt: number | undefined;

  constructor(look: () => Promise<AnswerTo<'look'> | undefined>, log: Log) {
    this.#look = look;
    this.#log = log;
  }

  /** A change has been made. */
  changed(): void {
    this.#changedAt = performance.now();
    this.#schedule(0);
  }

  report(writes: readonly LateWrite[]): void {
    for (const { path, outcome } of writes) this.#log('warn', 'written_after_replace', { path, outcome });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#changedAt === undefined) return;
    await pause(Math.max(0, this.#changedAt + LEAST_MS - performance.now()));
    await Promise.race([this.#lookNow(), pause(MAX_CLOSE_MS, undefined, { ref: false })]);
  }

  #schedule(number: number): void {
    clearTimeout(this.#timer);
    const at = LOOKS_AT[number];
    if (at === undefined) this.#changedAt = undefined;
    if (at === undefined || this.#changedAt === undefined) return;
    const wait = Math.max(0, this.#changedAt + at - performance.now());
    this.#timer = setTimeout(() => void this.#lookNow().then(() => this.#schedule(number + 1)), wait).unref();
  }

  async #lookNow(): Promise<void> {
    const error = await errorOf(
      this.#look().then((answer) => {
        this.report(answer?.late ?? []);
        if (answer?.watched === 0) this.#changedAt = undefined;
      }),
    );
    if (error !== undefined && error.code !== 'SHUTTING_DOWN')
      this.#log('warn', 'written_after_replace', { code: error.code, category: error.category });
  }
}
