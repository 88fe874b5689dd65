import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreCache } from '../../../src/contracts/session.ts';
import { usualCosines } from '../../../src/tools/search/usual-cosines.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { fillVectors } from '../fill-vectors.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const notes = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}.md`, at % 2 === 0 ? 'tide' : 'moon']));

type Usual = Awaited<ReturnType<typeof usualCosines>>;

/** What is usual for the vector of a note, and the cosines of all notes with it. */
function usualOf(
  count: number,
  check: (usual: Usual, cosines: readonly number[]) => void,
  written = notes(count),
): Promise<void> {
  const { provider } = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, provider);
    const { signal } = new AbortController();
    const [generation] = await under.store.generations(signal);
    const vector = generation && (await under.store.noteVector(generation.id, 'n0.md' as never, signal));
    assert.ok(generation && vector);
    const context = { storeCache: new StoreCache(), signal } as never;
    const near = await under.store.nearestNotes(generation.id, vector, {}, [], count, signal);
    const usual = await usualCosines(vector, generation, under.store, context);
    assert.deepEqual(await usualCosines(vector, generation, under.store, context), usual);
    check(
      usual,
      near.map(({ cosine }) => cosine),
    );
  };
  return withTools(written, work, { embedding: provider });
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('the usual cosines of a small vault are those with all its notes', () =>
  usualOf(40, (usual, cosines) => {
    assert.ok(usual && cosines.length === 40);
    const average = mean(cosines);
    assert.ok(Math.abs(usual.mean - average) < 1e-5);
    assert.ok(Math.abs(usual.spread ** 2 - mean(cosines.map((cosine) => (cosine - average) ** 2))) < 1e-5);
    assert.ok(usual.spread > 0.1, 'only every second note is about the same');
  }));

test('a vault of few notes says nothing about what is usual', () =>
  usualOf(8, (usual) => {
    assert.equal(usual, undefined);
  }));

test('the usual cosines of long notes are those with their passages, not with their means', () => {
  const passage = (word: string): string => `${`${word} `.repeat(400).trim()}.`;
  const long = `${passage('tide')}\n\n${passage('moon')}\n`;
  const written = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}.md`, long]));
  const check = (usual: Usual): void =>
    assert.ok(usual && usual.mean < 0.9, 'the means of all notes are the vector itself');
  return usualOf(40, check, written);
});

test('what is usual is not what it was when the first notes were embedded', () => {
  const { provider } = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    const { signal } = new AbortController();
    const context = { storeCache: new StoreCache(), signal } as never;
    const all = Object.keys(notes(60));
    const usualNow = async () => {
      const [generation] = await under.store.generations(signal);
      const vector = generation && (await under.store.noteVector(generation.id, 'n0.md' as never, signal));
      assert.ok(generation && vector);
      return usualCosines(vector, generation, under.store, context);
    };
    await fillVectors(under, provider, { only: all.slice(0, 15), activate: false });
    assert.equal(await usualNow(), undefined);
    await fillVectors(under, provider, { only: all.slice(0, 25), activate: false });
    const early = await usualNow();
    assert.ok(early, '25 are enough, though not twice as many');
    await fillVectors(under, provider, { only: all.slice(0, 40), activate: false });
    assert.deepEqual(await usualNow(), early, 'a part of the notes is a sample of a little more');
    await fillVectors(under, provider);
    const whole = await usualNow();
    assert.ok(whole && whole.mean !== early.mean, 'all notes are measured');
  };
  const written = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}.md`, at < 25 ? 'tide' : 'moon']));
  return withTools(written, work, { embedding: provider });
});
