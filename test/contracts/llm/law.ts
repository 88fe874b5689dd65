// Provides what the contract tests of language models share: opening, scripted output, requests and calls.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import * as z from 'zod';
import { type ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import type { LLMProvider, LLMRequest } from '../../../src/contracts/llm.ts';

export { assertAborted, never, newCall } from '../embedding/law.ts';

/** A request as it reaches the model. */
export interface Requested {
  readonly instructions: string;
  readonly prompt: string;
}

export interface LLMUnderTest {
  readonly provider: LLMProvider;
  /** What the model writes from now on: the whole text, unchanged. */
  writes(write: (requested: Requested) => string): void;
  /** From now on every answer is cut before its end; absent where nothing cuts it. */
  cutsShort?(): void | Promise<void>;
  /** From now on no request is answered; absent where nothing can be made to hang. */
  hang?(): void | Promise<void>;
  /** From now on every request fails; absent where nothing can be made to fail. */
  fail?(): void | Promise<void>;
  /** Ends all three. */
  heal?(): void | Promise<void>;
  close(): Promise<void>;
}

export type Law = (title: string, check: (under: LLMUnderTest, context: TestContext) => Promise<void>) => void;

export function createLaw(open: () => Promise<LLMUnderTest>): Law {
  return (title, check) => {
    it(title, async (context) => {
      const under = await open();
      try {
        await check(under, context);
      } finally {
        await under.close();
      }
    });
  };
}

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

/** Fails unless the work does, with a failure of ours. */
export async function failureOf(work: Promise<unknown>): Promise<VaultgraphError> {
  const thrown = await work.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof VaultgraphError, `${thrown}`);
  return thrown;
}

/** That the fault is in this request or its answer, and that nothing of either is repeated. */
export async function failsAlone(work: Promise<unknown>, code: ErrorCode): Promise<VaultgraphError> {
  const failure = await failureOf(work);
  const { level, capability } = failure.details as { level?: string; capability?: string };
  assert.deepEqual([failure.code, level, capability], [code, 'item', 'llm'], failure.message);
  assert.match(failure.message, /^the language-model request failed: /);
  assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /quiet|tide|hemlock/);
  return failure;
}
