// Empties the tables of the index, and makes those that are missing: the notes are then indexed again.
import { randomUUID } from 'node:crypto';
import type { Run } from '../connection/database.ts';
import { beginHistory } from '../sharing/histories.ts';
import { APPLICATION, STEPS } from './steps.ts';

/** Every table except those of the state, of the locks, and of where a change of notes can be undone. */
const EMPTIED = ['files', 'quarantine', 'generations', 'vectors', 'embedded', 'answers', 'jobs', 'requests'];

/** Runs in the caller's transaction. Copies of the earlier content are then discarded. */
export async function beginAgain(run: Run): Promise<void> {
  const tables = EMPTIED.map((name) => `$schema.${name}`);
  const rights = tables.map((table) => `has_table_privilege('${table}', 'TRUNCATE')`);
  const [may] = await run<{ truncate: boolean }>(`SELECT ${rights.join(' AND ')} AS truncate`);
  // Also a table of which some pages cannot be read can be truncated.
  if (may?.truncate) await run(`TRUNCATE ${tables.join(', ')}`);
  else for (const table of tables) await run(`DELETE FROM ${table}`);
  const make = `INSERT INTO $schema.head (application, version, identity) VALUES ($1, $2, $3) ON CONFLICT (one) DO NOTHING`;
  await run(make, [APPLICATION, STEPS.length, randomUUID()]);
  await run(`UPDATE $schema.head SET epoch = greatest(epoch, 0) + 1, seq = greatest(seq, 0) + 1, files_seq = greatest(seq, 0) + 1,
    rest_seq = greatest(seq, 0) + 1, swept_seq = greatest(seq, 0) + 1, revision = greatest(revision, 0) + 1, horizon = 0, living = 0,
    last_generation = greatest(last_generation, 0), rules = NULL, scanned_at = NULL, damaged = NULL`);
  for (const table of ['lease', 'write_lock'])
    await run(`INSERT INTO $schema.${table} DEFAULT VALUES ON CONFLICT DO NOTHING`);
  await run('UPDATE $schema.lease SET holder = NULL, report = NULL, beats = beats + 1');
  await beginHistory(run);
}
