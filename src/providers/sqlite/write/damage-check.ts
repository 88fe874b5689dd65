// Checks the whole index in a thread of its own, where nothing vouches for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER, untilAborted } from '../../../base/async/waits.ts';
import type { VaultgraphError } from '../../../base/errors.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Driver } from '../database/engine.ts';
import { corruptError } from '../database/store-errors.ts';
import { Writer } from './writer.ts';

/** The time before the first answer; the check of a large file goes on beside the first calls. */
const MAX_FIRST_CHECK_MS = 3_000;
/** A larger file is replaced without another look. */
const MAX_LOOK_MS = 10_000;

export class DamageCheck {
  readonly file: string;
  readonly #driver: Driver;
  #thread: Writer | undefined;
  #running: Promise<void> | undefined;
  #damage: VaultgraphError | undefined;

  constructor(file: string, driver: Driver) {
    this.file = file;
    this.#driver = driver;
  }

  /** Runs in the background. If it finds damage, `throwIfDamaged` throws from then on. */
  start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for the result, but only for a limited time. @throws STORE_CORRUPT */
  async checked(): Promise<void> {
    this.start();
    await Promise.race([this.#running, sleep(MAX_FIRST_CHECK_MS, undefined, { ref: false })]);
    this.throwIfDamaged();
  }

  /** @throws STORE_CORRUPT */
  throwIfDamaged(): void {
    if (this.#damage !== undefined) throw this.#damage;
  }

  /** Whether another look at the whole file, for a limited time, finds nothing; what was found before is forgotten then. */
  async isSound(signal: AbortSignal): Promise<boolean> {
    const thread = new Writer({ file: this.file, driver: this.#driver }, null);
    const enough = AbortSignal.any([signal, AbortSignal.timeout(MAX_LOOK_MS)]);
    const outcome = await outcomeOf(untilAborted(thread.run({ op: 'integrity' }, NEVER), enough));
    await thread.end();
    const isSound = 'value' in outcome && outcome.value.length === 0;
    if (isSound) this.#damage = undefined;
    return isSound;
  }

  async close(): Promise<void> {
    await this.#thread?.end();
    await this.#running;
  }

  /** Never rejects: a check that was ended early finds nothing. */
  async #run(): Promise<void> {
    // In the thread of the store's writer it would delay every change.
    this.#thread = new Writer({ file: this.file, driver: this.#driver }, null);
    const first = await this.#faultsBy(this.#thread);
    const faults = UNREAD.test(first) ? await this.#faultsBy(this.#thread) : first;
    if (faults !== '')
      this.#damage = corruptError({ op: 'check', file: this.file }, 'SQLITE_CORRUPT', new DamagedRow(faults));
    await this.#thread.close();
  }

  async #faultsBy(thread: Writer): Promise<string> {
    const [outcome] = await Promise.allSettled([thread.run({ op: 'integrity' }, new AbortController().signal)]);
    return outcome.status === 'fulfilled' ? outcome.value.join('; ') : corruptionIn(outcome.reason);
  }
}

/** The engine's words for a page that it did not get: a disk that refused one read is not damage. */
const UNREAD = /\b(?:unable|failed) to get (?:the )?page\b|\bSQLITE_(?:CORRUPT|IOERR)/;

/** Damage can be so bad that SQLite cannot check the file. */
function corruptionIn(error: VaultgraphError): string {
  const { sqlite_code } = error.details as { sqlite_code?: string };
  return error.code === 'STORE_CORRUPT' ? `${error.message} (${sqlite_code})` : '';
}
