// A connection of node:sqlite with the interface of better-sqlite3, as far as it is used.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import type * as NodeSqlite from 'node:sqlite';
import type { Connection, FunctionOptions, OpenOptions, Statement } from './connection.ts';

const requireModule = modules.createRequire(import.meta.url);

/** What the type definitions have and an older Node may not: 22.13 has none of it. */
type NodeDatabase = Omit<NodeSqlite.DatabaseSync, 'isTransaction'> & { readonly isTransaction?: boolean };
type NodeStatement = Omit<NodeSqlite.StatementSync, 'setReturnArrays' | 'columns'> &
  Partial<Pick<NodeSqlite.StatementSync, 'setReturnArrays' | 'columns'>>;
type NodeValue = NodeSqlite.SQLInputValue;

/** Has the name and the codes that better-sqlite3 gives its errors. */
class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An integer that no number can hold is not one of ours: the row is damaged. */
const TOO_LARGE = 'ERR_OUT_OF_RANGE';

function asSqliteError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  if (thrown.code === TOO_LARGE) return new SqliteError(thrown.message, 'SQLITE_CORRUPT', { cause: thrown });
  if (!('errcode' in thrown)) return thrown;
  return new SqliteError(thrown.message, resultCode(Number(thrown.errcode)), { cause: thrown });
}

let loaded: typeof NodeSqlite | undefined;

/** Without the warning of older versions of Node that the module is experimental. @throws if this Node does not have it */
function nodeSqlite(): typeof NodeSqlite {
  if (loaded !== undefined) return loaded;
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    loaded = requireModule('node:sqlite') as typeof NodeSqlite;
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
}

export class NodeConnection implements Connection {
  readonly #database: NodeDatabase;
  #isOpen = true;

  constructor(file: string, { readonly = false, fileMustExist = false, timeout = 0 }: OpenOptions = {}) {
    const { DatabaseSync } = nodeSqlite();
    if (fileMustExist && !existsSync(file)) throw new SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
    this.#database = attempt(() => new DatabaseSync(file, { readOnly: readonly })) as NodeDatabase;
    this.exec(`PRAGMA busy_timeout = ${timeout}`);
  }

  get open(): boolean {
    return this.#isOpen;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction ?? !this.#canBegin();
  }

  /** A transaction that has not read anything takes no lock. */
  #canBegin(): boolean {
    try {
      this.#database.exec('BEGIN; COMMIT');
      return true;
    } catch {
      return false;
    }
  }

  prepare<_Values = unknown, Row = unknown>(sql: string): Statement<Row> {
    return new NodePrepared<Row>(attempt(() => this.#database.prepare(sql)) as NodeStatement);
  }

  exec(sql: string): void {
    attempt(() => this.#database.exec(sql));
  }

  pragma(sql: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
    const statement = this.prepare(`PRAGMA ${sql}`);
    return simple ? statement.pluck().all()[0] : statement.all();
  }

  transaction<Arguments extends unknown[], Result>(work: (...args: Arguments) => Result) {
    const beginning =
      (begin: string) =>
      (...args: Arguments): Result => {
        this.exec(begin);
        try {
          const result = work(...args);
          this.exec('COMMIT');
          return result;
        } catch (thrown) {
          if (this.inTransaction) this.exec('ROLLBACK');
          throw thrown;
        }
      };
    return Object.assign(beginning('BEGIN'), { immediate: beginning('BEGIN IMMEDIATE') });
  }

  function(name: string, options: FunctionOptions, work: (...values: never[]) => unknown): void {
    attempt(() => this.#database.function(name, options, work as (...values: unknown[]) => NodeValue));
  }

  /** Before Node 22.16 the functions of the schema have to be there. */
  async backup(file: string): Promise<void> {
    const { backup } = nodeSqlite() as Partial<Pick<typeof NodeSqlite, 'backup'>>;
    if (backup === undefined) this.prepare('VACUUM INTO ?').run(file);
    else
      await backup(this.#database as NodeSqlite.DatabaseSync, file).catch((thrown) => {
        throw asSqliteError(thrown);
      });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    attempt(() => this.#database.close());
  }
}

type Shape = 'object' | 'first' | 'array';

/** Makes rows of arrays, which costs less than the objects of node:sqlite, whose prototype is null. */
class NodePrepared<Row> implements Statement<Row> {
  readonly #statement: NodeStatement;
  readonly #givesArrays: boolean;
  #shape: Shape = 'object';
  #names: readonly string[] = [];

  constructor(statement: NodeStatement) {
    this.#statement = statement;
    this.#givesArrays = statement.setReturnArrays !== undefined && statement.columns !== undefined;
    if (this.#givesArrays) statement.setReturnArrays?.(true);
  }

  pluck(): this {
    this.#shape = 'first';
    return this;
  }

  raw(): this {
    this.#shape = 'array';
    return this;
  }

  get(...values: readonly unknown[]): Row | undefined {
    const row = attempt(() => this.#statement.get(...(values as NodeValue[])));
    return row === undefined ? undefined : this.#shaped(row);
  }

  all(...values: readonly unknown[]): Row[] {
    const rows: readonly unknown[] = attempt(() => this.#statement.all(...(values as NodeValue[])));
    return this.#shape === 'array' && this.#givesArrays ? (rows as Row[]) : rows.map((row) => this.#shaped(row));
  }

  *iterate(...values: readonly unknown[]): IterableIterator<Row> {
    try {
      for (const row of this.#statement.iterate(...(values as NodeValue[]))) yield this.#shaped(row);
    } catch (thrown) {
      throw asSqliteError(thrown);
    }
  }

  run(...values: readonly unknown[]): { readonly lastInsertRowid: number | bigint } {
    return attempt(() => this.#statement.run(...(values as NodeValue[])));
  }

  #shaped(row: unknown): Row {
    const columns = (this.#givesArrays ? row : Object.values(row as object)) as readonly unknown[];
    if (this.#shape === 'array') return columns as Row;
    if (this.#shape === 'first') return columns[0] as Row;
    return (this.#givesArrays ? this.#objectOf(columns) : { ...(row as object) }) as Row;
  }

  #objectOf(columns: readonly unknown[]): Record<string, unknown> {
    // The columns of `*` are others after a change of the table.
    if (this.#names.length !== columns.length) this.#names = this.#statement.columns?.().map(({ name }) => name) ?? [];
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) row[this.#names[at] as string] = columns[at];
    return row;
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asSqliteError(thrown);
  }
}

/** SQLite's result codes, which node:sqlite gives as numbers: the low byte is the primary code. */
const PRIMARY =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING'.split(
    ' ',
  );

/** By the name of the primary code: the names of the extended codes, from 1. */
const EXTENDED: Readonly<Record<string, readonly string[]>> = {
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  CANTOPEN: ['NOTEMPDIR', 'ISDIR', 'FULLPATH', 'CONVPATH', 'DIRTYWAL', 'SYMLINK'],
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  IOERR:
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE'.split(
      ' ',
    ),
  LOCKED: ['SHAREDCACHE', 'VTAB'],
  READONLY: ['RECOVERY', 'CANTLOCK', 'ROLLBACK', 'DBMOVED', 'CANTINIT', 'DIRECTORY'],
};

/** Such as `SQLITE_IOERR_SHORT_READ` of 522. */
function resultCode(code: number): string {
  const primary = PRIMARY[code & 0xff] ?? 'ERROR';
  const extended = EXTENDED[primary]?.[(code >> 8) - 1];
  return ['SQLITE', primary, ...(extended === undefined ? [] : [extended])].join('_');
}
