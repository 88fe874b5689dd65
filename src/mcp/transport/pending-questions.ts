// Asks the user in protocol 2026-07-28: the call ends with the question, and the client repeats the call with the answer.
import { createHash, randomUUID } from 'node:crypto';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { SizedMap } from '../../base/async/sized-map.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Consent } from '../../contracts/tool.ts';
import type { AskUser } from '../dispatch/dispatch.ts';
import { type Fault, INVALID_PARAMS, type Params } from '../wire/method.ts';
import { consentIn, formFor } from './ask-user.ts';

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

export interface InputRequired {
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
    const given = this.#answerIn(params);
    if (given !== undefined && 'fault' in given) return given;
    const { promise: required, resolve } = Promise.withResolvers<InputRequired>();
    const ask: AskUser = (question, waitMs, signal) => {
      const digest = digestOf(params, question);
      if (given?.digest === digest) return Promise.resolve(given.consent);
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
