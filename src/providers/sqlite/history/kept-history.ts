// The kept history for the process: sends each request to its thread, which starts with the first one and ends when it is idle.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Serial } from '../../../base/async/serial.ts';
import { untilAborted } from '../../../base/async/waits.ts';
import { etagOf } from '../../../base/content-hash.ts';
import { deserializeError } from '../../../base/errors/serialized-error.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { NotePath } from '../../../base/note.ts';
import { outcomeOf, unwrap } from '../../../base/outcome.ts';
import { dialectForThread } from '../../../base/threads/dialect.ts';
import { WorkerClient } from '../../../base/threads/worker-client.ts';
import { threadScript, unstartedThread } from '../../../base/threads/worker-threads.ts';
import type { HistorySettings, TextHistory } from '../../../contracts/feed.ts';
import type { EarlierText, Moment } from '../../../contracts/vault.ts';
import { damagedPath } from '../database/kept-file.ts';
import { displayPath } from '../database/store-errors.ts';
import type { EarlierAnswer, HistoryReply, HistoryRequest, HistoryResults } from './history-messages.ts';

const SCRIPT = threadScript('history-thread', import.meta.url);
const IDLE_MS = 10_000;

/** Beside the change log. @param scope names the part of the vault that is listed, which has a history of its own */
export const historyFile = (stateFolder: string, scope: string | undefined): string =>
  join(stateFolder, scope === undefined ? 'history.db' : `history-${scope}.db`);

export function createHistory(settings: HistorySettings, log: Log): TextHistory {
  return new ThreadHistory(settings, log);
}

class ThreadHistory implements TextHistory {
  readonly file: string;
  readonly #settings: HistorySettings;
  readonly #log: Log;
  readonly #turns = new Serial();
  readonly #closing = new AbortController();
  #thread: WorkerClient<HistoryRequest, HistoryReply> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** How often it was doubted, and of these, up to which a comparison has found what was missed. */
  #doubts = 0;
  #settled = -1;
  #leftAt = 0;
  /** Notes that were kept or left since a comparison began. */
  #touched: Set<string> | undefined;

  constructor(settings: HistorySettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.file = displayPath(settings.file);
  }

  get isDoubtful(): boolean {
    return this.#settled !== this.#doubts;
  }

  doubt(): void {
    this.#doubts += 1;
  }

  hadDamage(): boolean {
    return existsSync(damagedPath(this.#settings.file));
  }

  keep(candidates: HistoryRequestOf<'keep'>['texts']): Promise<void> {
    const texts = candidates.filter(({ path, isLate }) => isLate !== true || this.#touched?.has(path) !== true);
    for (const { path, isLate } of texts) if (isLate !== true) this.#touched?.add(path);
    return texts.length === 0 ? Promise.resolve() : this.#attempt({ op: 'keep', texts, ...this.#step() });
  }

  leave(paths: readonly NotePath[]): Promise<void> {
    for (const path of paths) this.#touched?.add(path);
    return paths.length === 0 ? Promise.resolve() : this.#attempt({ op: 'leave', paths, ...this.#step() });
  }

  async compare(
    newest: () => Promise<HistoryRequestOf<'compare'>['newest']>,
    signal: AbortSignal,
  ): Promise<readonly NotePath[]> {
    const touched = new Set<string>();
    this.#touched = touched;
    const doubts = this.#doubts;
    const texts = await newest();
    this.#settled = doubts;
    const outcome = await outcomeOf(this.#ask({ op: 'compare', newest: texts, touched }, signal));
    if ('error' in outcome) this.doubt();
    return unwrap(outcome);
  }

  filled(): void {
    this.#touched = undefined;
  }

  async prune(signal: AbortSignal): Promise<void> {
    await this.#ask({ op: 'prune' }, signal);
  }

  async earlier(path: NotePath, at: Moment, newest: string | undefined, signal: AbortSignal): Promise<EarlierText> {
    const answer = await this.#ask({ op: 'earlier', path, at }, signal);
    const refusal = (reason: 'not_kept' | 'damaged' | 'deleted', more: object = {}) =>
      new VaultgraphError('EARLIER_TEXT_MISSING', { path, at: shownMoment(at), reason, ...more });
    if ('reason' in answer) throw refusal(answer.reason, detailsOf(answer));
    // The index is of a later text: the history has missed it, and does not know since when.
    const isOfTime = 'beforeMs' in at && at.hash === undefined;
    if (isOfTime && answer.isNewest && answer.path === path && newest !== undefined && newest !== answer.hash)
      throw refusal('not_kept');
    const { bytes, hash, since } = answer;
    return { path: answer.path, bytes, revision: etagOf(hash), writtenMs: since, keptBy: 'history' };
  }

  state(signal: AbortSignal): Promise<HistoryResults['state']> {
    return this.#ask({ op: 'state' }, signal);
  }

  faults(signal: AbortSignal): Promise<readonly string[]> {
    return this.#ask({ op: 'faults' }, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await this.#turns.run(() => this.#endThread());
  }

  /** The index goes on without it. */
  async #attempt(request: HistoryRequestOf<'keep' | 'leave'>): Promise<void> {
    const outcome = await outcomeOf(this.#ask(request, this.#closing.signal));
    if ('value' in outcome) this.#leftAt = outcome.value.leftAt;
    if ('value' in outcome && !outcome.value.isOlder) return;
    this.doubt();
    const code = 'error' in outcome ? outcome.error.code : 'STORE_CORRUPT';
    if (code !== 'SHUTTING_DOWN') this.#log('warn', 'history_failed', { code });
  }

  #step(): { readonly isInStep: boolean; readonly leftAt: number } {
    return { isInStep: !this.isDoubtful, leftAt: this.#leftAt };
  }

  async #ask<R extends HistoryRequest>(request: R, signal: AbortSignal): Promise<HistoryResults[R['op']]> {
    this.#closing.signal.throwIfAborted();
    const pending = this.#turns.run(async () => {
      clearTimeout(this.#idleTimer);
      if (!this.#thread?.isAlive) this.#thread = this.#startThread();
      const buffers = request.op === 'keep' ? request.texts.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
      const reply = await this.#thread.ask(request, buffers);
      this.#idleTimer = setTimeout(() => void this.#turns.run(() => this.#endThread()), IDLE_MS).unref();
      return reply;
    }, signal);
    const reply = await untilAborted(pending, signal);
    if ('refusal' in reply) throw deserializeError(reply.refusal);
    return reply.result as HistoryResults[R['op']];
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const thread = this.#thread;
    this.#thread = undefined;
    if (!thread?.isAlive) return;
    await outcomeOf(thread.ask({ op: 'close' }));
    await thread.close();
  }

  #startThread(): WorkerClient<HistoryRequest, HistoryReply> {
    const failure = (cause: unknown) =>
      unstartedThread(cause) ??
      new VaultgraphError('STORE_UNAVAILABLE', { op: 'history', reason: 'the thread of the history ended' }, { cause });
    const workerData = { ...this.#settings, ...dialectForThread() };
    return new WorkerClient(SCRIPT, { name: 'vaultgraph-history', workerData, inheritsOptions: true, failure });
  }
}

type HistoryRequestOf<Op extends HistoryRequest['op']> = Extract<HistoryRequest, { op: Op }>;

const shownMoment = (at: Moment): string => ('revision' in at ? at.revision : new Date(at.beforeMs - 1).toISOString());

function detailsOf(answer: Extract<EarlierAnswer, { reason: string }>): object {
  if (answer.reason === 'deleted') return { deleted_at: new Date(answer.deletedMs).toISOString() };
  if (answer.reason === 'damaged' || answer.keptSince === undefined) return {};
  return { kept_since: new Date(answer.keptSince).toISOString() };
}
