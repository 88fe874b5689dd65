// Asks PostgreSQL how far the index is: once for all questions of one call that follow closely.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Database } from '../connection/database.ts';
import type { Original } from './position.ts';

/** Within a call, the index is asked again after this time. */
const MAX_AGE_MS = 1_000;
const SQL = 'SELECT identity, epoch, seq FROM $schema.head';

interface Known {
  readonly at: number;
  readonly original: Original;
}

export class Freshness {
  readonly #database: Database;
  #byCall = new WeakMap<AbortSignal, Known>();
  #asking: Promise<Original> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param signal of the call */
  async original(signal: AbortSignal): Promise<Original> {
    const known = this.#byCall.get(signal);
    if (known !== undefined && performance.now() - known.at < MAX_AGE_MS) return known.original;
    const at = performance.now();
    const original = await this.#ask(signal);
    this.#byCall.set(signal, { at, original });
    return original;
  }

  /** What was known may be outdated: the leader has answered, or this server has changed the index. */
  forget(): void {
    this.#byCall = new WeakMap();
  }

  /** Questions of one turn of the event loop share an answer, which is as of a moment after all of them. */
  #ask(signal: AbortSignal): Promise<Original> {
    if (this.#asking !== undefined) return this.#asking;
    const asking = this.#query(signal);
    this.#asking = asking;
    setImmediate(() => {
      this.#asking = undefined;
    });
    return asking;
  }

  async #query(signal: AbortSignal): Promise<Original> {
    const [original] = await this.#database.query<Original>('open', SQL, [], signal);
    if (original === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_head' });
    return original;
  }
}
