// Opens an index file to be copied to another store.
import { existsSync } from 'node:fs';
import { PARSER_RULES } from '../../../base/note.ts';
import type { StoredIndex } from '../../../contracts/stored-index.ts';
import { loadEngine, openCheckedReader, versionOf } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { SCHEMA_STEPS } from '../database/schema.ts';
import { countsNow } from '../read/store-counts.ts';
import { createGenerationList } from '../vectors/generations.ts';
import { storedChanges } from './stored-changes.ts';
import { storedVectors } from './stored-vectors.ts';

/**
 * @param isWhole whether nothing is missing, beside what is checked here
 * @returns the reason if it cannot be copied, because it is missing, of another version or not complete @throws STORE_*
 */
export function openStoredIndex(file: string, isWhole: (rows: Rows) => boolean = () => true): StoredIndex | string {
  if (!existsSync(file)) return 'there is no such index on this machine';
  const connection = openCheckedReader(loadEngine(), file);
  const refuse = (reason: string): string => {
    connection.close();
    return reason;
  };
  if (versionOf(connection) !== SCHEMA_STEPS.length) return refuse('it is of another version of vaultgraph');
  // One moment for all that is read.
  connection.exec('BEGIN');
  const rows = createRows(connection);
  const counts = countsNow(rows);
  const rules = rows.value<number | null>('SELECT rules FROM state');
  if (counts.scannedAt === null || counts.pending > 0 || rules !== PARSER_RULES || !isWhole(rows))
    return refuse('it is not complete');
  const generations = createGenerationList(rows)().toReversed();
  return {
    counts,
    changes: () => storedChanges(rows),
    generations: generations.map(({ id, ...one }) => ({ ...one, changes: () => storedVectors(rows, id) })),
    close: () => void connection.close(),
  };
}
