// Runs writes one at a time, and keeps the plans of dry runs and the texts that clients have seen.
import { randomBytes } from 'node:crypto';
import { VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { DryRunPlan, WriteLock, WriteSession } from '../../contracts/session.ts';
import type { Vault } from '../../contracts/vault.ts';

const MAX_PLANS = 50;
const MAX_PLAN_CHARACTERS = 16 * 1024 * 1024;
const PLAN_LIFETIME_MS = 30 * 60 * 1000;
const MAX_LISTED_PLANS = 5;
/** Two bytes each. */
const MAX_TEXT_CHARACTERS = 8 * 1024 * 1024;

/** @param lock of all servers that write copies of the vault @param now in milliseconds */
export function createWriteSession(
  access: Vault['access'],
  lock?: WriteLock,
  now: () => number = () => performance.now(),
): WriteSession {
  const plans = new SizedMap<DryRunPlan & { readonly expiresAt: number }>(MAX_PLAN_CHARACTERS, MAX_PLANS);
  const texts = new SizedMap<string>(MAX_TEXT_CHARACTERS, Number.POSITIVE_INFINITY);
  let lastTurn = Promise.resolve();
  return Object.freeze<WriteSession>({
    async exclusive(signal, work) {
      const previous = lastTurn;
      const turn = Promise.withResolvers<void>();
      lastTurn = previous.then(() => turn.promise);
      try {
        await untilAborted(previous, signal);
        return await (lock === undefined ? work() : lock.hold(signal, work));
      } finally {
        turn.resolve();
      }
    },
    addPlan(plan) {
      const id = `plan_${randomBytes(5).toString('hex')}`;
      plans.set(id, { ...plan, expiresAt: now() + PLAN_LIFETIME_MS }, JSON.stringify(plan).length);
      return id;
    },
    findPlan(tool, id) {
      for (const [known, { expiresAt }] of plans.entries()) if (expiresAt < now()) plans.delete(known);
      const plan = plans.get(id);
      if (plan?.tool === tool) return plan;
      const own = [...plans.entries()].filter(([, other]) => other.tool === tool).map(([known]) => known);
      throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: own.slice(-MAX_LISTED_PLANS).toReversed() });
    },
    dropPlan: (id) => plans.delete(id),
    rememberText(etag, text) {
      if (access === 'read-write' && text.length <= MAX_TEXT_CHARACTERS) texts.set(etag, text, text.length);
    },
    findText: (etag) => texts.get(etag),
  });
}

/** Drops the entries that were set longest ago, never the newest, when it has too many or they are too large together. */
class SizedMap<T> {
  readonly #rows = new Map<string, { readonly value: T; readonly size: number }>();
  readonly #maxSize: number;
  readonly #maxRows: number;
  #size = 0;

  constructor(maxSize: number, maxRows: number) {
    this.#maxSize = maxSize;
    this.#maxRows = maxRows;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    this.#rows.set(key, { value, size });
    this.#size += size;
    for (const [oldest] of this.#rows) {
      if (oldest === key || (this.#size <= this.#maxSize && this.#rows.size <= this.#maxRows)) return;
      this.delete(oldest);
    }
  }

  get(key: string): T | undefined {
    return this.#rows.get(key)?.value;
  }

  delete(key: string): void {
    this.#size -= this.#rows.get(key)?.size ?? 0;
    this.#rows.delete(key);
  }

  *entries(): Generator<[string, T]> {
    for (const [key, { value }] of this.#rows) yield [key, value];
  }
}
