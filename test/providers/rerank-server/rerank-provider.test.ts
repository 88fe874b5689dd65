// The rerank provider over real HTTP with both wires: the contract, the config, what is sent, and what fails.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { isSecret } from '../../../src/contracts/provider.ts';
import { rerankServerProvider } from '../../../src/providers/rerank-server/rerank-provider.ts';
import { DOCUMENTS, failureOf, never, newCall, QUERY, rerank } from '../../contracts/rerank/law.ts';
import { rerankLaws } from '../../contracts/rerank.ts';
import { type Fault, jsonAnswer } from '../../fakes/http/exchange.ts';
import { brokenJson, cut, faultsOf, html, instead, raw, redirect, reset } from '../../fakes/http/faults.ts';
import { otherRows, startReranker, withScores } from '../../fakes/rerank-server.ts';
import { MODEL, opened, openReranker, sectionFor } from '../../fakes/rerank-under-test.ts';

const WIRES = ['cohere', 'tei'] as const;
const says = (status: number, message: string): Fault => instead(jsonAnswer(status, { message }));

for (const wire of WIRES)
  rerankLaws(`the rerank-server provider with the wire of ${wire}`, async () => {
    const server = await startReranker({ wire, model: MODEL });
    const { capability: provider, close } = await openReranker(sectionFor(wire, server));
    return {
      provider,
      scores: server.scores,
      ...faultsOf(server, says(500, 'out of memory'), close),
    };
  });

describe('the section of a rerank provider', () => {
  const { config } = rerankServerProvider;
  const usual = { wire: 'cohere', model: MODEL, endpoint: 'http://127.0.0.1:8080/v1/' };
  const pathsOf = (some: object): string[] =>
    config.safeParse({ ...usual, ...some }).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it('needs a wire, an endpoint and, for cohere, a model', () => {
    const parsed = config.parse(usual);
    assert.deepEqual(parsed, {
      ...{ wire: 'cohere', model: MODEL, endpoint: 'http://127.0.0.1:8080/v1', timeout: 30_000 },
      ...{ allow_remote: false, headers: {}, top: 30, context: 512 },
    });
    assert.deepEqual(rerankServerProvider.limits(parsed), {
      ...{ identify: 30_000, rerank: 30_000, loaded: 'bounded', warmUp: 30_000 },
    });
    assert.deepEqual(pathsOf({ wire: undefined }), ['wire']);
    assert.deepEqual(pathsOf({ endpoint: undefined }), ['endpoint']);
    assert.deepEqual(pathsOf({ model: undefined }), ['model']);
    assert.deepEqual(pathsOf({ wire: 'tei', model: undefined }), []);
  });

  it('accepts the whole URL of the request as endpoint', () => {
    assert.equal(
      config.parse({ ...usual, endpoint: 'http://localhost:8080/v1/rerank' }).endpoint,
      usual.endpoint.slice(0, -1).replace('127.0.0.1', 'localhost'),
    );
  });

  it('rejects a remote endpoint without permission, other keys, and numbers out of range', () => {
    const remote = { endpoint: 'https://api.example.test/v2' };
    assert.deepEqual(pathsOf(remote), ['endpoint']);
    assert.deepEqual(pathsOf({ ...remote, allow_remote: true }), []);
    assert.deepEqual(pathsOf({ wire: 'voyage' }), ['wire']);
    for (const more of [{ failover: [] }, { load_timeout: 5 }]) assert.deepEqual(pathsOf(more), ['']);
    for (const more of [{ top: 0 }, { top: 201 }]) assert.deepEqual(pathsOf(more), ['top']);
    assert.deepEqual(pathsOf({ context: 64 }), ['context']);
    assert.deepEqual(pathsOf({ api_key: 'k', headers: { Authorization: 'x' } }), ['headers']);
  });

  it('marks the key as a secret', () => {
    const { shape } = config as unknown as { shape: { api_key: { unwrap(): Parameters<typeof isSecret>[0] } } };
    assert.ok(isSecret(shape.api_key.unwrap()));
  });
});

describe('what is sent', () => {
  it('cohere: query, documents, model and their number, with the key', async (test) => {
    const { server, provider } = await opened(test, { apiKey: 'sk-1' }, { api_key: 'sk-1' });
    await rerank(provider);
    const [sent] = server.requestsTo(server.path);
    assert.equal(sent?.headers.authorization, 'Bearer sk-1');
    assert.deepEqual(sent?.body, { model: MODEL, query: QUERY, documents: DOCUMENTS, top_n: 3 });
  });

  it('tei: query and texts', async (test) => {
    const { server, provider } = await opened(test, { wire: 'tei' });
    await rerank(provider);
    assert.deepEqual(
      server.requests.map(({ method, path, body }) => [method, path, body]),
      [['POST', '/rerank', { query: QUERY, texts: DOCUMENTS }]],
    );
  });
});

const BAD = 'PROVIDER_BAD_RESPONSE';
const CASES: readonly { title: string; fault: Fault; code: ErrorCode; details?: object }[] = [
  { title: 'P3 reset', fault: reset(), code: 'PROVIDER_UNAVAILABLE', details: { cause_code: 'ECONNRESET' } },
  { title: 'P3 cut', fault: cut(), code: 'PROVIDER_UNAVAILABLE' },
  { title: 'P5 not HTTP', fault: raw('220 mail.example.test\r\n'), code: BAD },
  { title: 'P5 200 HTML', fault: html(200), code: BAD },
  { title: 'P5 broken JSON', fault: brokenJson(), code: BAD },
  { title: 'P5 another shape', fault: instead(jsonAnswer(200, { data: [] })), code: BAD },
  { title: 'P6 503', fault: says(503, 'Model is loading'), code: 'PROVIDER_BUSY' },
  { title: 'P7 429', fault: says(429, 'slow down'), code: 'PROVIDER_RATE_LIMITED' },
  { title: 'P8 500', fault: says(500, 'oops'), code: 'PROVIDER_ERROR' },
  { title: 'P9 404 model', fault: says(404, 'The model `x` does not exist.'), code: 'PROVIDER_MODEL_MISSING' },
  { title: 'P9 plain 404', fault: html(404), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', details: { status: 404 } },
  { title: 'P9 a redirect', fault: redirect('http://127.0.0.1:9/'), code: 'PROVIDER_ENDPOINT_UNSUPPORTED' },
  { title: 'P9 401', fault: says(401, 'no'), code: 'PROVIDER_AUTH_FAILED' },
  {
    title: 'P11 no reranker',
    fault: says(501, 'This server does not support reranking.'),
    code: 'PROVIDER_MODEL_UNSUITABLE',
  },
  { title: 'P15 too long', fault: says(413, 'inputs must have less than 512 tokens'), code: 'PROVIDER_INPUT_TOO_LONG' },
  { title: 'a missing index', fault: otherRows((rows) => rows.slice(1)), code: BAD, details: { received: '2' } },
  { title: 'an index twice', fault: otherRows(([first, ...rest]) => [first, first, ...rest.slice(1)]), code: BAD },
  { title: 'one row more', fault: otherRows((rows) => [...rows, rows[0]]), code: BAD, details: { received: '4' } },
  {
    title: 'an index out of range',
    fault: otherRows((rows) => rows.map((row) => ({ ...row, index: row.index + 1 }))),
    code: BAD,
  },
  { title: 'a negative index', fault: otherRows((rows) => rows.map((row) => ({ ...row, index: -1 }))), code: BAD },
  { title: 'no rows', fault: otherRows(() => []), code: BAD },
  { title: 'null for NaN', fault: withScores(null), code: BAD, details: { expected: 'finite scores' } },
  { title: 'a text for a score', fault: withScores('0.5'), code: BAD },
  { title: 'no scores', fault: withScores(undefined), code: BAD },
  { title: 'NaN, which is not JSON', fault: instead({ status: 200, body: '[{"index":0,"score":NaN}]' }), code: BAD },
];

describe('a request that fails', () => {
  for (const wire of WIRES)
    it(`${wire}: ${CASES.length} faults have their codes, and the next request is answered`, async (test) => {
      const { server, provider } = await opened(test, { wire });
      for (const { title, fault, code, details = {} } of CASES) {
        server.fail(fault, { times: 1 });
        const documents = ['the first secret of the harbour', 'beans', 'bread'];
        const failure = await failureOf(provider.rerank(QUERY, documents, newCall(), never));
        assert.equal(failure.code, code, `${title}: ${failure.message}`);
        assert.partialDeepStrictEqual(
          failure.details,
          { capability: 'rerank', endpoint: server.endpoint, ...details },
          title,
        );
        assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /secret|when does/);
        assert.equal((await rerank(provider)).length, 3, title);
      }
    });

  it('P26 an answer of another model is a bad response', async (test) => {
    const { server, provider } = await opened(test);
    const results = DOCUMENTS.map((_, index) => ({ index, relevance_score: 0.5 }));
    server.fail(instead(jsonAnswer(200, { model: 'other-reranker', results })));
    assert.equal((await failureOf(rerank(provider))).code, BAD);
  });

  it('a server that is gone, and a key in no failure', async (test) => {
    const { server, provider } = await opened(test, { apiKey: 'right' }, { api_key: 'sk-very-private' });
    server.fail(says(403, 'no rights for sk-very-private'), { times: 1 });
    const refused = await failureOf(rerank(provider));
    assert.equal(refused.code, 'PROVIDER_AUTH_FAILED');
    assert.doesNotMatch(JSON.stringify([refused.message, refused.details]), /sk-very/);
    await server.refuse();
    assert.equal((await failureOf(rerank(provider))).code, 'PROVIDER_UNAVAILABLE');
  });
});

describe('a probe', () => {
  const levelsOf = async ({ probe }: Pick<Awaited<ReturnType<typeof opened>>, 'probe'>) => {
    const { levels = [], failure } = await probe(never);
    return [levels.map(({ level, ok }) => [level, ok]), failure?.code];
  };

  it('checks that it answers, with one request that contains nothing of a note', async (test) => {
    const under = await opened(test);
    const levels = [
      ['reachable', true],
      ['model', true],
      ['answers', true],
    ];
    assert.deepEqual(await levelsOf(under), [levels, undefined]);
    assert.equal(under.server.requests.length, 1);
  });

  it('says at which level it fails', async (test) => {
    const under = await opened(test);
    for (const [fault, level, code] of [
      [reset(), 'reachable', 'PROVIDER_UNAVAILABLE'],
      [html(404), 'reachable', 'PROVIDER_ENDPOINT_UNSUPPORTED'],
      [says(404, "model 'x' not found"), 'model', 'PROVIDER_MODEL_MISSING'],
      [withScores(null), 'answers', BAD],
    ] as const) {
      under.server.fail(fault, { times: 1 });
      const [levels, failed] = await levelsOf(under);
      assert.deepEqual([(levels as unknown[]).at(-1), failed], [[level, false], code]);
    }
  });
});
