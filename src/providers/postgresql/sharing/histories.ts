// Begins a new history of the index in PostgreSQL: its random id distinguishes it from one that a restored backup has replaced.
import type { Database, Run } from '../connection/database.ts';

/** A copy of an earlier history is made again. */
const MAX_KEPT = 1_000;

const BEGIN = `WITH begun AS (UPDATE $schema.head SET history = gen_random_uuid()::text RETURNING history, seq),
  old AS (DELETE FROM $schema.histories WHERE ordinal <= (SELECT max(ordinal) - ${MAX_KEPT} FROM $schema.histories))
  INSERT INTO $schema.histories (id, since, feed) SELECT history, seq, coalesce((SELECT last FROM $schema.feed), 0) FROM begun`;

export async function beginHistory(run: Run): Promise<void> {
  await run(BEGIN);
}

interface Known {
  readonly history: string;
  readonly epoch: number;
  readonly seq: number;
}

/** Whether the index in PostgreSQL is older than what is known of the same history: it was restored from a backup. */
export const isRestored = (known: Known, head: Known): boolean =>
  known.history === head.history && (known.epoch > head.epoch || known.seq > head.seq);

/** After a restore: frees the lease, so that the next leader compares the whole vault, and begins a history unless another server has. */
export async function leaveHistory(database: Database, history: string, signal: AbortSignal): Promise<void> {
  await database.transaction('restore', signal, async (run) => {
    // In the order of every change, so that none waits for the other.
    await run('SELECT FROM $schema.lease FOR UPDATE');
    const [head] = await run<{ history: string }>('SELECT history FROM $schema.head FOR UPDATE');
    if (head?.history !== history) return;
    await beginHistory(run);
    await run('UPDATE $schema.lease SET holder = NULL, report = NULL, beats = beats + 1');
  });
}
