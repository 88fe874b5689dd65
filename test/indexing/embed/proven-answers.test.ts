// Tests that refusals count only once the provider has proven that it works.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { createProvenAnswers } from '../../../src/indexing/embed/embed-notes.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';

const refusedWith = (error: VaultgraphError) => ({ vectors: new Map(), refused: new Map([['1', error]]) });
const tooLong = () => refusedWith(providerFailure('PROVIDER_INPUT_TOO_LONG', {}, { level: 'item' }));
const rejected = () => refusedWith(providerFailure('PROVIDER_REJECTED_INPUT', { status: 400, said: '' }));
const embedded = () => ({ vectors: new Map([['2', new Float32Array([1])]]), refused: new Map() });

function proofs(isSound: () => boolean) {
  let count = 0;
  const proven = createProvenAnswers(async () => {
    count += 1;
    if (!isSound()) throw providerFailure('PROVIDER_ERROR', { status: 500, said: '' });
  });
  return { proven, count: () => count };
}

it('a refusal before or after a success needs no proof', async () => {
  const { proven, count } = proofs(() => false);
  assert.equal((await proven.admit(embedded())).length, 1);
  const [first, second] = [tooLong(), embedded()];
  assert.deepEqual(await proven.admit(first), []);
  assert.deepEqual(await proven.admit(second), [first, second]);
  assert.deepEqual([await proven.last(), count()], [[], 0]);
});

it('three requests with too long texts are checked with a known-good sentence', async () => {
  const { proven, count } = proofs(() => true);
  const all = [tooLong(), tooLong(), tooLong()];
  assert.deepEqual([await proven.admit(all[0] as never), await proven.admit(all[1] as never)], [[], []]);
  assert.equal(count(), 0);
  assert.deepEqual([await proven.admit(all[2] as never), count()], [all, 1]);
});

it('a whole request refused for another reason is checked immediately', async () => {
  const sound = proofs(() => true);
  assert.equal((await sound.proven.admit(rejected())).length, 1);
  const broken = proofs(() => false);
  await assert.rejects(broken.proven.admit(rejected()), { code: 'PROVIDER_ERROR' });
});

it('refusals that are pending at the end are checked then', async () => {
  const sound = proofs(() => true);
  await sound.proven.admit(tooLong());
  assert.deepEqual([(await sound.proven.last()).length, sound.count()], [1, 1]);
  const broken = proofs(() => false);
  await broken.proven.admit(tooLong());
  await assert.rejects(broken.proven.last(), { code: 'PROVIDER_ERROR' });
});
