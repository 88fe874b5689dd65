// Contract tests of embedding results.
import assert from 'node:assert/strict';
import type { EmbeddingInput } from '../../../src/contracts/embedding.ts';
import { dotProduct } from '../../../src/contracts/fingerprint.ts';
import {
  assertSound,
  type EmbeddingTraits,
  inputs,
  isSameVector,
  type Law,
  never,
  newCall,
  vectorOf,
  vectorsOf,
} from './law.ts';

const HARBOUR = 'The harbour lies quiet before the morning tide.';
const GARDEN = 'She planted beans along the southern wall of the garden.';

const ODD_TEXTS = [
  'a',
  '灯台の光が港を照らす。',
  '한국어 노트 하나',
  'مرحبا بالعالم',
  '👩‍👩‍👧 🌊',
  'e\u0301tude \u200d',
  'a\ud800b',
  'a\0b',
  '!?…',
  '  spaces around  \n\n',
  'x'.repeat(120),
  '{"json": [1, 2]}',
  '# Heading\n\n```js\nlet a = 1;\n```\n',
];

export function answeringLaws(law: Law, traits: EmbeddingTraits): void {
  law('every text has its vector, with its id and in order', async ({ provider }) => {
    const given: EmbeddingInput[] = [
      { id: 'z', text: HARBOUR },
      { id: '1', text: GARDEN },
      { id: 'Ünï/cödé.md#3', text: 'Numbers, sorted.' },
      { id: '', text: 'The lamp turns.' },
    ];
    const together = await vectorsOf(provider, given);
    for (const [at, { text }] of given.entries())
      assert.ok(isSameVector(together[at] as Float32Array, await vectorOf(provider, text)), text);
  });

  law('vectors are finite, have unit length and the reported dimensions', async ({ provider }) => {
    const { dims } = await provider.identify(newCall(), never);
    const [...vectors] = await vectorsOf(provider, inputs(HARBOUR, GARDEN, 'short'));
    vectors.push(await vectorOf(provider, HARBOUR, 'query'));
    for (const vector of vectors) assertSound(vector, dims);
  });

  law('the same text has the same vector, another text a different one', async ({ provider }) => {
    const [one, again, other] = await vectorsOf(provider, inputs(HARBOUR, HARBOUR, GARDEN));
    assert.ok(isSameVector(one as Float32Array, again as Float32Array));
    assert.ok(isSameVector(one as Float32Array, await vectorOf(provider, HARBOUR)));
    assert.ok(!isSameVector(one as Float32Array, other as Float32Array));
  });

  law('a question is near its answer', async ({ provider }, context) => {
    if (!traits.findsRelated) return context.skip('it does not claim to know what is related');
    const question = await vectorOf(provider, 'the harbour before the morning tide', 'query');
    const [answer, other] = await vectorsOf(provider, inputs(HARBOUR, GARDEN));
    assert.ok(dotProduct(question, answer) > dotProduct(question, other) + 0.1);
  });

  law('a query and a document have different vectors only if their prefixes differ', async ({ provider }) => {
    const { queryPrefix, documentPrefix } = await provider.identify(newCall(), never);
    const [question, document] = [await vectorOf(provider, HARBOUR, 'query'), await vectorOf(provider, HARBOUR)];
    if (queryPrefix === documentPrefix) assert.ok(isSameVector(question, document));
    else assert.ok(dotProduct(question, document) < 0.99999);
  });

  law('a title matters only if the prefix contains it', async ({ provider }) => {
    const { documentPrefix } = await provider.identify(newCall(), never);
    const bare = await vectorOf(provider, HARBOUR);
    const titled = { id: 't', text: HARBOUR, title: 'Beans along the southern wall' };
    const [vector] = await vectorsOf(provider, [titled]);
    const [question] = await vectorsOf(provider, [titled], 'query');
    assert.equal(dotProduct(bare, vector) > 0.99999, !documentPrefix.includes('{title}'));
    assert.ok(isSameVector(question as Float32Array, await vectorOf(provider, HARBOUR, 'query')));
  });

  law('texts of any script and shape have valid vectors', async ({ provider }) => {
    const { dims } = await provider.identify(newCall(), never);
    const given = inputs(...ODD_TEXTS.slice(0, provider.batch.items));
    const { succeeded, failed } = await provider.embed(given, 'document', newCall(), never);
    for (const { result } of succeeded) assertSound(result, dims);
    const levels = failed.map(({ error }) => (error.details as { level?: string }).level);
    assert.ok(levels.every((level) => level === 'item' && traits.skipsUnknownWords));
    assert.equal(new Set([...succeeded, ...failed].map(({ id }) => id)).size, given.length);
    assert.equal(succeeded.length + failed.length, given.length);
  });

  law('a request can have the reported number of texts and characters', async ({ provider }) => {
    const { items, characters } = provider.batch;
    assert.ok(items >= 1 && characters >= 1 && provider.contextTokens >= 1);
    const { dims, documentPrefix } = await provider.identify(newCall(), never);
    const most = Math.min(Math.floor(characters / items) - documentPrefix.length - 8, provider.contextTokens * 3);
    const long = 'harbour '.repeat(Math.ceil(most / 8)).slice(0, most);
    const vectors = await vectorsOf(provider, inputs(...Array.from({ length: items }, () => long)));
    for (const vector of vectors) assertSound(vector, dims);
  });

  law('an empty input returns nothing and sends no request', async ({ provider }) => {
    const call = newCall();
    assert.deepEqual(await provider.embed([], 'document', call, never), { succeeded: [], failed: [] });
    assert.equal(call.trace.attempts, 0);
  });

  law('concurrent calls do not mix', async ({ provider }) => {
    const texts = ['lighthouse', 'garden', 'numbers', 'bread', 'mountain'];
    const vectors = await Promise.all(texts.map((text) => vectorOf(provider, text)));
    for (const [at, text] of texts.entries())
      assert.ok(isSameVector(vectors[at] as Float32Array, await vectorOf(provider, text)), text);
  });
}
