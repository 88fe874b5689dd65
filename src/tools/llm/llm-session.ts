// The language model as one tool call uses it: prompt size, requests and the report on the provider.
import { VaultgraphError } from '../../base/errors.ts';
import { FRAME_TOKENS, type LLMIdentity, type LLMProvider } from '../../contracts/llm.ts';
import { newTrace, type ProviderTrace } from '../../contracts/provider-call.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { interactiveCalls, reportProvider } from '../search/provider-call.ts';
import type { Task } from './data-marks.ts';

/** The answer's share of a small context. */
const MAX_ANSWER_SHARE = 1 / 4;
/** In tokens; less does not fit a paragraph. */
const MIN_ROOM = 96;

export interface LlmSession {
  readonly model: string;
  /** Requested from the provider at most once. @throws PROVIDER_*, EGRESS_BLOCKED */
  identity(): Promise<LLMIdentity>;
  /** The tokens that a prompt of the task may have, estimated low. @throws PROVIDER_INPUT_TOO_LONG if they are too few for a paragraph */
  room(task: Task<unknown>): number;
  /** @throws PROVIDER_*, EGRESS_BLOCKED */
  ask<T>(task: Task<T>, prompt: string): Promise<T>;
  /** The error for a text that does not fit the prompt. */
  tooLong(): VaultgraphError<'PROVIDER_INPUT_TOO_LONG'>;
  /** The error for an answer that has the right shape and unusable content. */
  unusable(expected: string, received: string): VaultgraphError<'PROVIDER_BAD_RESPONSE'>;
  /** Adds the provider to the answer's metadata, if it was called. */
  reportProvider(): void;
}

export function openLlmSession(provider: LLMProvider, call: CallContext): LlmSession {
  const begin = interactiveCalls(call);
  const traces: ProviderTrace[] = [];
  let identified: Promise<LLMIdentity> | undefined;
  let lastMs = 0;

  const beginCall = () => {
    const started = begin();
    traces.push(started.trace);
    return started;
  };
  const answerTokens = ({ maxAnswerTokens }: Task<unknown>): number =>
    Math.min(maxAnswerTokens, Math.floor(provider.contextTokens * MAX_ANSWER_SHARE));
  const details = () => ({
    capability: 'llm' as const,
    provider: provider.type,
    model: provider.model,
    level: 'item' as const,
    ...(provider.endpoint === null ? {} : { endpoint: provider.endpoint }),
    attempts: (traces.at(-1) ?? newTrace()).attempts,
    elapsed_ms: Math.round(lastMs),
  });

  const tooLong = () => new VaultgraphError('PROVIDER_INPUT_TOO_LONG', { ...details(), limit: provider.contextTokens });

  return Object.freeze({
    tooLong,
    model: provider.model,
    identity: () => (identified ??= provider.identify(beginCall(), call.signal)),
    room: (task: Task<unknown>) => {
      const overhead = sizeOf(task.instructions).tokens + FRAME_TOKENS;
      const left = Math.floor(provider.contextTokens - overhead - answerTokens(task));
      if (left >= MIN_ROOM) return left;
      throw tooLong();
    },
    ask: async <T>(task: Task<T>, prompt: string) => {
      const { instructions, schema } = task;
      const began = performance.now();
      const request = { instructions, prompt, schema, maxAnswerTokens: answerTokens(task) };
      const { value } = await provider.generate(request, beginCall(), call.signal);
      lastMs = performance.now() - began;
      return value;
    },
    unusable: (expected: string, received: string) =>
      new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...details(), expected, received }),
    reportProvider: () => {
      if (traces.length > 0) reportProvider('llm', provider, traces, call);
    },
  });
}
