// Provides what the contract tests of language models share: scripted output, requests and their failures.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import type { LLMProvider, LLMRequest } from '../../../src/contracts/llm.ts';
import type { Fault } from '../../fakes/http/exchange.ts';
import type { Loopback } from '../../fakes/http/loopback.ts';
import { until } from '../../until.ts';
import { failureOf, type LawOn, type ModelUnderTest, newCall } from '../model-law.ts';

export { createLaw, failureOf, never, newCall } from '../model-law.ts';

/** A request as it reaches the model. */
export interface Requested {
  readonly instructions: string;
  readonly prompt: string;
}

export interface LLMUnderTest extends ModelUnderTest<LLMProvider> {
  /** What the model writes from now on: the whole text, unchanged. */
  writes(write: (requested: Requested) => string): void;
  /** From now on every answer is cut before its end; absent where nothing cuts it. */
  cutsShort?(): void | Promise<void>;
}

export type Law = LawOn<LLMUnderTest>;

export const SUMMARY = z.strictObject({
  summary: z.string().min(1),
  tags: z.array(z.enum(['harbour', 'garden'])).max(3),
  score: z.int().min(0).max(10),
});
export const HARBOUR = { summary: 'The harbour lies quiet.', tags: ['harbour'] as 'harbour'[], score: 7 };

export const request = (some: Partial<LLMRequest<z.infer<typeof SUMMARY>>> = {}) => ({
  instructions: 'Summarise the text between the marks.',
  prompt: '<text>The harbour lies quiet before the morning tide.</text>',
  schema: SUMMARY,
  maxAnswerTokens: 200,
  ...some,
});

/** That the fault is in this request or its answer, and that nothing of either is repeated. */
export async function failsAlone(work: Promise<unknown>, code: ErrorCode): Promise<VaultgraphError> {
  const failure = await failureOf(work);
  const { level, capability } = failure.details as { level?: string; capability?: string };
  assert.deepEqual([failure.code, level, capability], [code, 'item', 'llm'], failure.message);
  assert.match(failure.message, /^the language-model request failed: /);
  assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /quiet|tide|hemlock/);
  return failure;
}

/** That an abort of a request in the middle of this fault ends the call with its reason, and closes the socket. */
export async function endsWithAbort(
  provider: LLMProvider,
  server: Loopback,
  path: string,
  fault: Fault,
): Promise<void> {
  server.fail(fault, { on: path });
  const stop = new AbortController();
  const reason = new Error('enough');
  const running = provider.generate(request(), newCall(), stop.signal).catch((thrown: unknown) => thrown);
  await until(() => server.requestsTo(path).length > 0, 'the request is sent');
  await sleep(150);
  stop.abort(reason);
  assert.equal(await running, reason);
  await server.untilEnded(path, 1);
  assert.equal(server.requestsTo(path)[0]?.ended?.whole, false, 'the server saw it close');
}
