// What followers ask and a leader does for them, through the store that both see.
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../base/until-aborted.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { SharedAnswer, SharedRequest, SharedStore, Told } from '../../contracts/lease.ts';
import { settled } from '../result.ts';

/** The wait of a caller, so it is short. */
const LOOK_EVERY_MS = 30;

/** The job that whoever leads did it with. An abort ends the wait, not the doing. @throws what the leader could not do it for */
export async function askedOfHolder(
  request: SharedRequest,
  store: SharedStore,
  signal: AbortSignal,
): Promise<IndexJob> {
  const id = await store.askHolder(request, signal);
  for (;;) {
    const answer = await store.holderAnswer(id, signal);
    if (answer !== undefined && 'error' in answer) throw answer.error;
    if (answer !== undefined) return answer.job;
    await untilAborted(sleep(LOOK_EVERY_MS), signal);
  }
}

export interface RequestDesk {
  /** Does what is asked and nobody does yet; each goes on by itself. @returns whether anything is asked */
  look(signal: AbortSignal): Promise<boolean>;
}

/** What cannot be done any more because another process leads is left for that one. */
export function createRequestDesk(
  store: SharedStore,
  perform: (request: SharedRequest) => Promise<IndexJob>,
  tell: (answers: Told['answers']) => void,
): RequestDesk {
  const inHand = new Set<number>();

  async function serve(id: number, request: SharedRequest): Promise<void> {
    const outcome = await settled(perform(request));
    const answer: SharedAnswer = 'error' in outcome ? outcome : { job: outcome.value };
    const error = 'error' in answer ? answer.error : answer.job.error;
    if (error?.code === 'INDEX_CONFLICT' || error?.code === 'SHUTTING_DOWN') inHand.delete(id);
    else tell([{ id, answer }]);
  }

  return {
    async look(signal) {
      const open = await store.openRequests(signal);
      for (const id of inHand) if (!open.some((one) => one.id === id)) inHand.delete(id);
      for (const { id, request } of open) {
        if (inHand.has(id)) continue;
        inHand.add(id);
        void serve(id, request);
      }
      return open.length > 0;
    },
  };
}
