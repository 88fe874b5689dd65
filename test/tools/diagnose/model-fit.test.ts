// Whether the model suits the notes: measured at the end of an embed job, kept, shown by status, and measured again after changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '../../../src/tools/diagnose/status.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const WORDS = ['harbour', 'lantern', 'orchard', 'granite', 'violin', 'ember', 'meadow', 'compass', 'walnut', 'thistle'];
/** A sentence that no other note has: the words at these places of the list. */
const sentenceOf = (at: number): string =>
  `The ${WORDS[at % 10]} near the ${WORDS[Math.floor(at / 10)]} was painted number${at} by an old sailor last winter.`;
const vaultOf = (count: number, textOf: (at: number) => string = sentenceOf) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`Note ${100 + at}.md`, `# Note ${100 + at}\n\n${textOf(at)}\n`]),
  );

const fitIn = async ({ ask }: ToolsUnderTest) => (await ask(status)).embedding?.[0]?.fit;

test('at the end of an embed job the result is kept with its date, and the same notes give the same result', () => {
  const fake = fakeEmbedding();
  return withTools(
    vaultOf(60),
    async (under) => {
      await under.embed();
      const fit = await fitIn(under);
      assert.ok(Math.abs(Date.now() - Date.parse(fit.measured_at)) < 60_000);
      assert.deepEqual([fit.sentences, fit.poor, 'unknown_tokens' in fit], [50, undefined, false]);
      assert.ok(fit.found >= 45, `${fit.found}`);
      const asked = fake.requests.length;
      under.folder.put('Note 200.md', 'One more.\n');
      await under.embed();
      assert.ok(fake.requests.length - asked <= 2, 'one more note does not cause another measurement');
      assert.deepEqual(await fitIn(under), fit);
      for (let at = 60; at < 70; at += 1) under.folder.put(`Note ${100 + at}.md`, `${sentenceOf(at)}\n`);
      await under.embed();
      assert.notEqual((await fitIn(under)).measured_at, fit.measured_at);
    },
    { embedding: fake.provider, embeds: true },
  );
});

test('a model that finds less than half is poor', () => {
  // Every note has the same words, so a sentence finds any of them.
  const same = vaultOf(40, () => 'The harbour lies quiet before the morning tide and nothing else is said here.');
  return withTools(
    same,
    async (under) => {
      await under.embed();
      const fit = await fitIn(under);
      assert.deepEqual([fit.sentences, fit.poor], [40, true]);
      assert.ok(fit.found < 20);
    },
    { embedding: fakeEmbedding().provider, embeds: true },
  );
});

test('nothing is measured with few notes or few sentences, and a failure of the model leaves the job successful', async () => {
  for (const files of [vaultOf(19), vaultOf(40, (at) => `${at}`)])
    await withTools(
      files,
      async (under) => {
        assert.equal((await under.embed()).state, 'succeeded');
        assert.equal(await fitIn(under), undefined);
      },
      { embedding: fakeEmbedding().provider, embeds: true },
    );
  const fake = fakeEmbedding();
  const deaf = { ...fake.provider };
  const embedding = Object.freeze({
    ...deaf,
    embed: (...args: Parameters<typeof deaf.embed>) =>
      args[1] === 'query' ? Promise.reject(new Error('no queries')) : fake.provider.embed(...args),
  });
  await withTools(
    vaultOf(30),
    async (under) => {
      assert.equal((await under.embed()).state, 'succeeded');
      assert.equal(await fitIn(under), undefined);
    },
    { embedding, embeds: true },
  );
});
