// Questions in another language than the notes: what words leave of them is left to a model that knows many languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Embedding } from '../../../src/contracts/embedding.ts';
import { status } from '../../../src/tools/diagnose/status.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { translatingModel } from '../../fakes/translating-model.ts';
import { withTools } from '../tools-under-test.ts';

const search = createSearch({ textOnly: false });
const PLACES = ['harbour', 'orchard', 'meadow', 'granite', 'lantern', 'violin'];
const FILES = {
  'Wall.md': 'The old garden wall was painted blue in spring by a neighbour.\n',
  'Harold.md': 'Harold sells fish. Harold sings on Sundays, and Harold reads at night.\n',
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `Note ${at}.md`,
      `The ${PLACES[at % 6]} of number${at} was visited by an old sailor in winter.\n`,
    ]),
  ),
};
const SPANISH = '¿Harold sabe cuándo pintaron la tapia vieja del huerto?';
const ENGLISH = 'old garden wall painted blue spring Harold';

/** The answer to a question, and what was measured of the model. */
async function askedOf(embedding: Embedding, query: string) {
  let answer: { hits: { path: string }[]; explain: { fusion: Fusion } } | undefined;
  let fit: { translations: number; translations_found: number } | undefined;
  await withTools(
    FILES,
    async ({ embed, ask }) => {
      await embed();
      answer = await ask(search, { query, explain: true });
      fit = (await ask(status)).embedding?.[0]?.fit;
    },
    { embedding, embeds: true },
  );
  assert.ok(answer && fit);
  return { first: answer.hits[0]?.path, fusion: answer.explain.fusion, fit };
}

interface Fusion {
  readonly weights: { readonly text: number; readonly vector: number };
  readonly words_matched?: number;
}

test('meaning counts at least as much as the words leave of the question', async () => {
  const model = translatingModel(fakeEmbedding().provider, { [SPANISH]: ENGLISH });
  const { first, fusion, fit } = await askedOf(model, SPANISH);
  assert.deepEqual([fit.translations, fit.translations_found], [36, 36]);
  const { weights, words_matched: matched = 1 } = fusion;
  assert.ok(matched > 0 && matched < 0.15, `only the name is in the notes: ${matched}`);
  assert.deepEqual(weights, { text: 0, vector: 1 });
  assert.equal(first, 'Wall.md');
});

test('where all words are in the notes the weights are those of any model', async () => {
  const { provider } = fakeEmbedding();
  const known = await askedOf(translatingModel(provider, {}), 'garden wall painted blue');
  const usual = await askedOf(provider, 'garden wall painted blue');
  assert.equal(known.fusion.words_matched, 1);
  assert.deepEqual(known.fusion.weights, usual.fusion.weights);
});

test('a model of one language is not trusted with what it cannot read', async () => {
  const { provider } = fakeEmbedding();
  const { fusion, fit } = await askedOf(provider, SPANISH);
  assert.equal(fit.translations, 36);
  assert.ok(fit.translations_found < 33, `${fit.translations_found} found by chance`);
  assert.equal(fusion.words_matched, undefined);
  assert.ok(fusion.weights.vector <= 0.6);
});
