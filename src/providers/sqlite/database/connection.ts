// What is used of a driver of SQLite; better-sqlite3 fulfils it as it is.

/** What is used of a prepared statement of better-sqlite3. */
export interface Statement<Row = unknown> {
  get(...values: readonly unknown[]): Row | undefined;
  all(...values: readonly unknown[]): Row[];
  iterate(...values: readonly unknown[]): IterableIterator<Row>;
  run(...values: readonly unknown[]): { readonly lastInsertRowid: number | bigint };
  /** From now on a row is its first column. */
  pluck(): Statement<Row>;
  /** From now on a row is an array of its columns. */
  raw(): Statement<Row>;
}

type Work<Arguments extends unknown[], Result> = (...args: Arguments) => Result;

/** What is used of a database of better-sqlite3. */
export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare<_Values = unknown, Row = unknown>(sql: string): Statement<Row>;
  exec(sql: string): unknown;
  pragma(sql: string, options?: { readonly simple: boolean }): unknown;
  transaction<Arguments extends unknown[], Result>(
    work: Work<Arguments, Result>,
  ): Work<Arguments, Result> & { immediate: Work<Arguments, Result> };
  function(name: string, options: FunctionOptions, work: (...values: never[]) => unknown): unknown;
  backup(file: string): Promise<unknown>;
  close(): unknown;
}

export interface FunctionOptions {
  readonly deterministic: boolean;
  readonly varargs: boolean;
}

export interface OpenOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** How long a statement waits for a lock, in milliseconds. */
  readonly timeout?: number;
}

/** Opens connections. One process opens a file with one engine only: two of them would take away each other's locks. */
export type Engine = new (file: string, options?: OpenOptions) => Connection;
