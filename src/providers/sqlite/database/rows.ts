// Runs SQL on one connection through prepared statements, and reads within one transaction.
import { SizedMap } from '../../../base/async/sized-map.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { Store } from '../../../contracts/store.ts';
import { DamagedRow, isIntact, type SqlValue } from './checksum.ts';
import type { Connection, Statement } from './connection.ts';
import { retryWhileBusy } from './store-errors.ts';

export interface Rows {
  all<T>(sql: string, ...values: readonly SqlValue[]): T[];
  first<T>(sql: string, ...values: readonly SqlValue[]): T | undefined;
  /**
   * Every row with all columns of one table, in their order.
   * @throws DamagedRow if the values of a row do not match its checksum, which is the last column
   */
  checked<T>(sql: string, ...values: readonly SqlValue[]): T[];
  /** The first column of every row. */
  column<T>(sql: string, ...values: readonly SqlValue[]): T[];
  /** The first column of the first row; undefined if there is no row. */
  value<T>(sql: string, ...values: readonly SqlValue[]): T | undefined;
  /** Every row as an array of its columns. */
  tuples<T extends readonly SqlValue[]>(sql: string, ...values: readonly SqlValue[]): T[];
  /** Does what `tuples` does, one row at a time: for tables that do not fit into memory. */
  each<T extends readonly SqlValue[]>(sql: string, ...values: readonly SqlValue[]): IterableIterator<T>;
  /**
   * Changes rows that match their checksum, because the new checksum would hide damage. A trigger that compares them would make
   * SQLite open a savepoint for every update.
   * @throws DamagedRow
   */
  update(table: string, set: Clause, where: Clause): void;
  /** @throws DamagedRow if one of these rows does not match its checksum */
  verify(table: string, where: Clause): void;
  /** Not for updates. @returns the row id of the last insert */
  run(sql: string, ...values: readonly SqlValue[]): number;
}

/** SQL with the values of its placeholders. */
export type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** Each combination of filters is another statement, so the number of statements needs a limit. */
const MAX_STATEMENTS = 300;

export function createRows(connection: Connection): Rows {
  const objects = createStatements(connection, (statement) => statement);
  const firstColumns = createStatements(connection, (statement) => statement.pluck());
  const arrays = createStatements(connection, (statement) => statement.raw());
  const checked = <T>(sql: string, ...values: readonly SqlValue[]): T[] => {
    const rows = objects(sql).all(...values) as Record<string, SqlValue>[];
    for (const row of rows) if (!isIntact(Object.values(row))) throw new DamagedRow(sql);
    return rows as T[];
  };
  const verify = (table: string, [sql, ...values]: Clause): void => {
    const select = `SELECT * FROM ${table} WHERE ${sql}`;
    for (const row of arrays(select).iterate(...values) as Iterable<SqlValue[]>)
      if (!isIntact(row)) throw new DamagedRow(select);
  };
  return Object.freeze<Rows>({
    all: <T>(sql: string, ...values: readonly SqlValue[]) => objects(sql).all(...values) as T[],
    checked,
    verify,
    update: (table, [set, ...values], where) => {
      const [sql, ...keys] = where;
      verify(table, where);
      objects(`UPDATE ${table} SET ${set} WHERE ${sql}`).run(...values, ...keys);
    },
    first: <T>(sql: string, ...values: readonly SqlValue[]) => objects(sql).get(...values) as T | undefined,
    column: <T>(sql: string, ...values: readonly SqlValue[]) => firstColumns(sql).all(...values) as T[],
    value: <T>(sql: string, ...values: readonly SqlValue[]) => firstColumns(sql).get(...values) as T | undefined,
    tuples: <T>(sql: string, ...values: readonly SqlValue[]) => arrays(sql).all(...values) as T[],
    each: <T extends readonly SqlValue[]>(sql: string, ...values: readonly SqlValue[]) =>
      arrays(sql).iterate(...values) as IterableIterator<T>,
    run: (sql, ...values) => Number(objects(sql).run(...values).lastInsertRowid),
  });
}

function createStatements(connection: Connection, configure: (statement: Statement) => Statement) {
  const statements = new SizedMap<string, Statement>(MAX_STATEMENTS);
  return (sql: string): Statement => {
    const statement = statements.get(sql);
    if (statement !== undefined) return statement;
    const prepared = configure(connection.prepare(sql));
    statements.set(sql, prepared);
    return prepared;
  };
}

/** Runs a query in one read transaction, so that it sees a single state of the index. */
export type Read = <T>(op: string, signal: AbortSignal, query: () => T) => Promise<T>;

/**
 * A tool runs many queries, one after the other, and other calls run in between.
 * @param checkSound throws in the transaction if the index is known to be damaged, or not whole
 */
export function createRead(connection: Connection, file: string, checkSound: () => void): Read {
  const inTransaction = connection.transaction((query: () => unknown) => {
    checkSound();
    return query();
  });
  return async <T>(op: string, signal: AbortSignal, query: () => T) => {
    const checkCancelled = () => {
      signal.throwIfAborted();
      if (!connection.open) throw new VaultgraphError('SHUTTING_DOWN', {});
    };
    await letOthersRun();
    const result = await retryWhileBusy({ op, file, checkCancelled }, () => inTransaction(query) as T);
    await letOthersRun();
    return result;
  };
}

/** A method of the store without its last argument, the signal, and without the promise. */
type Query<Method> = Method extends (...args: [...infer Args, AbortSignal]) => Promise<infer Result>
  ? (...args: Args) => Result
  : never;

/** Makes methods of the store from queries; each runs in one read transaction. */
export function readMethods<Names extends keyof Store>(
  read: Read,
  queries: { readonly [Name in Names]: Query<Store[Name]> },
): Pick<Store, Names> {
  const methodOf = (op: string, query: (...args: readonly unknown[]) => unknown) => {
    return (...args: readonly unknown[]) => read(op, args.at(-1) as AbortSignal, () => query(...args.slice(0, -1)));
  };
  const entries = Object.entries(queries as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>);
  return Object.fromEntries(entries.map(([op, query]) => [op, methodOf(op, query)])) as Pick<Store, Names>;
}

const MAX_PAGE_ROWS = 100_000;

/** @throws LIMIT_EXCEEDED */
export function checkPage(page: Page): Page {
  for (const [field, actual] of Object.entries(page)) {
    const isWhole = Number.isSafeInteger(actual) && actual >= 0;
    if (!isWhole || (field === 'limit' && actual > MAX_PAGE_ROWS))
      throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit: MAX_PAGE_ROWS, actual });
  }
  return page;
}

/** @throws LIMIT_EXCEEDED */
export function checkLimit(limit: number): number {
  return checkPage({ limit, offset: 0 }).limit;
}
