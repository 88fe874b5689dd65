// Provides what the contract tests of embedding providers share: opening, calls and vector checks.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { EmbeddingInput, EmbeddingProvider, EmbeddingPurpose } from '../../../src/contracts/embedding.ts';
import { dotProduct } from '../../../src/contracts/fingerprint.ts';
import { newTrace, type ProviderCall } from '../../../src/contracts/provider-call.ts';

export interface EmbeddingUnderTest {
  readonly provider: EmbeddingProvider;
  /** From now on no request is answered; absent where nothing can be made to hang. */
  hang?(): void | Promise<void>;
  /** From now on every request fails; absent where nothing can be made to fail. */
  fail?(): void | Promise<void>;
  /** Ends both. */
  heal?(): void | Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingTraits {
  /** Whether texts that share words are surely nearer than texts that share none. */
  readonly findsRelated: boolean;
  /** Whether a text without any word that it knows may have no vector. */
  readonly skipsUnknownWords?: boolean;
  /** Where an abort can only be seen between two texts, as in a provider that computes in this process. */
  readonly isSynchronous?: boolean;
}

export type Law = (title: string, check: (under: EmbeddingUnderTest, context: TestContext) => Promise<void>) => void;

export function createLaw(open: () => Promise<EmbeddingUnderTest>): Law {
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

export const never = new AbortController().signal;

export function newCall(some: Partial<ProviderCall> = {}): ProviderCall {
  return {
    priority: 'background',
    msLeft: () => Number.POSITIVE_INFINITY,
    onWait: () => undefined,
    trace: newTrace(),
    ...some,
  };
}

export const inputs = (...texts: readonly string[]): EmbeddingInput[] =>
  texts.map((text, at) => ({ id: `text ${at}`, text }));

/** Fails unless every text has a vector. @returns them, in the order of the texts */
export async function vectorsOf(
  provider: EmbeddingProvider,
  given: readonly EmbeddingInput[],
  purpose: EmbeddingPurpose = 'document',
): Promise<Float32Array[]> {
  const { succeeded, failed } = await provider.embed(given, purpose, newCall(), never);
  assert.deepEqual(failed, []);
  assert.deepEqual(
    succeeded.map(({ id }) => id),
    given.map(({ id }) => id),
  );
  return succeeded.map(({ result }) => result);
}

export async function vectorOf(
  provider: EmbeddingProvider,
  text: string,
  purpose: EmbeddingPurpose = 'document',
): Promise<Float32Array> {
  const [vector] = await vectorsOf(provider, inputs(text), purpose);
  return vector as Float32Array;
}

/** Finite, of unit length and of `dims` numbers. */
export function assertSound(vector: Float32Array, dims: number): void {
  assert.ok(vector instanceof Float32Array);
  assert.equal(vector.length, dims);
  assert.ok(vector.every(Number.isFinite));
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3, `its length is ${Math.hypot(...vector)}`);
}

/** Servers differ in the last digits from one request to the next. */
export const isSameVector = (one: Float32Array, other: Float32Array): boolean => dotProduct(one, other) > 0.999;

/**
 * That it ends with the reason itself, or an error caused by it, and soon.
 * @param mayAnswer answers that need no waiting
 */
export async function assertAborted(
  work: Promise<unknown>,
  reason: unknown,
  mayAnswer: readonly unknown[] = [],
): Promise<void> {
  const began = performance.now();
  const [ended] = await Promise.allSettled([work]);
  assert.ok(performance.now() - began < 20_000, 'it took its time');
  if (ended.status === 'fulfilled') return assert.ok(mayAnswer.includes(ended.value), 'it was answered all the same');
  const cause = ended.reason instanceof Error ? ended.reason.cause : undefined;
  assert.ok(ended.reason === reason || cause === reason, `it failed with ${ended.reason}`);
}
