// Provides what the contract tests of embedding providers share: texts, vectors and their checks.
import assert from 'node:assert/strict';
import type { EmbeddingInput, EmbeddingProvider, EmbeddingPurpose } from '../../../src/contracts/embedding.ts';
import { dotProduct } from '../../../src/contracts/fingerprint.ts';
import { type LawOn, type ModelUnderTest, never, newCall } from '../model-law.ts';

export { createLaw, never, newCall } from '../model-law.ts';

export type EmbeddingUnderTest = ModelUnderTest<EmbeddingProvider>;

export interface EmbeddingTraits {
  /** Whether texts that share words are surely nearer than texts that share none. */
  readonly findsRelated: boolean;
  /** Whether a text without any word that it knows may have no vector. */
  readonly skipsUnknownWords?: boolean;
  /** Where an abort can only be seen between two texts, as in a provider that computes in this process. */
  readonly isSynchronous?: boolean;
}

export type Law = LawOn<EmbeddingUnderTest>;

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
