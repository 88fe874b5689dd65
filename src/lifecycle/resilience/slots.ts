// How many requests are under way at once, and who goes next: whoever somebody waits for goes before every job. Knows no provider.
import { VaultgraphError } from '../../base/errors.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Layer } from './layer.ts';

type Priority = ProviderCall['priority'];

const MOST_UNDER_WAY = 2;
/** A job never takes the last place. */
const MOST_JOBS_UNDER_WAY = 1;
const MOST_WAITING = 8;

/** The places of one provider; every request of it passes the same layer. Beyond eight interactive ones in the queue: OVERLOADED. */
export function slotLayer(): Layer {
  const slots = createSlots();
  return async (request, call, signal) => {
    call.trace.phase = 'queue';
    await slots.enter(call.priority, signal);
    try {
      return await request(call, signal);
    } finally {
      slots.leave(call.priority);
    }
  };
}

function createSlots() {
  const waiting: Record<Priority, (() => void)[]> = { interactive: [], background: [] };
  const underWay: Record<Priority, number> = { interactive: 0, background: 0 };

  const isFree = (priority: Priority): boolean =>
    underWay.interactive + underWay.background < MOST_UNDER_WAY &&
    (priority === 'interactive' || (underWay.background < MOST_JOBS_UNDER_WAY && waiting.interactive.length === 0));

  function letIn(): void {
    for (const priority of ['interactive', 'background'] as const) {
      while (isFree(priority) && waiting[priority].length > 0) waiting[priority].shift()?.();
    }
  }

  function queue(priority: Priority, signal: AbortSignal): Promise<void> {
    if (priority === 'interactive' && waiting.interactive.length >= MOST_WAITING) {
      throw new VaultgraphError('OVERLOADED', { queued: waiting.interactive.length, limit: MOST_WAITING });
    }
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        signal.removeEventListener('abort', giveUp);
        underWay[priority] += 1;
        resolve();
      };
      const giveUp = (): void => {
        waiting[priority].splice(waiting[priority].indexOf(goOn), 1);
        letIn();
        reject(signal.reason);
      };
      waiting[priority].push(goOn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async enter(priority: Priority, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      if (!isFree(priority)) return queue(priority, signal);
      underWay[priority] += 1;
    },
    leave(priority: Priority): void {
      underWay[priority] -= 1;
      letIn();
    },
  };
}
