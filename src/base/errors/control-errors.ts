// Errors about time, load and shutdown, and the one for bugs.
import { entry, plural } from './error-entry.ts';

const COMMITTED = { none: '', partial: '; the change may be partly written', all: '; the change was written' };

/** What an index that is not ready waits for. */
const PHASES = {
  migrating: 'The index is being upgraded for this version; this happens once.',
  copying: 'The index is being copied from the database server to this machine.',
  beginning: 'Another server has just begun to keep the index, which is not complete.',
  replaced: 'The index was replaced or emptied a moment ago, and is being compared with the vault.',
};

export const CONTROL_ERRORS = {
  OVERLOADED: entry<{ queued: number; limit: number }>({
    category: 'control',
    retry: 'D',
    http: 429,
    retryAfterMs: 2_000,
    message: ({ queued, limit }) => `${plural(queued, 'call')} already queued for the provider, the limit is ${limit}`,
    hint: () => 'Try again when some of them have finished.',
  }),
  DEADLINE_EXCEEDED: entry<{ budget_ms: number; phase: string; committed: 'none' | 'partial' | 'all' }>({
    category: 'control',
    retry: 'D',
    http: 504,
    retryAfterMs: 1_000,
    message: ({ budget_ms, phase, committed }) =>
      `the call exceeded its limit of ${budget_ms} ms while ${phase}${COMMITTED[committed]}`,
    hint: ({ committed }) =>
      committed === 'none'
        ? 'Narrow the call with filters or a smaller limit, or try again for the rest.'
        : 'Read the note before you try again: the change may already be there. undo_change reverts it.',
  }),
  NOT_READY: entry<{ phase: keyof typeof PHASES /** Of the changes to copy. */; done?: number; total?: number }>({
    category: 'control',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: ({ phase, done, total }) =>
      `the index is not ready yet: ${phase}${total === undefined ? '' : ` (${done} of ${total} changes)`}`,
    hint: ({ phase }) => `${PHASES[phase]} Try again in a moment.`,
  }),
  SHUTTING_DOWN: entry<object & { committed?: 'partial' | 'all' }>({
    category: 'control',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: ({ committed }) => `the server is shutting down${committed === undefined ? '' : COMMITTED[committed]}`,
    hint: ({ committed }) =>
      committed === undefined
        ? 'Try again after the server has restarted.'
        : 'Read the note before you try again, after the server has restarted: the change may already be there.',
  }),
  CANCELLED: entry<{ committed: 'none' | 'partial' | 'all' }>({
    category: 'control',
    retry: 'N',
    http: 499,
    message: ({ committed }) => `the call was cancelled${COMMITTED[committed]}`,
    hint: ({ committed }) =>
      committed === 'none'
        ? 'The client or the user cancelled it; try again if the result is still needed.'
        : 'Read the note: the change may already be there. undo_change reverts it.',
  }),
  INTERNAL: entry<{ kind: string }>({
    category: 'internal',
    retry: 'N',
    http: 500,
    message: () => 'an unexpected error inside vaultgraph',
    hint: () => 'This is a bug. Please report it with the error id.',
  }),
};
