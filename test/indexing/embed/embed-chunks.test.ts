// Tests how a failed embedding request is split, and which failures end the job.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { embedChunks, type GrowingAnswers, type Send } from '../../../src/indexing/embed/notes-to-embed.ts';
import { assertEach } from '../../assert-each.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';

const chunks = Array.from({ length: 16 }, (_, at) => ({ hash: `${at}`, text: `text ${at}`, title: '' }));
const tooLong = () => providerFailure('PROVIDER_INPUT_TOO_LONG', {}, { level: 'item' });
const rejected = () => providerFailure('PROVIDER_REJECTED_INPUT', { status: 422, said: 'no' });
const badVector = () => providerFailure('PROVIDER_BAD_RESPONSE', { expected: 'x', received: 'NaN' }, { level: 'item' });
const timeout = () =>
  providerFailure('PROVIDER_TIMEOUT', { phase: 'body', timeout_ms: 1, clipped: false, cold_start: false });
const crash = () => providerFailure('PROVIDER_ERROR', { status: 400, said: 'EOF' });

/** @param faultOf what a request of these hashes fails with */
async function run(
  faultOf: (hashes: readonly string[], count: number) => VaultgraphError | undefined,
  requested = chunks,
) {
  const sent: number[] = [];
  const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
  const send: Send = async (group) => {
    sent.push(group.length);
    const error = faultOf(
      group.map(({ hash }) => hash),
      sent.length,
    );
    if (error !== undefined) throw error;
    return { succeeded: group.map(({ hash }) => ({ id: hash, result: new Float32Array([1]) })), failed: [] };
  };
  const [outcome] = await Promise.allSettled([embedChunks(requested, send, answers)]);
  const error = outcome.status === 'rejected' ? (outcome.reason as VaultgraphError) : undefined;
  return { sent, vectors: [...answers.vectors.keys()], refused: [...answers.refused], error };
}

it('P16 one text of sixteen is too long: each is sent alone, fifteen are embedded, one is refused, in seventeen requests', async () => {
  const { sent, vectors, refused, error } = await run((hashes) => (hashes.includes('7') ? tooLong() : undefined));
  assert.deepEqual([sent.length, vectors.length, error], [17, 15, undefined]);
  assertEach(refused, ([hash, { code }]) => [hash, code], [['7', 'PROVIDER_INPUT_TOO_LONG']]);
});

it('P16 each invalid vector costs one more request', async () => {
  let count = 0;
  const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
  await embedChunks(
    chunks,
    async (requested) => {
      count += 1;
      const isGood = (hash: string): boolean => hash !== '3' && hash !== '9';
      return {
        succeeded: requested
          .filter(({ hash }) => isGood(hash))
          .map(({ hash: id }) => ({ id, result: new Float32Array([1]) })),
        failed: requested.filter(({ hash }) => !isGood(hash)).map(({ hash: id }) => ({ id, error: badVector() })),
      };
    },
    answers,
  );
  assert.deepEqual([count, answers.vectors.size, [...answers.refused.keys()]], [3, 14, ['3', '9']]);
});

it('P16 a rejected request is attributed to the text that is rejected alone, whatever the level of the error', async () => {
  const { vectors, refused, error } = await run((hashes) => (hashes.includes('0') ? rejected() : undefined));
  assert.deepEqual([vectors.length, refused.map(([hash]) => hash), error], [15, ['0'], undefined]);
});

it('P16 a crash of the runner fails the call, and earlier results are kept', async () => {
  const whole = await run(() => crash());
  assert.deepEqual([whole.sent, whole.error?.code], [[16], 'PROVIDER_ERROR']);
  const later = await run((hashes, count) => {
    if (hashes.length > 1) return tooLong();
    return count > 5 ? crash() : undefined;
  });
  assert.deepEqual([later.vectors.length, later.refused, later.error?.code], [4, [], 'PROVIDER_ERROR']);
});

it('a request that timed out is sent once more in halves', async () => {
  const halves = await run((hashes) => (hashes.length > 8 ? timeout() : undefined));
  assert.deepEqual([halves.sent, halves.vectors.length, halves.error], [[16, 8, 8], 16, undefined]);
  const second = await run((hashes) => (hashes.length > 8 || hashes.includes('15') ? timeout() : undefined));
  assert.deepEqual([second.sent, second.vectors.length, second.error?.code], [[16, 8, 8], 8, 'PROVIDER_TIMEOUT']);
});

it('an invalid text in a half is found as usual, without a longer limit', async () => {
  const bad = await run((hashes) => {
    if (hashes.length > 8) return timeout();
    return hashes.includes('2') ? tooLong() : undefined;
  });
  assert.deepEqual([bad.sent.length, bad.vectors.length, bad.refused.map(([hash]) => hash)], [11, 15, ['2']]);
});

it('a large request that is refused is sent again in groups of 16, and only the refused group text by text', async () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ hash: `${at}`, text: `text ${at}`, title: '' }));
  const tooMany = await run((hashes) => (hashes.length > 32 ? rejected() : undefined), many);
  assert.deepEqual([tooMany.sent, tooMany.vectors.length, tooMany.refused], [[40, 16, 16, 8], 40, []]);
  const oneBad = await run((hashes) => (hashes.includes('20') ? tooLong() : undefined), many);
  assert.deepEqual([oneBad.sent.slice(0, 3), oneBad.sent.length], [[40, 16, 16], 4 + 16]);
  assertEach(oneBad.refused, ([hash]) => hash, ['20']);
});
