// Asks the user to approve a change, in a form that the client shows (`elicitation/create`).

import { createHash, randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type ElicitResult,
  ElicitResultSchema,
  ErrorCode,
  McpError,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { SizedMap } from '../../base/async/sized-map.ts';
import type { Log } from '../../base/log.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Consent } from '../../contracts/tool.ts';
import type { AskUser } from '../dispatch/dispatch.ts';
import { escapeControls } from '../render/safe-text.ts';
import { type Fault, INVALID_PARAMS, type Params } from '../wire/method.ts';

const FORM = {
  type: 'object' as const,
  properties: { approve: { type: 'boolean' as const, title: 'Apply this change', default: false } },
  required: ['approve'],
};

/** The form with a question, as the parameters of `elicitation/create`. */
function formFor(question: string) {
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
    return isTimeout(outcome.reason) ? 'no_answer' : 'not_asked';
  };
}

/** Anything else is an error of the client, or an answer that is none. */
const isTimeout = (reason: unknown): boolean => reason instanceof McpError && reason.code === ErrorCode.RequestTimeout;

function consentIn({ action, content }: ElicitResult): Consent {
  if (action === 'cancel') return 'cancelled';
  return action === 'accept' && content?.approve === true ? 'approved' : 'declined';
}

/** The text of notes is foreign; only its line ends and tabs stay as they are. */
function shown(question: string): string {
  return question.replaceAll(/[^\n\t]+/g, escapeControls);
}

/** The oldest is forgotten first; its call is then asked about again. */
const MAX_PENDING = 100;
/** The key of the only question of a call. */
const QUESTION = 'approve';

interface Pending {
  /** The digest of the call and what was shown. */
  readonly digest: string;
  readonly expiresAt: number;
}

interface GivenAnswer extends Pending {
  readonly consent: Consent;
}

interface InputRequired {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
}

export interface AskedCall {
  readonly ask: AskUser;
  /** Resolves when the call cannot continue without its user. */
  readonly required: Promise<InputRequired>;
}

export class PendingQuestions {
  /** By `requestState`, which is a random name: it says nothing and cannot be guessed, and each is used once. */
  readonly #pending = new SizedMap<string, Pending>(MAX_PENDING);

  /** @param params of the call, with the answer if the client repeats it */
  begin(params: Params): AskedCall | { readonly fault: Fault } {
    const answer = this.#answerIn(params);
    if (answer !== undefined && 'fault' in answer) return answer;
    const { promise: required, resolve } = Promise.withResolvers<InputRequired>();
    const ask: AskUser = (question, waitMs, signal) => {
      const digest = digestOf(params, question);
      if (answer?.digest === digest) return Promise.resolve(answer.consent);
      resolve(this.#require(question, digest, waitMs));
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    };
    return { ask, required };
  }

  #require(question: string, digest: string, waitMs: number): InputRequired {
    const requestState = randomUUID();
    this.#pending.set(requestState, { digest, expiresAt: performance.now() + waitMs });
    const request = { method: 'elicitation/create', params: { mode: 'form', ...formFor(question) } };
    return { resultType: 'input_required', inputRequests: { [QUESTION]: request }, requestState };
  }

  /** Undefined for a call that answers nothing. */
  #answerIn(params: Params): GivenAnswer | { readonly fault: Fault } | undefined {
    const { requestState: state, inputResponses: responses } = params ?? {};
    if (responses !== undefined && !isObject(responses)) return invalid('inputResponses: must be an object');
    if (state === undefined) return undefined;
    const pending = typeof state === 'string' ? this.#pending.get(state) : undefined;
    if (typeof state === 'string') this.#pending.delete(state);
    if (pending === undefined || pending.expiresAt < performance.now())
      return invalid('requestState: unknown, expired or used before; repeat the call without it');
    const response = responses?.[QUESTION];
    if (response === undefined) return undefined;
    const parsed = ElicitResultSchema.safeParse(response);
    if (!parsed.success) return invalid(`inputResponses.${QUESTION}: must be the result of elicitation/create`);
    return { ...pending, consent: consentIn(parsed.data) };
  }
}

const invalid = (message: string): { readonly fault: Fault } => ({ fault: { code: INVALID_PARAMS, message } });

/** An answer holds only for the same call, and for exactly what the user saw. */
function digestOf(params: Params, question: string): string {
  const call = JSON.stringify([params?.name, params?.arguments, question]);
  return createHash('sha256').update(call).digest('base64');
}
