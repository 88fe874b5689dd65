// Tests that answers are kept only if a comparison that began after them finds the same model.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { AFTER_EACH_REQUEST, AFTER_SOME_REQUESTS, HeldAnswers } from '../../../src/indexing/embed/held-answers.ts';
import type { Answers } from '../../../src/indexing/embed/notes-to-embed.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';

const answers = (hash: string): Answers => ({ vectors: new Map([[hash, new Float32Array([1])]]), refused: new Map() });
const namesOf = (some: readonly Answers[]): string[] => some.flatMap(({ vectors }) => [...vectors.keys()]);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Comparisons that end when the test says so. */
function comparisons(pace = AFTER_EACH_REQUEST) {
  const begun: PromiseWithResolvers<void>[] = [];
  const held = new HeldAnswers(() => {
    const next = Promise.withResolvers<void>();
    begun.push(next);
    return next.promise;
  }, pace);
  const end = async (failure?: VaultgraphError): Promise<void> => {
    const last = begun.at(-1);
    if (failure === undefined) last?.resolve();
    else last?.reject(failure);
    await settle();
  };
  return { held, begun, end };
}

it('a comparison confirms the answers before it, in order, and the next one those that came meanwhile', async () => {
  const { held, begun, end } = comparisons();
  await held.add(answers('a'));
  await held.add(answers('b'));
  assert.deepEqual([begun.length, namesOf(held.confirmed())], [1, []]);
  await end();
  assert.deepEqual(namesOf(held.confirmed()), ['a']);
  const last = held.last();
  await settle();
  assert.equal(begun.length, 2);
  await end();
  assert.deepEqual(namesOf(await last), ['b']);
});

it('what came after the last match is dropped', async () => {
  const { held, end } = comparisons();
  await held.add(answers('a'));
  await end();
  await held.add(answers('b'));
  const failure = providerFailure('PROVIDER_ERROR', { status: 500, said: '' });
  await end(failure);
  await held.add(answers('c'));
  assert.throws(() => held.confirmed(), failure);
  await assert.rejects(held.last(), failure);
});

it('waits for a comparison that takes longer than two requests, so that few answers are held', async () => {
  const { held, end } = comparisons();
  await held.add(answers('a'));
  await held.add(answers('b'));
  let isAdded = false;
  const third = held.add(answers('c')).then(() => {
    isAdded = true;
  });
  await settle();
  assert.equal(isAdded, false);
  await end();
  await third;
});

it('compares after 1, 2, 4, 8 and then every sixteen requests where a comparison is a request itself', async () => {
  const { held, begun, end } = comparisons(AFTER_SOME_REQUESTS);
  const comparedAt: number[] = [];
  for (let at = 1; at <= 47; at += 1) {
    const before = begun.length;
    await held.add(answers(`${at}`));
    if (begun.length === before) continue;
    comparedAt.push(at);
    await end();
  }
  assert.deepEqual(comparedAt, [1, 3, 7, 15, 31, 47]);
});
