// Writes a row of each table as it is and takes it back, which fails as the next change would.
import { errorOf } from '../../../base/outcome.ts';
import { Abandoned } from '../checked-values.ts';
import type { Database } from '../connection/database.ts';

/** Ends the transaction. */
class Tried extends Abandoned {}

/** @param column of the table. @returns why it fails; undefined if it does not, or if another session holds a lock */
export async function refusalOfWrites(
  database: Database,
  tables: readonly { readonly name: string; readonly column: string }[],
  signal: AbortSignal,
): Promise<string | undefined> {
  let at = '';
  const trial = database.transaction('inspect', signal, async (run) => {
    for (const { name, column } of tables) {
      at = name;
      // Constraints and triggers are asked before it is found that the row is there.
      await run(`INSERT INTO $schema.${name} SELECT * FROM $schema.${name} LIMIT 1 ON CONFLICT DO NOTHING`);
      const row = `SELECT ctid FROM $schema.${name} LIMIT 1`;
      await run(`UPDATE $schema.${name} SET ${column} = ${column} WHERE ctid = (${row})`);
    }
    throw new Tried();
  });
  const error = await errorOf(trial.catch(ignoreTried));
  return error === undefined || error.code === 'STORE_BUSY' ? undefined : `${at}: [${error.code}] ${error.message}`;
}

function ignoreTried(thrown: unknown): void {
  if (!(thrown instanceof Tried)) throw thrown;
}
