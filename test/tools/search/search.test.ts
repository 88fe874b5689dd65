// search over a real vault with vectors of the fake provider: fused lists and failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Embedding, EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { fillVectors } from '../fill-vectors.ts';
import { everyPage, sharedVault, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md': '---\nstatus: open\ntags: [sea]\n---\nIntro.\n\nThe tide rises with the moon.\n',
  'Places/Harbour.md': '---\nstatus: done\n---\nThe harbour at low tide. #sea/coast\n',
  'Places/Hill.md': 'The moon over the hill.\n',
  '日記.md': '今日は港町へ行った。\n',
};
const search = createSearch({ textOnly: false });
const steppingSearch = createSearch({ textOnly: true });
const tolerantSearch = createSearch({ textOnly: false, mismatched: true });

interface Hit {
  readonly path: string;
  readonly lines: [number, number];
  readonly snippet: string;
  readonly score: number;
  readonly scores: {
    readonly text?: { readonly rank: number; readonly bm25: number; readonly share?: number };
    readonly vector?: { readonly rank: number; readonly cosine: number; readonly share?: number };
  };
}
const paths = (answer: { hits: Hit[] }) => answer.hits.map(({ path }) => path);

const usual = sharedVault(FILES, (under) => fillVectors(under, fakeEmbedding().provider));

/** A vault with all its vectors; without `files`, the usual one, which no test changes. */
function withVectors(
  check: (under: ToolsUnderTest, fake: ReturnType<typeof fakeEmbedding>) => Promise<void>,
  files?: Readonly<Record<string, string>>,
  fake = fakeEmbedding(),
): Promise<void> {
  if (files === undefined) return usual((under) => check(under, fake), { embedding: fake.provider });
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, fake.provider);
    await check(under, fake);
  };
  return withTools(files, work, { embedding: fake.provider });
}

test('each hit has its rank and score in each list that found it', () =>
  withVectors(async ({ ask, store }, { provider }) => {
    const { hits }: { hits: Hit[] } = await ask(search, { query: 'tide moon' });
    assert.equal(hits[0]?.path, 'Tide.md');
    assert.equal(hits.length, 4);
    const { signal } = new AbortController();
    const terms = ['tide', 'moon'].map((text) => ({ text, kind: 'word', negated: false }) as const);
    const words = await store.searchText({ terms, match: 'any' }, {}, { limit: 50, offset: 0 }, signal);
    const call = { priority: 'interactive', msLeft: () => 1_000, onWait: () => {}, trace: {} } as never;
    const embedded = await provider.embed([{ id: '', text: 'tide moon' }], 'query', call, signal);
    const [active] = await store.generations(signal);
    assert.ok(active && embedded.succeeded[0]);
    const near = await store.nearestChunks(active.id, embedded.succeeded[0].result, {}, 50, signal);
    for (const { path, score, scores } of hits) {
      const [word, chunk] = [words, { hits: near }].map((list) => list.hits.findIndex((hit) => hit.path === path));
      assert.equal(scores.text?.rank, word === -1 ? undefined : Number(word) + 1, path);
      assert.equal(scores.text?.bm25, words.hits[Number(word)]?.bm25, path);
      assert.equal(scores.vector?.rank, Number(chunk) + 1, path);
      assert.equal(scores.vector?.cosine, near[Number(chunk)]?.cosine, path);
      assert.ok(score >= 0, path);
    }
    assert.equal(hits.at(-1)?.scores.text, undefined);
    const ordered = hits.map(({ score }) => score);
    assert.deepEqual(
      ordered,
      ordered.toSorted((one, other) => other - one),
    );
  }));

test('a note named like the query comes first and is marked', () =>
  withVectors(
    async ({ ask }) => {
      const { hits } = await ask(search, { query: 'low tide' });
      assert.deepEqual([hits[0].path, hits[0].named], ['Low tide.md', true]);
      assert.equal(hits.filter(({ named }: { named?: true }) => named).length, 1);
    },
    { ...FILES, 'Low tide.md': 'Mud.\n', 'Many.md': 'low tide low tide low tide\n' },
  ));

test('a misspelled word is corrected from a title, and the result says so', () =>
  withVectors(async ({ ask }) => {
    const { corrected, hits } = await ask(search, { query: 'harbuor' });
    assert.deepEqual(corrected, [{ from: 'harbuor', to: 'Harbour' }]);
    const found = hits.find(({ path }: Hit) => path === 'Places/Harbour.md');
    assert.equal(found?.scores.text?.rank, 1);
    assert.equal((await ask(search, { query: 'harbour' })).corrected, undefined);
  }));

test('a hit found by meaning shows its closest passage; a hit found by words shows the words', () => {
  const long = ['# Boats', 'Oars and sails.', '', '# Fish', 'Herring and cod in the net.'].join('\n');
  const filler = 'word '.repeat(290);
  const files = { 'Sea.md': `${long}\n\n# Rest\n\n${filler}\n\n${filler}\n`, 'Other.md': 'Nothing of it.\n' };
  return withVectors(async ({ ask, folder, store }) => {
    const { hits } = await ask(search, { query: 'herring net' });
    assert.equal(hits[0].path, 'Sea.md');
    const lines = files['Sea.md'].split('\n').slice(hits[0].lines[0] - 1, hits[0].lines[1]);
    assert.ok(lines.includes('Herring and cod in the net.'), String(hits[0].lines));
    assert.match(hits[0].snippet, /Herring and cod in the net\./);
    folder.put('Sea.md', 'Herring.\n');
    const changed = await ask(search, { query: 'herring net' });
    assert.deepEqual([changed.hits[0].snippet, changed.hits[0].lines], ['Herring.', [1, 1]]);
    const [active] = await store.generations(new AbortController().signal);
    assert.equal(active?.pending, 0);
  }, files);
});

test('the provider and the vectors are reported; the query is embedded once, after identification', () =>
  withVectors(async ({ ask, reported, warnings }, fake) => {
    fake.become({ endpoint: 'http://127.0.0.1:11434' });
    const before = fake.requests.length;
    await ask(search, { query: 'low "the tide" rise* -crab & moon' });
    assert.deepEqual(fake.requests.slice(before), [
      { texts: ['low the tide rise & moon'], purpose: 'query', priority: 'interactive' },
    ]);
    const { provider, index, degraded, part } = reported();
    assert.deepEqual(provider, {
      capability: 'embedding',
      served_by: 'fake@127.0.0.1:11434',
      model: 'hashed-words',
      attempts: 1,
    });
    assert.deepEqual(
      [index?.embedded, index?.total, index?.chunks, index?.failed_chunks, degraded, part],
      [4, 4, 4, undefined, undefined, undefined],
    );
    assert.deepEqual(warnings, []);
  }));

test('filters and negated words narrow both lists', () =>
  withVectors(async ({ ask, warnings }) => {
    const query = 'tide moon';
    const requested = async (given: object) => paths(await ask(search, { query, ...given })).toSorted();
    assert.deepEqual(await requested({ folder: 'Places' }), ['Places/Harbour.md', 'Places/Hill.md']);
    assert.deepEqual(await requested({ tags: ['sea'] }), ['Places/Harbour.md', 'Tide.md']);
    assert.deepEqual(await requested({ where: { status: 'open' } }), ['Tide.md']);
    assert.deepEqual(await requested({ until: 'yesterday' }), []);
    assert.deepEqual(await requested({ query: 'tide -moon -harb*' }), ['日記.md']);
    assert.deepEqual(await requested({ query: 'moon -"low tide"' }), ['Places/Hill.md', 'Tide.md', '日記.md']);
    assert.deepEqual(warnings, []);
    assert.deepEqual(await requested({ folder: 'Nix' }), []);
    assertEach(warnings, ({ code }) => code, ['FILTER_MATCHES_NOTHING']);
    const all: { hits: Hit[] } = await ask(search, { query, match: 'all' });
    assert.deepEqual(
      all.hits.filter(({ scores }) => scores.text !== undefined).map(({ path }) => path),
      ['Tide.md'],
    );
  }));

test('a negated word in most notes still excludes them', () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`n${at}.md`, at % 20 === 0 ? 'tide' : 'tide common']),
  );
  return withVectors(async ({ ask }) => {
    assert.deepEqual(paths(await ask(search, { query: 'tide -common' })).toSorted(), ['n0.md', 'n20.md', 'n40.md']);
  }, many);
});

test('paging returns every note once, far beyond the depth of the first page', () => {
  const many = Object.fromEntries(
    Array.from({ length: 130 }, (_, at) => [`n${at}.md`, `${at % 3 === 0 ? 'tide' : 'sand'} ${'x '.repeat(at % 7)}`]),
  );
  return withVectors(async (under) => {
    const hits: Hit[] = await everyPage(under, search, { query: 'tide sand' }, 'hits', 9);
    assert.equal(hits.length, 130);
    assert.equal(new Set(hits.map(({ path }) => path)).size, 130);
    const whole: { hits: Hit[]; next_cursor?: string } = await under.ask(search, { query: 'tide sand', limit: 20 });
    assert.equal(whole.hits.length, 20);
    assert.ok(whole.next_cursor);
    assert.equal('total' in whole, false);
  }, many);
});

test('explain shows the parsed query and the fusion', () =>
  withVectors(async ({ ask }, fake) => {
    fake.become({});
    const { hits, explain, dropped } = await ask(search, { query: 'tide & -crab', explain: true });
    assert.deepEqual(explain.text, {
      terms: [
        { text: 'tide', kind: 'word', negated: false },
        { text: 'crab', kind: 'word', negated: true },
      ],
      match: 'any',
    });
    assert.deepEqual(explain.dropped, { without_letters: ['&'], function_words: [], in_most_notes: [] });
    assert.deepEqual(dropped, ['&']);
    const { generation, ...vector } = explain.vector;
    assert.ok(Number.isInteger(generation));
    assert.deepEqual(vector, {
      meaning: 'tide &',
      provider: 'fake',
      model: 'hashed-words',
      dims: 64,
      prefixes: { query: '', document: '' },
    });
    assert.deepEqual([explain.fusion.method, explain.fusion.depth], ['sum of scores', 50]);
    assert.deepEqual(explain.fusion.weights, { text: 1, vector: 0 }, 'the query is one rare word');
    assert.deepEqual(Object.keys(explain.timing_ms), ['provider', 'own']);
    for (const { score, scores } of hits as Hit[]) {
      const shares = (scores.text?.share ?? 0) + (scores.vector?.share ?? 0);
      assert.ok(Math.abs(score - shares) < 1e-4);
    }
  }));

test('words decide for one rare word or quoted phrases, and share the decision otherwise', () =>
  withVectors(
    async ({ ask }) => {
      const weightOf = async (query: string) =>
        (await ask(search, { query, explain: true })).explain.fusion.weights.vector;
      for (const query of ['harbour', '"low tide"', '"low tide" "the hill" -crab'])
        assert.equal(await weightOf(query), 0);
      for (const query of ['sand', 'tide moon', '"low tide" moon', 'harbuor'])
        assert.ok((await weightOf(query)) > 0, query);
    },
    {
      ...FILES,
      ...Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`Beach ${at}.md`, 'Sand.\n'])),
    },
  ));

test('a query without searchable words is answered by meaning, and the result says so', () => {
  const files = { 'Beach.md': '🏖 🌊', 'Hill.md': '⛰' };
  return withVectors(async ({ ask }) => {
    const answer = await ask(search, { query: '🌊', explain: true });
    assert.equal(answer.hits[0].path, 'Beach.md');
    assert.equal(answer.hits[0].scores.text, undefined);
    assert.match(answer.explain.text, /meaning alone/);
    assert.deepEqual(answer.dropped, ['🌊']);
  }, files);
});

test('a whole paragraph is embedded completely, and words that are not searched are counted', () =>
  withVectors(async ({ ask, warnings }, { requests }) => {
    const words = Array.from({ length: 90 }, (_, at) => `tide${at}`).join(' ');
    await ask(search, { query: words });
    assert.equal(requests.at(-1)?.texts[0], words);
    assertEach(warnings, ({ code, count }) => [code, count], [['TRUNCATED', 26]]);
  }));

test('refusals', () =>
  withVectors(async ({ refusal, ask }, { requests }) => {
    const before = requests.length;
    for (const query of ['', '  ', '-tide', '*', '?!']) await refusal(search, { query }, 'INVALID_QUERY');
    await refusal(search, { query: 'tide', since: 'soon' }, 'INVALID_QUERY');
    await refusal(search, { query: 'tide', folder: '../x' }, 'PATH_NOT_ALLOWED');
    await refusal(search, { query: 'tide', cursor: 'x' }, 'INVALID_INPUT');
    assert.equal(requests.length, before, 'nothing of it was sent');
    const { hits } = await ask(search, { query: 'tide', since: 'yesterday' });
    assert.ok(hits.length > 0 && hits.every((hit: { dated_by?: string }) => hit.dated_by === 'modified'));
    const { next_cursor: cursor } = await ask(search, { query: 'tide', limit: 1 });
    await refusal(search, { query: 'moon', cursor }, 'INVALID_INPUT');
  }));

test('P1 an unavailable provider fails the call with its own error, and search_text still works', () =>
  withVectors(async ({ ask, refusal }, fake) => {
    fake.become({ down: true });
    const error = await refusal(search, { query: 'tide' }, 'PROVIDER_UNAVAILABLE');
    assertEach(error.actions, (action) => (action.kind === 'tool_call' ? action.tool : ''), ['search_text']);
    assert.equal((await ask(searchText, { query: 'tide' })).total, 2);
    fake.become({ down: false });
    assert.equal((await ask(search, { query: 'tide' })).hits.length, 4);
  }));

test('a cancel ends the wait for the provider with its own reason', () =>
  withVectors(async ({ ask }, fake) => {
    fake.become({ hang: true });
    const stop = new AbortController();
    const answer = ask(search, { query: 'tide' }, { signal: stop.signal });
    await sleep(20);
    stop.abort(new VaultgraphError('CANCELLED', { committed: 'none' }));
    await assert.rejects(answer, { code: 'CANCELLED' });
  }));

test('words are searched while the model embeds the question', () => {
  const fake = fakeEmbedding();
  const { promise: wordsFound, resolve: onWordsFound } = Promise.withResolvers<void>();
  const embedding: EmbeddingProvider = {
    ...fake.provider,
    embed: async (inputs, purpose, call, signal) => {
      if (purpose === 'query') await wordsFound;
      return fake.provider.embed(inputs, purpose, call, signal);
    },
  };
  const observed: typeof search = {
    ...search,
    run: (args, granted, call) => {
      const searchText: typeof granted.store.searchText = async (...asked) => {
        const found = await granted.store.searchText(...asked);
        onWordsFound();
        return found;
      };
      return search.run(args, { ...granted, store: { ...granted.store, searchText } }, call);
    },
  };
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, fake.provider);
    const { hits }: { hits: Hit[] } = await under.ask(observed, { query: 'tide' });
    assert.ok(hits.some(({ scores }) => scores.text && scores.vector));
  };
  return withTools(FILES, work, { embedding });
});

test('P15 a question longer than the context is refused by the model, not cut', () =>
  withVectors(
    async ({ refusal }) => {
      const query = Array.from({ length: 500 }, (_, at) => `tide${at}`).join(' ');
      const error = await refusal(search, { query }, 'PROVIDER_INPUT_TOO_LONG');
      assert.equal(error.fixBy, 'caller');
    },
    FILES,
    fakeEmbedding({ contextTokens: 300 }),
  ));

test('a query that the model silently truncates gives a warning', () =>
  withVectors(
    async ({ ask, warnings }) => {
      await ask(search, { query: 'tide '.repeat(200) });
      assertEach(warnings, ({ code }) => code, ['TRUNCATED']);
    },
    FILES,
    fakeEmbedding({ digest: null, contextTokens: 100 }),
  ));

const CHANGES = [
  [{ digest: 'sha256:pulled-again' }, 'digest'],
  [{ queryPrefix: 'query: ' }, 'query_prefix'],
  [{ documentPrefix: 'passage: ' }, 'document_prefix'],
  [{ dims: 32 }, 'dims'],
  [{ contextTokens: 100 }, 'chunker'],
  [{ model: 'other' }, 'model'],
] as const;

for (const [change, part] of CHANGES) {
  test(`P14 vectors of another ${part} are never compared: EMBEDDER_MISMATCH names it, before the question is sent`, () =>
    withVectors(async ({ refusal, ask }, fake) => {
      const before = fake.requests.length;
      fake.become(change);
      const error = await refusal(search, { query: 'tide' }, 'EMBEDDER_MISMATCH');
      const { differs, index, provider, job_id } = error.details as unknown as {
        differs: string[];
        index: Record<string, unknown>;
        provider: Record<string, unknown>;
        job_id?: string;
      };
      assert.ok(differs.includes(part), String(differs));
      assert.notEqual(index[part], provider[part]);
      assert.equal(job_id, undefined);
      assert.equal(fake.requests.length, before);
      assert.equal((await ask(searchText, { query: 'tide' })).total, 2);
    }));
}

test('a query is read by the rules of its vectors', () =>
  withVectors(async ({ ask }, fake) => {
    await ask(search, { query: 'the tide’s rise' });
    assert.equal(fake.requests.at(-1)?.texts[0], "the tide's rise");
  }));

test('P14 a model without a known identity counts as another model', () =>
  withTools(
    FILES,
    async (under) => {
      const { provider } = fakeEmbedding();
      await fillVectors(under, provider, { fingerprint: { digest: null, samples: [] } });
      const error = await under.refusal(search, { query: 'tide' }, 'EMBEDDER_MISMATCH');
      assert.deepEqual((error.details as unknown as { differs: string[] }).differs, ['digest']);
    },
    { embedding: fakeEmbedding().provider },
  ));

test('P13 a vector of another length than the model said is never compared', () => {
  const { provider } = fakeEmbedding();
  const short: EmbeddingProvider = {
    ...provider,
    embed: async (inputs) => ({
      succeeded: inputs.map(({ id }) => ({ id, result: new Float32Array(7).fill(1) })),
      failed: [],
    }),
  };
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, provider);
    const error = await under.refusal(search, { query: 'tide' }, 'PROVIDER_BAD_RESPONSE');
    assert.match(error.message, /vector of 64 numbers, received 7/);
  };
  return withTools(FILES, work, { embedding: short });
});

test('without vectors and without a job: INDEX_EMPTY; search_text still works', () =>
  withTools(
    FILES,
    async ({ refusal, ask }) => {
      const error = await refusal(search, { query: 'tide' }, 'INDEX_EMPTY');
      assert.deepEqual(error.details, { capability: 'embedding' });
      assert.equal((await ask(searchText, { query: 'tide' })).total, 2);
    },
    { embedding: fakeEmbedding().provider },
  ));

test('unfinished first vectors give a partial result with counts', () => {
  const { provider } = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, provider, { activate: false, only: ['Tide.md', 'Places/Hill.md'] });
    const { hits }: { hits: Hit[] } = await under.ask(search, { query: 'harbour' });
    assert.deepEqual(hits.map(({ path, scores }) => [path, scores.vector !== undefined]).toSorted(), [
      ['Places/Harbour.md', false],
      ['Places/Hill.md', true],
      ['Tide.md', true],
    ]);
    const { part, index } = under.reported();
    assert.equal(part, '2/4 notes are embedded so far');
    assert.deepEqual([index?.embedded, index?.total], [2, 4]);
  };
  return withTools(FILES, work, { embedding: provider });
});

test('refused chunks are counted in the metadata', () => {
  const { provider } = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, provider, { refused: ['Tide.md'] });
    await under.ask(search, { query: 'tide' });
    assert.deepEqual([under.reported().index?.chunks, under.reported().index?.failed_chunks], [3, 1]);
  };
  return withTools(FILES, work, { embedding: provider });
});

test('S8 vectors that are replaced during a search are read again once', () => {
  const fake = fakeEmbedding();
  let meanwhile = async (): Promise<void> => {};
  const embedding: EmbeddingProvider = {
    ...fake.provider,
    embed: async (inputs, purpose, call, signal) => {
      if (purpose === 'query') await meanwhile();
      return fake.provider.embed(inputs, purpose, call, signal);
    },
  };
  const work = async (under: ToolsUnderTest): Promise<void> => {
    const first = await fillVectors(under, fake.provider);
    meanwhile = async () => {
      meanwhile = async () => {};
      for (const model of ['two', 'three']) await fillVectors(under, fake.provider, { fingerprint: { model } });
      await fillVectors(under, fake.provider);
    };
    const { hits }: { hits: Hit[] } = await under.ask(search, { query: 'tide' });
    assert.ok(hits.every(({ scores }) => scores.vector !== undefined));
    assert.notEqual(under.reported().index?.generation, first);
    assert.equal(hits.length, 4);
  };
  return withTools(FILES, work, { embedding });
});

test('a query without a word that the model knows is answered by words, with a warning', () =>
  withVectors(async ({ ask, refusal, warnings }, fake) => {
    const facts = { expected: 'a word that the model knows', received: 'none' };
    fake.failNextEmbed(providerFailure('PROVIDER_BAD_RESPONSE', { ...facts, unknown_text: true }));
    const answer = await ask(search, { query: 'tide' });
    assert.deepEqual(paths(answer).toSorted(), ['Places/Harbour.md', 'Tide.md']);
    assertEach(warnings, ({ code }) => code, ['WORDS_UNKNOWN_TO_MODEL']);
    const unknown = providerFailure('PROVIDER_BAD_RESPONSE', { ...facts, unknown_text: true });
    assert.doesNotMatch(`${unknown.message} ${unknown.hint}`, /server/);
    fake.failNextEmbed(providerFailure('PROVIDER_BAD_RESPONSE', facts));
    await refusal(search, { query: 'tide' }, 'PROVIDER_BAD_RESPONSE');
  }));

test('P20 on_embedding_failure exists only if the config enables it', () => {
  const given = { query: 'tide', on_embedding_failure: 'text_only' };
  const [issue] = search.input.safeParse(given).error?.issues ?? [];
  assert.equal(issue?.code, 'unrecognized_keys');
  assert.equal(steppingSearch.input.safeParse(given).success, true);
});

test('P20 with text_only a search by words alone is reported as degraded; otherwise the call fails', () =>
  withVectors(async ({ ask, refusal, reported }, fake) => {
    const given = { query: 'tide', on_embedding_failure: 'text_only' };
    assert.equal((await ask(steppingSearch, given)).hits.length, 4);
    assert.equal(reported().degraded, undefined);
    const steps = async (code: string): Promise<void> => {
      const answer: { hits: Hit[] } = await ask(steppingSearch, { ...given, explain: true });
      assert.deepEqual(paths(answer).toSorted(), ['Places/Harbour.md', 'Tide.md']);
      assert.ok(answer.hits.every(({ scores }) => scores.text !== undefined && scores.vector === undefined));
      const opted_in_by = 'on_embedding_failure';
      assert.deepEqual(reported(), { degraded: { from: 'hybrid', to: 'text', reason_code: code, opted_in_by } });
    };
    fake.become({ down: true });
    await steps('PROVIDER_UNAVAILABLE');
    await refusal(steppingSearch, { query: 'tide' }, 'PROVIDER_UNAVAILABLE');
    await refusal(steppingSearch, { ...given, on_embedding_failure: 'fail' }, 'PROVIDER_UNAVAILABLE');
    await refusal(steppingSearch, { ...given, query: '🌊' }, 'PROVIDER_UNAVAILABLE');
    fake.become({ down: false, digest: 'sha256:other' });
    await steps('EMBEDDER_MISMATCH');
    await refusal(steppingSearch, { query: 'tide' }, 'EMBEDDER_MISMATCH');
  }));

test('P14 with allow_mismatched_query vectors of another model are used and reported; otherwise the call fails', () =>
  withVectors(async ({ ask, refusal, reported }, fake) => {
    const given = { query: 'tide', allow_mismatched_query: true };
    assert.equal(search.input.safeParse(given).error?.issues[0]?.code, 'unrecognized_keys');
    assert.equal((await ask(tolerantSearch, given)).hits.length, 4);
    assert.equal(reported().degraded, undefined, 'they fit');
    fake.become({ digest: 'sha256:other' });
    await refusal(tolerantSearch, { query: 'tide' }, 'EMBEDDER_MISMATCH');
    await refusal(tolerantSearch, { ...given, allow_mismatched_query: false }, 'EMBEDDER_MISMATCH');
    const answer: { hits: Hit[] } = await ask(tolerantSearch, given);
    assert.ok(answer.hits.some(({ scores }) => scores.vector !== undefined));
    assert.deepEqual(reported().degraded, {
      from: 'vectors of hashed-words',
      to: 'vectors of hashed-words (another digest)',
      reason_code: 'EMBEDDER_MISMATCH',
      opted_in_by: 'allow_mismatched_query',
    });
    fake.become({ dims: 16 });
    await refusal(tolerantSearch, given, 'EMBEDDER_MISMATCH');
  }));

test('errors of the call itself do not fall back to words', () =>
  withTools(
    FILES,
    async ({ refusal }) => {
      const given = { query: 'tide', on_embedding_failure: 'text_only' };
      await refusal(steppingSearch, given, 'INDEX_EMPTY');
      await refusal(steppingSearch, { ...given, query: ' ' }, 'INVALID_QUERY');
    },
    { embedding: fakeEmbedding().provider },
  ));

/** Two fakes, the one standing in for the other. */
function withFallback(
  check: (
    under: ToolsUnderTest,
    fakes: { main: ReturnType<typeof fakeEmbedding>; second: ReturnType<typeof fakeEmbedding> },
  ) => Promise<void>,
): Promise<void> {
  const main = fakeEmbedding();
  const second = fakeEmbedding({ type: 'second', model: 'small', digest: 'sha256:small', dims: 16 });
  const fallback = { provider: second.provider, useOn: ['PROVIDER_UNAVAILABLE'] as const };
  const embedding: Embedding = { ...main.provider, fallback };
  return withTools(FILES, (under) => check(under, { main, second }), { embedding });
}

test('P19 a complete fallback answers with its own vectors, for the configured failures only', () =>
  withFallback(async (under, { main, second }) => {
    const { ask, reported, refusal } = under;
    await fillVectors(under, main.provider);
    const own = await fillVectors(under, second.provider, { role: 'fallback' });
    await ask(search, { query: 'tide' });
    assert.equal(reported().degraded, undefined);
    main.failNext(providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }));
    const { hits, explain } = await ask(search, { query: 'tide', explain: true });
    assert.equal(hits.length, 4);
    assert.deepEqual([explain.vector.dims, explain.vector.generation], [16, own]);
    assert.deepEqual(reported().degraded, {
      from: 'hashed-words',
      to: 'small',
      reason_code: 'PROVIDER_UNAVAILABLE',
      opted_in_by: 'providers.embedding.fallback',
    });
    assert.deepEqual([reported().provider?.model, reported().index?.generation], ['small', own]);
    main.failNext(providerFailure('PROVIDER_ERROR', { status: 500, said: 'oops' }));
    await refusal(search, { query: 'tide' }, 'PROVIDER_ERROR');
  }));

test('P19 an incomplete fallback, one of another model and one that fails itself leave the first error as it was', () =>
  withFallback(async (under, { main, second }) => {
    const { refusal } = under;
    const away = () => main.failNext(providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }));
    const isFirst = async (): Promise<void> => {
      const { message } = await refusal(search, { query: 'tide' }, 'PROVIDER_UNAVAILABLE');
      assert.match(message, /model hashed-words/);
    };
    await fillVectors(under, main.provider);
    away();
    await isFirst();
    await fillVectors(under, second.provider, { role: 'fallback', only: ['Tide.md'], activate: false });
    away();
    await isFirst();
    assert.equal(second.requested.identify > 0, true);
    const requested = second.requests.filter(({ purpose }) => purpose === 'query').length;
    assert.equal(requested, 0, 'nothing was sent to a fallback that cannot answer');
    await fillVectors(under, second.provider, { role: 'fallback' });
    second.become({ digest: 'sha256:else' });
    away();
    await isFirst();
    second.become({ digest: 'sha256:small', down: true });
    away();
    await isFirst();
  }));

test('an endpoint failover is reported', () => {
  const { provider } = fakeEmbedding();
  const embedding: EmbeddingProvider = {
    ...provider,
    embed: (inputs, purpose, call, signal) => {
      call.trace.failedOver = true;
      call.trace.retries.push({ code: 'PROVIDER_BUSY', waited_ms: 5 });
      return provider.embed(inputs, purpose, call, signal);
    },
  };
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await fillVectors(under, provider);
    await under.ask(search, { query: 'tide' });
    assertEach(under.warnings, ({ code }) => code, ['FAILOVER']);
    assert.deepEqual(under.reported().provider?.retries, [{ code: 'PROVIDER_BUSY', waited_ms: 5 }]);
  };
  return withTools(FILES, work, { embedding });
});
