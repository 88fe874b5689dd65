// Reads the whole index in PostgreSQL as a new copy would, and says what is not as it was written.
import { toVaultgraphError } from '../../../base/errors.ts';
import { isCorruptionOf } from '../../sqlite/database/store-errors.ts';
import { DamagedOriginal } from '../checked-values.ts';
import type { Database } from '../connection/database.ts';
import { changeSetOf, hashesOf, quarantineIn } from './apply-copied.ts';
import { isWhole, NOTHING } from './position.ts';
import { type Changes, checkChanges, readAllVectors, readChanges } from './read-changes.ts';

/** Rows that cannot be read within this time are not checked. */
const MAX_MS = 40_000;
/** While a server writes, two parts may not match. */
const MAX_TRIES = 3;

/** @returns what is wrong, in words; empty if the tables are sound */
export async function faultsInTables(database: Database, signal: AbortSignal): Promise<string[]> {
  const until = performance.now() + MAX_MS;
  for (let tries = 1; ; tries++) {
    const fault = await faultIn(database, until, signal);
    if (fault === undefined || tries === MAX_TRIES) return fault === undefined ? [] : [fault];
  }
}

async function faultIn(database: Database, until: number, signal: AbortSignal): Promise<string | undefined> {
  const living = new Set<string>();
  try {
    for (let position = NOTHING; performance.now() < until; ) {
      const changes = await readChanges(database, position, signal);
      await checkPart(changes, database, signal);
      for (const { path, gone } of changes.files)
        if (gone) living.delete(path);
        else living.add(path);
      position = changes.to;
      if (!isWhole(position)) continue;
      if (living.size !== changes.head.living) throw new DamagedOriginal('the number of files');
      return undefined;
    }
    return undefined;
  } catch (thrown) {
    if (thrown instanceof DamagedOriginal) return `in PostgreSQL, ${thrown.message} is not what was written`;
    if (isCorruptionOf('server', thrown)) return toVaultgraphError(thrown).message;
    throw thrown;
  }
}

async function checkPart(changes: Changes, database: Database, signal: AbortSignal): Promise<void> {
  checkChanges(changes);
  changeSetOf(changes.files, changes.from);
  for (const { path, phase, entry } of changes.rest?.quarantine ?? [])
    if (entry !== null) quarantineIn(path, phase, entry);
  for (const [generation, rows] of Map.groupBy(changes.rest?.embedded ?? [], (row) => row.generation)) {
    const hashes = [...new Set(rows.filter(({ hash }) => hash !== null).flatMap(hashesOf))];
    await readAllVectors(database, generation, hashes, signal);
  }
}
