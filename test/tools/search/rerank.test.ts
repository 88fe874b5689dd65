// Searches whose first hits a model reorders: order, explanation, pages, what is sent, and failures.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RerankProvider } from '../../../src/contracts/rerank.ts';
import { weightOfScores } from '../../../src/tools/search/rerank-hits.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { createSearchText } from '../../../src/tools/search/search_text.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { reset } from '../../fakes/http/faults.ts';
import { withScores } from '../../fakes/rerank-server.ts';
import { opened } from '../../fakes/rerank-under-test.ts';
import { everyPage, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const search = createSearch({ textOnly: false, rerank: true });
const searchText = createSearchText({ rerank: true });
const TOOLS = [search, searchText] as const;

const COUNT = 12;
const titleOf = (at: number): string => `Note ${String(at).padStart(2, '0')}`;
/** Each note has the word `tide` more often than the next one. */
const NOTES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, at) => [
    `${titleOf(at)}.md`,
    `# ${titleOf(at)}\n\nThe harbour${' tide'.repeat(COUNT - at)}, number ${at}.\n`,
  ]),
);

/** The number in a document's title: the model likes the last notes best. */
const numberIn = (_query: string, document: string): number => Number(/\d+/.exec(document)?.[0] ?? 0);

interface Hit {
  readonly path: string;
  readonly scores?: { readonly rerank?: { readonly score: number; readonly before: number } };
}

const pathsOf = ({ hits }: { readonly hits: readonly Hit[] }): string[] => hits.map(({ path }) => path);

async function withReranker(
  context: TestContext,
  section: object,
  check: (under: ToolsUnderTest, server: Awaited<ReturnType<typeof opened>>['server']) => Promise<void>,
  files: Readonly<Record<string, string>> = NOTES,
  wrap = (provider: RerankProvider): RerankProvider => provider,
): Promise<void> {
  const { server, provider } = await opened(context, {}, { weight: 1, ...section });
  server.scores(numberIn);
  const embedding = fakeEmbedding().provider;
  await withTools(
    files,
    async (under) => {
      await under.embed();
      await check(under, server);
    },
    { embedding, embeds: true, rerank: wrap(provider) },
  );
}

test('the first hits are in the order of the model, the others as before, and explain says both', (context) =>
  withReranker(context, { top: 4 }, async ({ ask, reported }, server) => {
    for (const tool of TOOLS) {
      const query = { query: 'harbour tide', limit: COUNT };
      const asked = server.requests.length;
      const before = pathsOf(await ask(tool, { ...query, rerank: false }));
      assert.equal(server.requests.length, asked);
      const answer = await ask(tool, { ...query, explain: true });
      const first = before.slice(0, 4).sort().reverse();
      assert.deepEqual(pathsOf(answer), [...first, ...before.slice(4)], tool.name);
      assert.equal(answer.reranked, 4);
      answer.hits.forEach(({ path, scores }: Hit, at: number) => {
        const expected = { score: numberIn('', path), before: before.indexOf(path) + 1 };
        assert.deepEqual(scores?.rerank, at < 4 ? expected : undefined, `${tool.name} ${path}`);
      });
      assert.partialDeepStrictEqual(reported().reranker, { capability: 'rerank', model: 'bge-reranker', attempts: 1 });
      assert.equal(reported().provider?.capability, tool === search ? 'embedding' : undefined);
    }
  }));

test('the hits that a model has no time for keep their places', (context) => {
  const hurried = (provider: RerankProvider): RerankProvider => ({
    ...provider,
    rerank: async (...asked) => (await provider.rerank(...asked)).slice(0, 3),
  });
  const check = async ({ ask }: ToolsUnderTest): Promise<void> => {
    for (const tool of TOOLS) {
      const query = { query: 'harbour tide', limit: COUNT };
      const before = pathsOf(await ask(tool, { ...query, rerank: false }));
      const answer = await ask(tool, query);
      assert.deepEqual(pathsOf(answer), [...before.slice(0, 3).sort().reverse(), ...before.slice(3)]);
      assert.equal(answer.reranked, 3);
    }
  };
  return withReranker(context, {}, check, NOTES, hurried);
});

test('the scores decide as far as the best of them stands out, unless the config says how far', (context) => {
  const check =
    (weight: number | undefined, model: (document: string, liked: string) => number, place: number) =>
    async (under: ToolsUnderTest, server: Awaited<ReturnType<typeof opened>>['server']): Promise<void> => {
      for (const tool of TOOLS) {
        const query = { query: 'harbour tide', limit: COUNT };
        const before = pathsOf(await under.ask(tool, { ...query, rerank: false }));
        const [liked = ''] = before.splice(3, 1);
        server.scores((_query, document) => model(document, liked.replace('.md', '')));
        const answer = pathsOf(await under.ask(tool, query));
        assert.equal(answer.indexOf(liked), place, `${tool.name}, weight ${weight}`);
        assert.deepEqual(answer.toSpliced(place, 1), before, `${tool.name}, the others`);
      }
    };
  const likes = (document: string, liked: string): number => (document.includes(liked) ? 9 : 0);
  const unsure = (document: string): number => numberIn('', document) % 2;
  const cases = [
    [undefined, likes, 0],
    [1, likes, 0],
    [0, likes, 3],
    [undefined, unsure, 3],
    [undefined, (document: string) => numberIn('', document), 3],
    [undefined, () => 7, 3],
    // Scores that stand out only by how the server writes them: powers, and probabilities.
    [undefined, (document: string) => 3 ** numberIn('', document), 3],
    [undefined, (document: string) => 1 / (1 + Math.exp(12 - 2 * numberIn('', document))), 3],
  ] as const;
  return cases.reduce(
    (before, [weight, model, place]) =>
      before.then(() => withReranker(context, { weight }, check(weight, model, place))),
    Promise.resolve(),
  );
});

test('the fewer scores there are, the less they decide', () => {
  const weights = [2, 3, 5, 10, 20, 30, 60].map((count) => weightOfScores([...Array(count - 1).fill(0), 9]));
  assert.deepEqual(
    weights.toSorted((one, two) => one - two),
    weights,
  );
  assert.deepEqual([weights[0], ...weights.slice(-2)], [0, 0.5, 0.5]);
});

test('pages have every hit once, in one order, and those after the first hits ask the model for nothing', (context) =>
  withReranker(context, { top: 5 }, async (under, server) => {
    for (const tool of TOOLS) {
      const whole = pathsOf(await under.ask(tool, { query: 'harbour tide', limit: COUNT }));
      for (const limit of [1, 2, 3, 7]) {
        const asked = server.requests.length;
        const rows = await everyPage(under, tool, { query: 'harbour tide' }, 'hits', limit);
        assert.deepEqual(pathsOf({ hits: rows }), whole, `${tool.name}, pages of ${limit}`);
        assert.equal(server.requests.length - asked, Math.ceil(5 / limit));
      }
    }
    const { next_cursor: cursor } = await under.ask(searchText, { query: 'tide', limit: 2 });
    await under.refusal(searchText, { query: 'tide', limit: 2, rerank: false, cursor }, 'INVALID_INPUT');
  }));

test('the model gets the question in words, and title and best passage of each hit within its context', (context) =>
  withReranker(
    context,
    { context: 128 },
    async ({ ask, warnings }, server) => {
      await ask(searchText, { query: 'how does the "harbour light" turn -moon', match: 'any' });
      const [sent] = server.requests;
      assert.equal(sent?.body.query, 'how does the harbour light turn');
      const [document = ''] = sent?.body.documents ?? [];
      assert.match(document, /^Deep\n.*harbour light/s);
      assert.ok(document.length < 128 * 8, `${document.length} characters`);
      await ask(searchText, { query: `harbour light ${'question '.repeat(500)}` });
      assert.ok(server.requests[1]?.body.query.length < 128 * 8);
      assert.ok(warnings.some(({ code, message }) => code === 'TRUNCATED' && message.includes('rerank')));
    },
    {
      'Deep.md': `# Deep\n\n${'Other words go here. '.repeat(300)}\n\nThe harbour light turns.\n\n${'More. '.repeat(900)}\n`,
    },
  ));

test('a note called like the query stays first, and very words stay before other notes', (context) =>
  withReranker(
    context,
    {},
    async ({ ask }, server) => {
      server.scores((_query, document) => (document.startsWith('Harbour') ? -5 : document.length));
      for (const tool of TOOLS) assert.equal((await ask(tool, { query: 'harbour' })).hits[0].path, 'Harbour.md');
      const { hits } = await ask(search, { query: '"selenite lamp"' });
      assert.equal(hits[0].path, 'Lamp.md');
      assert.ok(hits.length > 1);
    },
    {
      'Harbour.md': '# Harbour\n\nQuiet.\n',
      'Lamp.md': 'The selenite lamp.\n',
      'Long.md': 'The harbour is long and longer and has words and words about a lamp.\n',
    },
  ));

test('no hit needs no request, and what a filter leaves out is not sent', (context) =>
  withReranker(context, {}, async ({ ask }, server) => {
    assert.deepEqual((await ask(searchText, { query: 'qqqq' })).hits, []);
    assert.equal(server.requests.length, 0);
    await ask(searchText, { query: 'tide "number 3"', match: 'all' });
    assert.deepEqual(server.requests[0]?.body.documents.length, 1);
  }));

test('a failure of the model fails the call, with a hint that names rerank: false', (context) =>
  withReranker(context, {}, async ({ ask, refusal }, server) => {
    for (const tool of TOOLS) {
      for (const [fault, code] of [
        [reset(), 'PROVIDER_UNAVAILABLE'],
        [withScores(null), 'PROVIDER_BAD_RESPONSE'],
      ] as const) {
        server.fail(fault);
        const failure = await refusal(tool, { query: 'tide' }, code);
        assert.match(failure.hint, /rerank: false/);
        assert.equal((await ask(tool, { query: 'tide', rerank: false })).hits.length, 10);
        server.heal();
        assert.equal((await ask(tool, { query: 'tide' })).reranked, COUNT);
      }
    }
  }));

test('without the provider there is no argument', () => {
  for (const tool of [createSearch({ textOnly: false }), createSearchText({})]) {
    assert.equal(tool.input.safeParse({ query: 'tide', rerank: false }).success, false);
    assert.ok(!tool.needs.some((need: string) => need === 'rerank'));
  }
});
