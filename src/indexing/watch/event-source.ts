// The file watcher of a vault: opens it, notices when it ends, and says when to open it again.
import type { Log } from '../../base/log.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { OpenWatch, Vault, VaultEvent } from '../../contracts/vault.ts';
import { Backoff } from '../backoff.ts';

export interface EventSourceParts {
  readonly vault: Pick<Vault, 'watch'>;
  readonly log: Log;
  /** Milliseconds until a watcher that ended is opened again; doubled with each failure. */
  readonly reopenMs: number;
  readonly maxReopenMs: number;
  readonly onChanges: (sign: VaultEvent & { kind: 'hints' }) => void;
  /** From now on events may be missing, until `onEventsLost` or `onEnded`: only below the folders, if they are known. */
  readonly onStalled: (folders?: readonly string[]) => void;
  readonly onEventsLost: (folders?: readonly string[]) => void;
  readonly onEnded: () => void;
}

/** A watcher that ran this long did not fail because of how it was opened. */
const STABLE_MS = 60_000;

interface CurrentWatch {
  readonly since: number;
  /** Once it is open. */
  watch?: OpenWatch;
}

export class EventSource {
  readonly #parts: EventSourceParts;
  readonly #retries: Backoff;
  #current: CurrentWatch | undefined;
  #reason: string | undefined;

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
    this.#retries = new Backoff(parts.reopenMs, parts.maxReopenMs);
  }

  get isOpen(): boolean {
    return this.#current?.watch !== undefined;
  }

  /** Why it is not open. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get isReopenDue(): boolean {
    return !this.isOpen && this.#retries.retryAt <= performance.now();
  }

  /** The cause of the failures may be gone: the next try is due at once. */
  reopenSoon(): void {
    this.#retries.succeeded();
  }

  /** Never rejects: a failure becomes the `reason`. */
  async open(signal: AbortSignal): Promise<void> {
    const { vault, log } = this.#parts;
    const current: CurrentWatch = { since: performance.now() };
    this.#current = current;
    const opened = await outcomeOf(vault.watch((sign) => this.#receive(current, sign), signal));
    const isCurrent = this.#current === current && !signal.aborted;
    if ('error' in opened) {
      const { details, code } = opened.error;
      if (isCurrent) this.#ended('errno' in details ? String(details.errno) : code);
    } else if (!isCurrent) await opened.value.close();
    else {
      current.watch = opened.value;
      this.#reason = undefined;
      log('info', 'watch_began');
    }
  }

  /** For good. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.watch?.close();
  }

  /** Ignores events of a watcher that was given up. */
  #receive(from: CurrentWatch, sign: VaultEvent): void {
    const { log, onChanges, onStalled, onEventsLost } = this.#parts;
    if (this.#current !== from) return;
    if (sign.kind === 'hints') onChanges(sign);
    else if (sign.kind === 'stalled') onStalled(sign.folders);
    else if (sign.kind === 'lost') {
      log('info', 'watch_hints_lost', { reason: sign.reason });
      onEventsLost(sign.folders);
    } else this.#ended(sign.reason);
  }

  #ended(reason: string): void {
    const ended = this.#current;
    const now = performance.now();
    this.#current = undefined;
    if (ended !== undefined && now - ended.since > STABLE_MS) this.#retries.succeeded();
    this.#retries.failed(now);
    // Opening is retried again and again; the same reason is logged once.
    if (reason !== this.#reason) this.#parts.log('warn', 'watch_ended', { reason });
    this.#reason = reason;
    void ended?.watch?.close();
    this.#parts.onEnded();
  }
}
