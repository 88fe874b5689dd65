// Kills, fails or stops the process at a chosen commit of SQLite; loaded before a program with `--import`.
import { appendFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getEnvironmentData, isMainThread, setEnvironmentData, Worker } from 'node:worker_threads';
import type BetterSqlite3 from 'better-sqlite3';

/**
 * `FAILPOINT=activate:before:1:kill`: right before (or `after`) the first commit of that work, `kill` the process, `throw` the
 * error of a full disk, `stop` the process until SIGCONT, or `hold` its thread while the file `FAILPOINT_HOLD` exists.
 * `FAILPOINT_LOG=FILE` logs every commit.
 */
const [failWork = '', side = '', at = '1', deed = ''] = (process.env.FAILPOINT ?? '').split(':');
const { FAILPOINT_LOG: logFile, FAILPOINT_HOLD: holdFile = '' } = process.env;

const KEY = 'vaultgraph-test-work';
const ENCODER = new TextEncoder();

/** The current work of the writer thread. */
const work = (getEnvironmentData(KEY) as SharedArrayBuffer | undefined) ?? new SharedArrayBuffer(64);
if (isMainThread) {
  setEnvironmentData(KEY, work);
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, message: unknown, ...more: []) {
    if (typeof message === 'object' && message !== null && 'op' in message) name(String(message.op));
    post.call(this, message, ...more);
  };
}

function name(what: string): void {
  const bytes = new Uint8Array(work);
  bytes.fill(0);
  bytes.set(ENCODER.encode(what).subarray(0, bytes.length));
}

/** `open` is the schema of a new index, which the main thread commits. */
const nameNow = (): string =>
  isMainThread ? 'open' : new TextDecoder().decode(new Uint8Array(work).slice()).replaceAll('\0', '');

let seen = 0;

function reach(here: 'before' | 'after'): void {
  const what = nameNow();
  if (here === 'after' && logFile !== undefined) appendFileSync(logFile, `${what}\n`);
  if (what !== failWork || here !== side) return;
  seen += 1;
  if (seen !== Number(at)) return;
  if (deed === 'kill') process.kill(process.pid, 'SIGKILL');
  if (deed === 'stop') {
    process.kill(process.pid, 'SIGSTOP');
    // The thread may still run for a moment; it must not reach the commit.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  if (deed === 'hold') while (existsSync(holdFile)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  if (deed === 'throw')
    throw Object.assign(new Error('database or disk is full'), { name: 'SqliteError', code: 'SQLITE_FULL' });
}

type Engine = typeof BetterSqlite3;
type Database = BetterSqlite3.Database;
type Transaction = ReturnType<Database['transaction']>;

const engine = createRequire(import.meta.url)('better-sqlite3') as Engine;
const { transaction, exec } = engine.prototype as Database;

engine.prototype.transaction = function (this: Database, body: (...args: unknown[]) => unknown): Transaction {
  const whole = transaction.call(this, (...args: unknown[]) => {
    const result = body(...args);
    reach('before');
    return result;
  });
  // Reads use deferred transactions; only writes use immediate ones.
  return Object.assign((...args: unknown[]) => transaction.call(this, body)(...args), {
    immediate: (...args: unknown[]) => {
      const result = whole.immediate(...args);
      reach('after');
      return result;
    },
  }) as unknown as Transaction;
};

engine.prototype.exec = function (this: Database, sql: string): Database {
  const commits = /(^|;\s*)COMMIT\b/.test(sql);
  if (commits) reach('before');
  const same = exec.call(this, sql);
  if (commits) reach('after');
  return same;
};
