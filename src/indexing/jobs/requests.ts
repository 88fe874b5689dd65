// Requests of followers to the leader, exchanged through the store that both share.
import { setTimeout as sleep } from 'node:timers/promises';
import { outcomeOf } from '../../base/outcome.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { HolderUpdate, SharedAnswer, SharedRequest, SharedStore } from '../../contracts/lease.ts';

/** Short, because a caller waits. */
const POLL_MS = 30;

/** The job with which the leader did it. An abort ends the wait, not the work. @throws the leader's error; the store's errors */
export async function askLeader(request: SharedRequest, store: SharedStore, signal: AbortSignal): Promise<IndexJob> {
  const id = await store.requestFromLeader(request, signal);
  for (;;) {
    const answer = await store.leaderReply(id, signal);
    if (answer !== undefined && 'error' in answer) throw answer.error;
    if (answer !== undefined) return answer.job;
    await untilAborted(sleep(POLL_MS), signal);
  }
}

/** Serves the requests of followers while this process leads. */
export class RequestDesk {
  readonly #store: SharedStore;
  readonly #perform: (request: SharedRequest) => Promise<IndexJob>;
  readonly #answer: (answers: HolderUpdate['answers']) => Promise<void>;
  readonly #inProgress = new Set<number>();

  constructor(
    store: SharedStore,
    perform: (request: SharedRequest) => Promise<IndexJob>,
    answer: (answers: HolderUpdate['answers']) => Promise<void>,
  ) {
    this.#store = store;
    this.#perform = perform;
    this.#answer = answer;
  }

  /** Starts all requests that are not in progress, concurrently. @returns whether there are open requests */
  async serveOpen(signal: AbortSignal): Promise<boolean> {
    const open = await this.#store.openRequests(signal);
    for (const id of this.#inProgress) if (!open.some((one) => one.id === id)) this.#inProgress.delete(id);
    for (const { id, request } of open) {
      if (this.#inProgress.has(id)) continue;
      this.#inProgress.add(id);
      void this.#serve(id, request);
    }
    return open.length > 0;
  }

  /** A request that this process can no longer serve is left open for the next leader. */
  async #serve(id: number, request: SharedRequest): Promise<void> {
    const outcome = await outcomeOf(this.#perform(request));
    const answer: SharedAnswer = 'error' in outcome ? outcome : { job: outcome.value };
    const code = 'error' in answer ? answer.error.code : answer.job.error?.code;
    if (code === 'INDEX_CONFLICT' || code === 'SHUTTING_DOWN') this.#inProgress.delete(id);
    else await this.#answer([{ id, answer }]);
  }
}
