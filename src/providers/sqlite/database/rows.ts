// Runs SQL on one connection through statements prepared once.
import type BetterSqlite3 from 'better-sqlite3';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { Connection } from './open-database.ts';
import { retryWhileBusy } from './store-errors.ts';

export type SqlValue = string | number | null | Uint8Array;

export interface Rows {
  all<T>(sql: string, ...values: readonly SqlValue[]): T[];
  first<T>(sql: string, ...values: readonly SqlValue[]): T | undefined;
  /** The first column of every row. */
  column<T>(sql: string, ...values: readonly SqlValue[]): T[];
  /** Rows as lists of their columns. */
  tuples<T extends readonly SqlValue[]>(sql: string, ...values: readonly SqlValue[]): T[];
  /** @returns the row id of the last insert */
  run(sql: string, ...values: readonly SqlValue[]): number;
}

/** Filters make statements of their own; beyond this many the oldest are forgotten. */
const KEPT_STATEMENTS = 300;

export function createRows(connection: Connection): Rows {
  const plain = createStatements(connection, (statement) => statement);
  const plucked = createStatements(connection, (statement) => statement.pluck());
  const listed = createStatements(connection, (statement) => statement.raw());
  return Object.freeze({
    all: <T>(sql: string, ...values: readonly SqlValue[]) => plain(sql).all(...values) as T[],
    first: <T>(sql: string, ...values: readonly SqlValue[]) => plain(sql).get(...values) as T | undefined,
    column: <T>(sql: string, ...values: readonly SqlValue[]) => plucked(sql).all(...values) as T[],
    tuples: <T extends readonly SqlValue[]>(sql: string, ...values: readonly SqlValue[]) =>
      listed(sql).all(...values) as T[],
    run: (sql: string, ...values: readonly SqlValue[]) => Number(plain(sql).run(...values).lastInsertRowid),
  });
}

type Statement = BetterSqlite3.Statement<unknown[]>;

function createStatements(connection: Connection, shape: (statement: Statement) => Statement) {
  const kept = new Map<string, Statement>();
  return (sql: string): Statement => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const [oldest] = kept.keys();
    if (kept.size >= KEPT_STATEMENTS && oldest !== undefined) kept.delete(oldest);
    const prepared = shape(connection.prepare<unknown[]>(sql));
    kept.set(sql, prepared);
    return prepared;
  };
}

/** No question reads more rows than this for one page. */
const MAX_ROWS = 100_000;

export type Ask = <T>(op: string, signal: AbortSignal, question: () => T) => Promise<T>;

/** Every question sees one state of the index from beginning to end. */
export function createAsking(connection: Connection, file: string): Ask {
  const inOneState = connection.transaction((question: () => unknown) => question());
  return <T>(op: string, signal: AbortSignal, question: () => T) => {
    const stop = () => {
      signal.throwIfAborted();
      if (!connection.open) throw new VaultgraphError('SHUTTING_DOWN', {});
    };
    return retryWhileBusy({ op, file, stop }, () => inOneState(question) as T);
  };
}

/** @throws LIMIT_EXCEEDED */
export function bounded(page: Page): Page {
  for (const [field, actual] of Object.entries(page)) {
    const whole = Number.isSafeInteger(actual) && actual >= 0;
    if (!whole || (field === 'limit' && actual > MAX_ROWS)) {
      throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit: MAX_ROWS, actual });
    }
  }
  return page;
}
