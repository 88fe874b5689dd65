// find_similar over a real vault with vectors of the fake provider: order, links, and notes without vectors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSimilar } from '../../../src/tools/search/find_similar.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type Filling, fillVectors } from '../fill-vectors.ts';
import { everyPage, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md': 'The tide rises and falls with the moon over the harbour. [[Moon]]\n',
  'Moon.md': 'The moon pulls the tide.\n',
  'Places/Harbour.md': 'The harbour lies still while the tide falls and the boats rest. #sea\n',
  'Pier.md': 'Boats rest in the harbour. [[Tide]]\n',
  'Bread.md': 'Flour, water and salt make a loaf.\n',
  'Map.base': 'views: []',
};
const paths = (answer: { related: { path: string }[] }) => answer.related.map(({ path }) => path);

function withVectors(
  check: (under: ToolsUnderTest, fake: ReturnType<typeof fakeEmbedding>) => Promise<void>,
  filling: Filling = {},
): Promise<void> {
  const fake = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, fake.provider, filling);
    await check(under, fake);
  };
  return withTools(FILES, work, { embedding: fake.provider });
}

test('most similar notes first, each with its cosine, its closest passage and whether it is linked', () =>
  withVectors(async ({ ask, store, warnings, reported }) => {
    const answer = await ask(findSimilar, { note: 'tide' });
    assert.deepEqual([answer.path, answer.match], ['Tide.md', 'case']);
    assert.equal(answer.related.length, 4);
    assert.equal(answer.related.at(-1).path, 'Bread.md');
    const { signal } = new AbortController();
    const [active] = await store.generations(signal);
    assert.ok(active);
    const vector = await store.noteVector(active.id, 'Tide.md' as never, signal);
    assert.ok(vector);
    const near = await store.nearestNotes(active.id, vector, {}, ['Tide.md' as never], 10, signal);
    assert.deepEqual(
      answer.related.map(({ path, score }: { path: string; score: number }) => [path, score]),
      near.map(({ path, cosine }) => [path, Math.round(cosine * 10_000) / 10_000]),
    );
    for (const { path, linked, evidence } of answer.related) {
      assert.equal(linked, path === 'Moon.md' || path === 'Pier.md', path);
      const passages = evidence.filter(({ kind }: { kind: string }) => kind === 'text');
      assert.deepEqual(
        passages.map((passage: { path: string; lines: number[]; text: string }) => [
          passage.path,
          passage.lines,
          passage.text,
        ]),
        [path, 'Tide.md'].map((one, at) => [one, [1, 1], passages[at].text]),
      );
    }
    for (const { evidence } of answer.related) {
      for (const { path, text } of evidence.filter(({ kind }: { kind: string }) => kind === 'text')) {
        assert.ok(FILES[path as keyof typeof FILES].includes(text), text);
        // A link and a tag after the sentence are not part of it.
        assert.ok(text.length > 15 && /\.( \[\[.*)?$/.test(text), text);
      }
    }
    assert.match(answer.method, /cosine .*model hashed-words/);
    assert.deepEqual(warnings, []);
    assert.deepEqual([reported().index?.embedded, reported().index?.total], [5, 5]);
    assert.equal(reported().provider, undefined);
  }));

test('unlinked_only leaves out notes linked in either direction; a folder narrows', () =>
  withVectors(async ({ ask, warnings }) => {
    assert.deepEqual(paths(await ask(findSimilar, { note: 'Tide', unlinked_only: true })), [
      'Places/Harbour.md',
      'Bread.md',
    ]);
    assert.deepEqual(paths(await ask(findSimilar, { note: 'Tide', folder: 'Places' })), ['Places/Harbour.md']);
    assert.deepEqual(warnings, []);
    assert.deepEqual(paths(await ask(findSimilar, { note: 'Tide', folder: 'Nix' })), []);
    assertEach(warnings, ({ code }) => code, ['FILTER_MATCHES_NOTHING']);
  }));

test('paging returns every note once', () =>
  withVectors(async (under) => {
    const all = await everyPage(under, findSimilar, { note: 'Tide' }, 'related', 1);
    assert.deepEqual(paths({ related: all }), paths(await under.ask(findSimilar, { note: 'Tide' })));
  }));

test('the provider is not called', () =>
  withVectors(async ({ ask }, fake) => {
    fake.become({ down: true, digest: 'sha256:other' });
    const requested = fake.requested.identify + fake.requests.length;
    assert.equal((await ask(findSimilar, { note: 'Tide' })).related.length, 4);
    assert.equal(fake.requested.identify + fake.requests.length, requested);
  }));

for (const [change, part] of [
  [{ model: 'other' }, 'model'],
  [{ type: 'second' }, 'provider'],
  [{ contextTokens: 100 }, 'chunker'],
] as const) {
  test(`P14 vectors of another ${part} than the config names: EMBEDDER_MISMATCH`, () =>
    withVectors(async ({ refusal }, fake) => {
      fake.become(change);
      const { details } = await refusal(findSimilar, { note: 'Tide' }, 'EMBEDDER_MISMATCH');
      assert.deepEqual((details as unknown as { differs: string[] }).differs, [part]);
    }));
}

test('a note without vectors is an error that says why', () =>
  withVectors(
    async ({ refusal, ask }) => {
      const pending = await refusal(findSimilar, { note: 'Moon' }, 'INDEX_EMPTY');
      assert.deepEqual(pending.details, { capability: 'embedding', note: 'Moon.md' });
      assert.match(pending.message, /Moon\.md is not in the index/);
      const refused = await refusal(findSimilar, { note: 'Bread' }, 'INDEX_EMPTY');
      assert.match(refused.message, /PROVIDER_REJECTED_INPUT/);
      assert.deepEqual(paths(await ask(findSimilar, { note: 'Tide' })), ['Pier.md']);
    },
    { only: ['Tide.md', 'Pier.md', 'Bread.md'], refused: ['Bread.md'] },
  ));

test('without vectors and without a job: INDEX_EMPTY', () =>
  withTools(
    FILES,
    async ({ refusal }) => {
      const { details } = await refusal(findSimilar, { note: 'Tide' }, 'INDEX_EMPTY');
      assert.deepEqual(details, { capability: 'embedding' });
    },
    { embedding: fakeEmbedding().provider },
  ));

test('unfinished first vectors give a partial result with counts', () =>
  withVectors(
    async ({ ask, reported }) => {
      assert.deepEqual(paths(await ask(findSimilar, { note: 'Tide' })), ['Moon.md']);
      assert.equal(reported().part, '2/5 notes are embedded so far');
    },
    { only: ['Tide.md', 'Moon.md'], activate: false },
  ));

test('a passage that cannot be read is missing, and counted', () =>
  withVectors(async ({ ask, folder, warnings }) => {
    folder.remove('Moon.md');
    const { related } = await ask(findSimilar, { note: 'Tide' });
    assert.equal(related.length, 4);
    const { evidence } = related.find(({ path }: { path: string }) => path === 'Moon.md');
    assertEach(evidence, ({ path }: { path: string }) => path, ['Tide.md']);
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('refusals', () =>
  withVectors(async ({ refusal, ask }) => {
    await refusal(findSimilar, { note: 'Nowhere' }, 'NOTE_NOT_FOUND');
    await refusal(findSimilar, { note: '../x' }, 'PATH_NOT_ALLOWED');
    await refusal(findSimilar, { note: 'Map.base' }, 'INVALID_INPUT');
    await refusal(findSimilar, { note: 'Tide', folder: '../x' }, 'PATH_NOT_ALLOWED');
    const { next_cursor: cursor } = await ask(findSimilar, { note: 'Tide', limit: 1 });
    await refusal(findSimilar, { note: 'Moon', cursor }, 'INVALID_INPUT');
  }));

test('a canvas is embedded by its cards and compared like a note', () => {
  const card = { id: 'a', type: 'text', text: 'Boats rest in the harbour while the tide falls.', x: 0, y: 0 };
  const fake = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, fake.provider, {});
    const sent = fake.requests.flatMap(({ texts }) => texts).filter((text) => text.includes('Board'));
    assert.deepEqual(sent, ['Board.canvas\n\nBoats rest in the harbour while the tide falls.']);
    const { related } = await under.ask(findSimilar, { note: 'Pier' });
    assert.ok(paths({ related }).includes('Board.canvas'));
    assert.ok(paths(await under.ask(findSimilar, { note: 'Board.canvas' })).includes('Pier.md'));
  };
  return withTools({ ...FILES, 'Board.canvas': JSON.stringify({ nodes: [card] }) }, work, { embedding: fake.provider });
});
