// Runs writes one at a time, and keeps the plans of dry runs and the texts that clients have seen.
import { randomBytes } from 'node:crypto';
import { Serial } from '../../base/async/serial.ts';
import { SizedMap } from '../../base/async/sized-map.ts';
import { etagOf } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { DryRunPlan, WriteLock, WriteSession } from '../../contracts/session.ts';
import type { Vault } from '../../contracts/vault.ts';

const MAX_PLANS = 50;
const MAX_PLAN_CHARACTERS = 16 * 1024 * 1024;
/** Those that made no change for longest are forgotten. */
const MAX_SESSIONS = 1_000;
const MAX_CHANGES = 1_000;
const PLAN_LIFETIME_MS = 30 * 60 * 1000;
const MAX_LISTED_PLANS = 5;
/** The bytes of all texts together, unless one alone is larger. */
const MAX_TEXTS_BYTES = 4 * 1024 * 1024;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** @param lock of all servers that write copies of the vault @param now in milliseconds */
export function createWriteSession(
  access: Vault['access'],
  lock?: WriteLock,
  now: () => number = () => performance.now(),
): WriteSession {
  const plans = new SizedMap<string, DryRunPlan & { readonly expiresAt: number }>(MAX_PLAN_CHARACTERS, MAX_PLANS);
  // Kept as bytes, because a text with one emoji takes two bytes for each character.
  const texts = new SizedMap<string, Buffer>(MAX_TEXTS_BYTES);
  const changes = new SizedMap<string, readonly string[]>(MAX_SESSIONS);
  const writes = new Serial();
  return Object.freeze<WriteSession>({
    exclusive: (signal, work) => writes.run(() => (lock === undefined ? work() : lock.hold(signal, work)), signal),
    addPlan(plan) {
      const id = `plan_${randomBytes(5).toString('hex')}`;
      plans.set(id, { ...plan, expiresAt: now() + PLAN_LIFETIME_MS }, JSON.stringify(plan).length);
      return id;
    },
    findPlan(tool, id) {
      for (const [known, { expiresAt }] of plans.entries()) if (expiresAt < now()) plans.delete(known);
      const plan = plans.get(id);
      if (plan?.tool === tool) return plan;
      const ownPlans = [...plans.entries()].filter(([, other]) => other.tool === tool).map(([known]) => known);
      throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: ownPlans.slice(-MAX_LISTED_PLANS).toReversed() });
    },
    dropPlan: (id) => plans.delete(id),
    addChange(session, id) {
      const ids = [...(changes.get(session) ?? []), id].slice(-MAX_CHANGES);
      changes.delete(session);
      changes.set(session, ids, 1);
    },
    changesOf: (session) => changes.get(session) ?? [],
    rememberText(etag, text) {
      if (access !== 'read-write' || text.length > MAX_TEXT_BYTES) return;
      const bytes = Buffer.from(text);
      if (bytes.length <= MAX_TEXT_BYTES) texts.set(etagOf(etag), bytes, bytes.length);
    },
    findText: (etag) => texts.get(etagOf(etag))?.toString(),
  });
}
