// Writes what a leader has to share, one write at a time; what is added during a write goes with the next one.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import type { HolderUpdate, KeptJob } from '../../contracts/lease.ts';

export type LeaseUpdate = Pick<HolderUpdate, 'jobs' | 'answers'>;

export class LeaseUpdates {
  readonly #write: (update: LeaseUpdate) => Promise<void>;
  readonly #onWritten: (error: VaultgraphError | undefined) => void;
  #jobs = new Map<string, KeptJob>();
  #answers: HolderUpdate['answers'] = [];
  #writing: Promise<void> | undefined;

  constructor(write: (update: LeaseUpdate) => Promise<void>, onWritten: (error: VaultgraphError | undefined) => void) {
    this.#write = write;
    this.#onWritten = onWritten;
  }

  /** Of one job only the latest state is written. */
  add({ jobs, answers }: LeaseUpdate): void {
    for (const kept of jobs) this.#jobs.set(kept.job.id, kept);
    this.#answers = [...this.#answers, ...answers];
  }

  discard(): void {
    this.#jobs = new Map();
    this.#answers = [];
  }

  /** Writes at least a heartbeat. Resolves once all that was added is written or discarded; never rejects. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Resolves once no write is in progress. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    do {
      const update = { jobs: [...this.#jobs.values()], answers: this.#answers };
      this.discard();
      this.#onWritten(await errorOf(this.#write(update)));
    } while (this.#jobs.size + this.#answers.length > 0);
    // Directly after the condition, so that nothing is added to a call that no longer writes.
    this.#writing = undefined;
  }
}
