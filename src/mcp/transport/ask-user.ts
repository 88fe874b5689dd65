// Asks the user to approve a change, in a form that the client shows (`elicitation/create`).
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type ElicitResult, ElicitResultSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.ts';
import type { Consent } from '../../contracts/tool.ts';
import type { AskUser } from '../dispatch/dispatch.ts';
import { escapeControls } from '../render/safe-text.ts';

const FORM = {
  type: 'object' as const,
  properties: { approve: { type: 'boolean' as const, title: 'Apply this change', default: false } },
  required: ['approve'],
};

/** The form with a question, as the parameters of `elicitation/create`. */
export function formFor(question: string) {
  return { message: shown(question), requestedSchema: FORM };
}

/** Undefined if the client cannot show a form. @param relatedRequestId of the call: over HTTP the question uses its stream */
export function userAsker(server: Server, relatedRequestId: RequestId, log: Log): AskUser | undefined {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined;
  return async (question, waitMs, signal) => {
    signal.throwIfAborted();
    // Not the signal of the call: the SDK would also withdraw a question that was answered long ago.
    const asking = new AbortController();
    const withdraw = (): void => asking.abort('the call has ended');
    signal.addEventListener('abort', withdraw, { once: true });
    const request = { method: 'elicitation/create' as const, params: formFor(question) };
    const answer = server.request(request, ElicitResultSchema, {
      signal: asking.signal,
      timeout: waitMs,
      relatedRequestId,
    });
    const [outcome] = await Promise.allSettled([answer]);
    signal.removeEventListener('abort', withdraw);
    signal.throwIfAborted();
    if (outcome.status === 'fulfilled') return consentIn(outcome.value);
    log('info', 'question_not_answered', { cause: outcome.reason instanceof Error ? outcome.reason.name : 'unknown' });
    return 'no_answer';
  };
}

export function consentIn({ action, content }: ElicitResult): Consent {
  if (action === 'cancel') return 'cancelled';
  return action === 'accept' && content?.approve === true ? 'approved' : 'declined';
}

/** The text of notes is foreign; only its line ends and tabs stay as they are. */
function shown(question: string): string {
  return question.replaceAll(/[^\n\t]+/g, escapeControls);
}
