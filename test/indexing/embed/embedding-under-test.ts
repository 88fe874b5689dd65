// Provides an index with a fake embedding provider and sample notes, for the tests of embed jobs.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IndexJob } from '../../../src/contracts/indexer.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type { FailedChunk, Generation, GenerationRole } from '../../../src/contracts/vectors.ts';
import { type FakeEmbedding, fakeEmbedding } from '../../fakes/embedding.ts';
import type { FakeSettings } from '../../fakes/embedding-answers.ts';
import { textVector } from '../../fakes/text-vector.ts';
import type { VaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { type IndexUnderTest, signal, withIndex } from '../index-under-test.ts';

/** The request of a caller of `reindex`. */
export const REINDEX = { kind: 'catch_up', renewVectors: true } as const;

export interface EmbeddingUnderTest extends IndexUnderTest {
  readonly fake: FakeEmbedding;
  /** Every text that was sent, in order. */
  sent(): readonly string[];
}

function withEmbedding(
  check: (under: EmbeddingUnderTest) => Promise<void>,
  settings: Partial<FakeSettings> = {},
): Promise<void> {
  const fake = fakeEmbedding(settings);
  const sent = (): readonly string[] => fake.requests.flatMap(({ texts }) => texts);
  return withIndex((under) => check({ ...under, fake, sent }), { embedding: fake.provider });
}

export const embedded = (
  title: string,
  check: (under: EmbeddingUnderTest) => Promise<void>,
  settings: Partial<FakeSettings> = {},
): void => {
  it(title, () => withEmbedding(check, settings));
};

/** Notes of one chunk each, `Note 7` with the word `topic7` in it. */
export function fillNotes(folder: VaultFolder, count: number, from = 0): void {
  for (let n = from; n < from + count; n += 1) folder.put(`area ${n % 3}/Note ${n}.md`, `text of topic${n}\n`);
}

export async function generationOf(store: Store, state: Generation['state'], role: GenerationRole = 'main') {
  return (await store.generations(signal)).find((one) => one.state === state && one.role === role);
}

export async function activeGeneration(store: Store, role: GenerationRole = 'main'): Promise<Generation> {
  const active = await generationOf(store, 'active', role);
  assert.ok(active, `a generation of ${role} is active`);
  return active;
}

/** The note nearest to some words, in the active generation. */
export async function nearest(store: Store, words: string): Promise<string | undefined> {
  const { id, fingerprint } = await activeGeneration(store);
  const [hit] = await store.nearestChunks(id, textVector(words, fingerprint.dims), {}, 1, signal);
  return hit?.path;
}

export async function allFailedChunks(store: Store, generation: number): Promise<readonly FailedChunk[]> {
  return store.failedChunks(generation, { limit: 1_000, offset: 0 }, signal);
}

export const succeeded = ({ state, error }: IndexJob): void => assert.equal(state, 'succeeded', String(error));

export function endedWith(job: IndexJob, state: IndexJob['state'], code: string): void {
  assert.deepEqual([job.state, job.error?.code], [state, code], String(job.error));
}

/** As often as it is sent, each text counts. */
export function repeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}
