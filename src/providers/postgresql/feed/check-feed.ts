// Reads every row of the feed of changes in PostgreSQL, and says which are not as they were written.
import { errorOf } from '../../../base/outcome.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import { DamagedOriginal } from '../checked-values.ts';
import type { SqlValue } from '../connection/database.ts';
import { changeFrom, type FileColumns, fileFrom, type GoneColumns, goneFrom } from './feed-rows.ts';

/** Runs one statement once the tables are there. */
export type Ask = <T>(signal: AbortSignal, sql: string, ...values: readonly SqlValue[]) => Promise<T[]>;

/** The next server that writes the feed begins it again. */
export const MARK = 'UPDATE $schema.feed SET damaged = true';

const MAX_FAULTS = 10;
const CHECKED_AT_ONCE = 1_000;
const FIRST_KEY = '00000000-0000-0000-0000-000000000000';

interface Keyed {
  readonly key: string;
}

type ChangeColumns = Parameters<typeof changeFrom>[0];

const CHANGES = 'SELECT seq AS key, seq, at, record FROM $schema.feed_changes WHERE seq > $1 ORDER BY seq';
const FILES = 'SELECT * FROM $schema.feed_files WHERE key > $1::uuid ORDER BY key';
const GONE = 'SELECT * FROM $schema.feed_gone WHERE key > $1::uuid ORDER BY key';

/** Marks the feed if there are any. */
export async function faultsIn(ask: Ask, signal: AbortSignal): Promise<string[]> {
  const faults: string[] = [];
  const check = async <Row>(sql: string, first: string | number, what: string, read: (row: Row) => unknown) => {
    for (let key = first; faults.length < MAX_FAULTS; ) {
      const rows = await ask<Row & Keyed>(signal, `${sql} LIMIT ${CHECKED_AT_ONCE}`, key);
      for (const row of rows) {
        await letOthersRun(signal);
        if (isDamaged(() => read(row))) faults.push(`${what} is not what was written`);
      }
      if (rows.length < CHECKED_AT_ONCE) return;
      key = rows.at(-1)?.key ?? key;
    }
  };
  await check<ChangeColumns>(CHANGES, 0, 'a change', changeFrom);
  await check<FileColumns>(FILES, FIRST_KEY, 'the state of a file', fileFrom);
  await check<GoneColumns>(GONE, FIRST_KEY, 'the state of a file that is gone', goneFrom);
  if (faults.length > 0) await errorOf(ask(signal, MARK));
  return faults;
}

function isDamaged(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (thrown) {
    if (thrown instanceof DamagedOriginal) return true;
    throw thrown;
  }
}
