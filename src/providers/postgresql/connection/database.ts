// Runs statements and transactions on a PostgreSQL server, each under a time limit, and cancels them when their caller gives up.

import { connect } from 'node:net';
import pg from 'pg';
import { untilAborted } from '../../../base/async/waits.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { Abandoned } from '../checked-values.ts';
import { isConflict, isUsable, type Operation, toPostgresError, unavailable } from './failures.ts';
import { type ConnectionSettings, quotedSchema, serverName } from './settings.ts';

export type SqlValue = string | number | boolean | null | Buffer | readonly string[] | readonly number[];
/** Sends one statement at once and resolves with its rows; several can be under way. */
export type Run = <T = Row>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;
type Row = Readonly<Record<string, unknown>>;
type Work<T> = (run: Run) => Promise<T>;

const MAX_CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
/** A server of vaultgraph that was suspended in the middle of a transaction loses its locks by then. */
const MAX_PAUSE_MS = 8_000;
/** The wait of a change: other servers hold the rows of the head and of the lease while they commit. */
const MAX_LOCK_WAIT_MS = 8_000;
/** The wait of a statement that only a lock on a whole table can delay: a call may run several of them. */
const MAX_READ_WAIT_MS = 2_000;
const READ_ONLY = /READ ONLY/;
const ISOLATION = /ISOLATION/;
/** A role or a database may have others by default, with which values arrive as other values than were written. Row security fails a statement instead of hiding rows from it. */
const FORMATS =
  'SET LOCAL extra_float_digits = 1; SET LOCAL DateStyle = ISO; SET LOCAL bytea_output = hex; SET LOCAL standard_conforming_strings = on; SET LOCAL row_security = off';
/** How much longer the client waits than the server. */
const MARGIN_MS = 2_000;
/** How long a server takes to end a statement. */
const MAX_CANCEL_MS = 1_000;
const MAX_TRIES = 5;
const INT8 = 20;

const types = {
  // Every number of ours is below 2^53.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format ?? 'text')) as typeof pg.types.getTypeParser,
};

export class Database {
  readonly settings: ConnectionSettings;
  readonly #pool: pg.Pool;
  readonly #onConflict: () => void;

  /** @param onConflict called for each transaction that is run again */
  constructor(settings: ConnectionSettings, max: number, onConflict: () => void) {
    this.settings = settings;
    this.#onConflict = onConflict;
    this.#pool = new pg.Pool({ ...driverSettings(settings), max });
    // A connection that ends while nothing uses it is replaced by the next statement. One that is in use fails its statements and
    // reports the same error again, which would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** One statement, in which `$schema` stands for the schema. @throws STORE_*, or the signal's reason */
  query<T>(op: string, sql: string, values: readonly SqlValue[], signal: AbortSignal): Promise<T[]> {
    return this.together(op, signal, (run) => run<T>(sql, values));
  }

  /** Questions that are sent together, in one round trip. @param ask sends all of them before it waits */
  together<T>(op: string, signal: AbortSignal, ask: Work<T>): Promise<T> {
    return this.#withConnection(op, signal, async (run) => {
      const sent = [run(this.#begin('', MAX_READ_WAIT_MS)), ask(run), run('COMMIT')] as const;
      // The server answers in order, and ends a transaction that failed with the last of them.
      await Promise.allSettled(sent);
      const [, answer] = await Promise.all(sent);
      return answer;
    });
  }

  /**
   * Runs `work` in one transaction; a few more times if the server reports a conflict with another transaction.
   * @param mode of the transaction, such as `ISOLATION LEVEL REPEATABLE READ READ ONLY`
   */
  async transaction<T>(op: string, signal: AbortSignal, work: Work<T>, mode = ''): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#withConnection(
          op,
          signal,
          (run) => this.#inTransaction(run, work, mode, signal),
          tries < MAX_TRIES,
        );
      } catch (thrown) {
        if (!isConflict(thrown)) throw thrown;
        this.#onConflict();
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** All is set with the transaction, because a pooler may give the next one another connection. */
  #begin(mode: string, maxWaitMs: number): string {
    const { timeout } = this.settings;
    return `BEGIN ${ISOLATION.test(mode) ? mode : `ISOLATION LEVEL READ COMMITTED ${mode}`}; ${FORMATS}; SET LOCAL statement_timeout = ${timeout}; SET LOCAL lock_timeout = ${Math.min(timeout, maxWaitMs)};
      SET LOCAL idle_in_transaction_session_timeout = ${MAX_PAUSE_MS}`;
  }

  async #inTransaction<T>(run: Run, work: Work<T>, mode: string, signal: AbortSignal): Promise<T> {
    const begun = run(this.#begin(mode, READ_ONLY.test(mode) ? MAX_READ_WAIT_MS : MAX_LOCK_WAIT_MS));
    try {
      const [, result] = await Promise.all([begun, work(run)]);
      await run('COMMIT');
      return result;
    } catch (thrown) {
      if (!isBroken(thrown, signal)) await run('ROLLBACK');
      throw thrown;
    }
  }

  /** @param throwsConflicts whether a conflict is thrown as the driver reports it */
  async #withConnection<T>(op: string, signal: AbortSignal, work: Work<T>, throwsConflicts = false): Promise<T> {
    signal.throwIfAborted();
    const operation = { op, settings: this.settings, startedAt: performance.now() };
    const client = await this.#connect(operation, signal);
    let isLost = false;
    try {
      return await work(this.#runner(client, operation, signal));
    } catch (thrown) {
      isLost = isBroken(thrown, signal);
      if (throwsConflicts && isConflict(thrown)) throw thrown;
      throw signal.aborted && thrown === signal.reason ? thrown : toPostgresError(thrown, operation);
    } finally {
      client.release(isLost);
    }
  }

  async #connect(operation: Operation, signal: AbortSignal): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    try {
      return await untilAborted(connecting, signal);
    } catch (thrown) {
      connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      if (thrown === signal.reason) throw thrown;
      const isFull = this.#pool.totalCount >= (this.#pool.options.max ?? 1) && this.#pool.idleCount === 0;
      throw isFull && !isCoded(thrown) ? this.#exhausted(operation) : toPostgresError(thrown, operation);
    }
  }

  #exhausted({ op, startedAt }: Operation): VaultgraphError {
    const waited = Math.round(performance.now() - startedAt);
    return new VaultgraphError('STORE_BUSY', { op, waited_ms: waited, server: serverName(this.settings) });
  }

  #runner(client: pg.PoolClient, operation: Operation, signal: AbortSignal): Run {
    const schema = quotedSchema(this.settings);
    const limit = this.settings.timeout + MARGIN_MS;
    return async <T>(sql: string, values: readonly SqlValue[] = []) => {
      const late = AbortSignal.timeout(limit);
      const text = sql.replaceAll('$schema', schema);
      const sent = values.length === 0 ? client.query(text) : client.query(text, [...values]);
      try {
        const result = await untilAborted(sent, signal, late);
        return (result.rows ?? []) as T[];
      } catch (thrown) {
        if (signal.aborted || late.aborted) cancelStatement(this.settings, client as unknown as BackendKey);
        if (!late.aborted || thrown !== late.reason) throw thrown;
        return (await afterCancel(sent, operation, limit, signal)).rows as T[];
      }
    };
  }
}

/**
 * A server that ends the statement when it is asked to is there: the statement waits, for a lock for example.
 * @throws the server's error for a statement that was cancelled; STORE_UNAVAILABLE if it does not answer
 */
async function afterCancel<T>(sent: Promise<T>, operation: Operation, limit: number, signal: AbortSignal): Promise<T> {
  const silent = AbortSignal.timeout(MAX_CANCEL_MS);
  try {
    return await untilAborted(sent, signal, silent);
  } catch (thrown) {
    if (thrown !== silent.reason) throw thrown;
    throw unavailable(operation, ['timeout', `no answer within ${limit} ms`], { retry: 'D*', retryAfterMs: 5_000 });
  }
}

/** Whether the connection may be in the middle of a statement, or have ended. */
const isBroken = (thrown: unknown, signal: AbortSignal): boolean =>
  signal.aborted || !(isUsable(thrown) || thrown instanceof Abandoned || isOwn(thrown));

const isOwn = (thrown: unknown): boolean => thrown instanceof VaultgraphError && thrown.code !== 'STORE_UNAVAILABLE';

const isCoded = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown;

/** Everything is given, so that the driver takes nothing from its own variables and files. */
function driverSettings(settings: ConnectionSettings): pg.PoolConfig {
  const { host, port, database, user, password = '', tls, ca } = settings;
  const verify = tls === 'verify' ? { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } : undefined;
  return {
    host,
    port,
    database,
    user,
    password: () => password,
    types,
    pipeline: true,
    keepAlive: true,
    ssl: tls === 'off' ? false : (verify ?? { rejectUnauthorized: false }),
    application_name: 'vaultgraph',
    connectionTimeoutMillis: Math.min(settings.timeout, MAX_CONNECT_MS),
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
  };
}

/** What the server gave the connection when it began. */
interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_CODE = 80_877_102;
const REQUEST_BYTES = 16;
const MAX_REQUEST_MS = 5_000;

/**
 * Without waiting for the outcome: the connection is closed as well, and the server's own time limit holds if the request is lost.
 * Servers take this request on a connection without encryption; the key in it is of use for this one connection only.
 */
function cancelStatement({ host, port }: ConnectionSettings, { processID, secretKey }: BackendKey): void {
  const request = Buffer.alloc(REQUEST_BYTES);
  for (const [at, value] of [REQUEST_BYTES, CANCEL_CODE, processID, secretKey].entries())
    request.writeInt32BE(value | 0, at * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(MAX_REQUEST_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(request);
  socket.unref();
}
