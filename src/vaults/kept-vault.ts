// Keeps one vault open while it is used: opens it at its first use and closes it some time after the last one.
import { Serial } from '../base/async/serial.ts';
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import { untilAborted } from '../base/until-aborted.ts';

/** What is opened. */
export interface Closable {
  /** Whether it does work of its own that must not be cut off. */
  isBusy(): boolean;
  close(): Promise<void>;
}

export interface KeptOptions<T extends Closable> {
  readonly open: () => Promise<T>;
  /** Called with why the vault could not be closed. */
  readonly onCloseFailure: (error: VaultgraphError) => void;
  /** Milliseconds after the last use; ten minutes by default. */
  readonly idleMs?: number;
}

const IDLE_MS = 10 * 60_000;
/** While a vault cannot be opened, its calls fail with the same reason for this long. */
const FAILED_MS = 1_000;

export class KeptVault<T extends Closable> {
  readonly #options: KeptOptions<T>;
  #opened: Promise<T> | undefined;
  #current: T | undefined;
  #failure: VaultgraphError | undefined;
  readonly #closing = new Serial();
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(options: KeptOptions<T>) {
    this.#options = options;
  }

  /** Undefined while it is closed or being opened. */
  get current(): T | undefined {
    return this.#current;
  }

  /** @throws why it cannot be opened, the reason of `signal`, what `work` throws; SHUTTING_DOWN after `end` */
  async use<R>(signal: AbortSignal, work: (opened: T) => Promise<R>): Promise<R> {
    this.#uses += 1;
    clearTimeout(this.#timer);
    try {
      return await work(await untilAborted(this.#open(), signal));
    } finally {
      this.#uses -= 1;
      this.#closeLater();
    }
  }

  /** Closes it for good. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#close();
  }

  #open(): Promise<T> {
    if (this.#isEnded) return Promise.reject(new VaultgraphError('SHUTTING_DOWN', {}));
    if (this.#failure !== undefined) return Promise.reject(repeatFailure(this.#failure));
    this.#opened ??= this.#openNow();
    return this.#opened;
  }

  async #openNow(): Promise<T> {
    await this.#closing.idle();
    try {
      this.#current = await this.#options.open();
      return this.#current;
    } catch (thrown) {
      this.#opened = undefined;
      this.#failure = toVaultgraphError(thrown);
      setTimeout(() => {
        this.#failure = undefined;
      }, FAILED_MS).unref();
      throw this.#failure;
    }
  }

  #closeLater(): void {
    clearTimeout(this.#timer);
    if (this.#uses > 0 || this.#opened === undefined || this.#isEnded) return;
    this.#timer = setTimeout(() => {
      if (this.#current?.isBusy() === true) this.#closeLater();
      else void this.#close();
    }, this.#options.idleMs ?? IDLE_MS).unref();
  }

  /** A use that begins now waits until it is closed, and opens it again. */
  #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#current = undefined;
    return this.#closing.run(() => this.#closeOpened(opened));
  }

  async #closeOpened(opened: Promise<T> | undefined): Promise<void> {
    const [outcome] = await Promise.allSettled([opened]);
    if (outcome.status === 'rejected' || outcome.value === undefined) return;
    const [closed] = await Promise.allSettled([outcome.value.close()]);
    if (closed.status === 'rejected') this.#options.onCloseFailure(toVaultgraphError(closed.reason));
  }
}
