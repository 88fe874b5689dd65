// Does writes one after the other, while what comes next is made.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';

/** After a failure it does no more of them. */
export class WriteQueue {
  /** Each resolves to the failure of its write, or of one before. */
  #last: Promise<VaultgraphError | undefined> = Promise.resolve(undefined);
  #beforeLast = this.#last;

  add(write: () => Promise<void>): void {
    this.#beforeLast = this.#last;
    this.#last = this.#last.then((failure) => failure ?? errorOf(write()));
  }

  allButLast(): Promise<void> {
    return orThrow(this.#beforeLast);
  }

  all(): Promise<void> {
    return orThrow(this.#last);
  }
}

async function orThrow(failing: Promise<VaultgraphError | undefined>): Promise<void> {
  const failure = await failing;
  if (failure !== undefined) throw failure;
}
