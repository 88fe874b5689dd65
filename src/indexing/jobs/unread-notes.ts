// Has notes read again soon that could not be read for a reason that passes, such as a disk that hung: their next event may never come.
import type { IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import { Backoff } from '../backoff.ts';

/** From the job that could not read a note to the next one, which then doubles up to the maximum. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** What may be over when the note is read again. */
const PASSING: ReadonlySet<string> = new Set('ETIMEDOUT EBUSY EAGAIN EINTR EIO EMFILE ENFILE ENOMEM ESTALE'.split(' '));

export class UnreadNotes {
  readonly #read: (paths: readonly string[]) => Promise<unknown>;
  readonly #pauses = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** @param read never rejects */
  constructor(read: (paths: readonly string[]) => Promise<unknown>) {
    this.#read = read;
  }

  /** A job has read what it could; a scan reads everything that was not read before. */
  jobEnded({ kind, paths = [] }: IndexRequest, failures: IndexJob['failures']): void {
    const tried = new Set(paths);
    const others = kind === 'notes' ? [...this.#paths].filter((path) => !tried.has(path)) : [];
    const unread = failures.flatMap(({ id, error }) => (isPassing(error.details) ? [id] : []));
    this.#paths = new Set([...others, ...unread]);
    if (this.#paths.size === 0) this.forget();
    else this.#timer ??= this.#plan();
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#paths.clear();
    this.#pauses.succeeded();
  }

  #plan(): NodeJS.Timeout {
    const now = performance.now();
    this.#pauses.failed(now);
    return setTimeout(() => {
      this.#timer = undefined;
      void this.#read([...this.#paths]);
    }, this.#pauses.retryAt - now).unref();
  }
}

const isPassing = (details: object): boolean => 'errno' in details && PASSING.has(String(details.errno));
