// Loaded before a program (`--import`): makes its database engine die, fail or stop at a commit of its choice. The program itself knows nothing of it.
import { appendFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getEnvironmentData, isMainThread, setEnvironmentData, Worker } from 'node:worker_threads';
import type BetterSqlite3 from 'better-sqlite3';

/**
 * `FAILPOINT=activate:before:1:kill`: at the first commit of that work, right before or right behind it, `kill` the process,
 * `throw` what a full disk throws, `stop` it until somebody sends SIGCONT, or `hold` its thread while the file `FAILPOINT_HOLD` is
 * there. `FAILPOINT_LOG=FILE`: every commit is written down.
 */
const [failWork = '', side = '', at = '1', deed = ''] = (process.env.FAILPOINT ?? '').split(':');
const { FAILPOINT_LOG: logFile, FAILPOINT_HOLD: holdFile = '' } = process.env;

const KEY = 'vaultgraph-test-work';
const ENCODER = new TextEncoder();

/** The work that the writing thread was asked for last: it does one at a time. */
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

/** `open` for what a thread commits that nobody asked: the first schema, in the main thread. */
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
    // The thread that asks for it may run on for a moment, and must not get to the commit.
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

engine.prototype.transaction = function (this: Database, body: (...given: unknown[]) => unknown): Transaction {
  const whole = transaction.call(this, (...given: unknown[]) => {
    const answer = body(...given);
    reach('before');
    return answer;
  });
  // Questions are asked in plain transactions; only what writes takes the lock at once.
  return Object.assign((...given: unknown[]) => transaction.call(this, body)(...given), {
    immediate: (...given: unknown[]) => {
      const answer = whole.immediate(...given);
      reach('after');
      return answer;
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
