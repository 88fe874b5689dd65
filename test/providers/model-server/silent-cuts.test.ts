// Texts that an embedding server cuts without an error, on both wires.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Opened } from '../../../src/contracts/provider.ts';
import { assertEach } from '../../assert-each.ts';
import { inputs, isSameVector, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import type { LoggedRequest } from '../../fakes/http/exchange.ts';
import { textVector } from '../../fakes/text-vector.ts';
import { failsWith, startAndOpen } from '../ollama/ollama-under-test.ts';
import { opened as openedOpenai } from '../openai-compatible/under-test.ts';

const READ = 100;
const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ');
const [FITTING, LONG] = [words(READ - 10, 'a'), words(3 * READ, 'b')];
const TOO_LONG = { level: 'item', tokens: 3 * READ, limit: READ };
const section = { document_prefix: '', query_prefix: '' };

interface Under {
  readonly provider: EmbeddingProvider;
  readonly opened: Opened<EmbeddingProvider>;
  /** The number of texts in each request to embed so far. */
  sent(): readonly number[];
  change(settings: { usage?: (tokens: number) => number | undefined; contextTokens?: number }): void;
}

const sizesOf = (requests: readonly LoggedRequest[]) => requests.map(({ body }) => body.input.length);

const WIRES: Readonly<Record<string, (test: TestContext) => Promise<Under>>> = {
  'openai-compatible': async (test) => {
    const { server, ...under } = await openedOpenai(test, { flavour: 'ollama', contextTokens: READ }, section);
    return { ...under, sent: () => sizesOf(server.requestsTo('/v1/embeddings')), change: server.change };
  },
  ollama: async (test) => {
    const models = [{ contextTokens: READ, alwaysCuts: true }];
    const { server, ...under } = await startAndOpen(test, section, { models });
    return {
      ...under,
      sent: () => sizesOf(server.requestsTo('/api/embed')),
      change: (settings) => server.change('embeddinggemma', settings),
    };
  },
};

const embed = ({ provider }: Under, ...texts: string[]) =>
  provider.embed(inputs(...texts), 'document', newCall(), never);
const answersLine = async ({ opened }: Under): Promise<string> =>
  (await opened.probe(never)).levels?.find(({ level }) => level === 'answers')?.detail ?? '';

describe('the warm-up of an OpenAI-compatible embedding provider', () => {
  it('finds out with one long text whether the server cuts what the config says it reads', async (test) => {
    const { provider, opened } = await openedOpenai(test, { flavour: 'tei', contextTokens: READ }, section);
    await provider.warmUp(never);
    assert.match((await opened.probe(never)).detail, /; it cuts texts at 100 tokens$/);
  });

  it('passes where the text is read whole or refused', async (test) => {
    for (const settings of [{ flavour: 'vllm', contextTokens: READ }, { contextTokens: 10_000 }] as const) {
      const { provider, opened } = await openedOpenai(test, settings, section);
      await provider.warmUp(never);
      assert.match((await opened.probe(never)).detail, /embeds into 64 dimensions$/);
    }
  });
});

for (const [wire, open] of Object.entries(WIRES)) {
  describe(`the ${wire} provider of a server that cuts texts without an error`, () => {
    it('refuses a text that was cut, after one more request, and a query likewise', async (test) => {
      const under = await open(test);
      await failsWith(embed(under, LONG), 'PROVIDER_INPUT_TOO_LONG', TOO_LONG);
      assert.deepEqual(under.sent(), [1, 1]);
      const query = under.provider.embed(inputs(LONG), 'query', newCall(), never);
      await failsWith(query, 'PROVIDER_INPUT_TOO_LONG', TOO_LONG);
      assert.ok(isSameVector(await vectorOf(under.provider, FITTING), textVector(FITTING)));
      assert.deepEqual(under.sent(), [1, 1, 1, 1]);
    });

    it('knows from then on where texts are cut, until a text has more tokens', async (test) => {
      const under = await open(test);
      await failsWith(embed(under, LONG), 'PROVIDER_INPUT_TOO_LONG', TOO_LONG);
      assert.match(await answersLine(under), /; it cuts texts at 100 tokens$/);
      const manyShort = Array.from({ length: 10 }, () => 'a b c');
      const before = under.sent().length;
      const { failed } = await embed(under, words(READ + 1, 'c'), ...manyShort);
      assertEach(failed, ({ id }) => id, ['text 0']);
      assert.deepEqual(under.sent().slice(before), [11, ...Array(11).fill(1)]);
      await failsWith(embed(under, words(READ, 'c')), 'PROVIDER_INPUT_TOO_LONG', { tokens: READ, limit: READ });
      assert.equal((await embed(under, ...manyShort)).succeeded.length, 10);
      under.change({ contextTokens: 10_000 });
      assert.equal((await embed(under, LONG)).succeeded.length, 1);
      assert.match(await answersLine(under), /^embeds into 64 dimensions$/);
    });

    it('sends several texts with too few tokens again one by one, and fails those that were cut', async (test) => {
      const under = await open(test);
      const { succeeded, failed } = await embed(under, FITTING, LONG, words(5, 'c'));
      assert.deepEqual([succeeded.map(({ id }) => id), failed.map(({ id }) => id)], [['text 0', 'text 2'], ['text 1']]);
      assert.partialDeepStrictEqual(failed[0]?.error.details, TOO_LONG);
      assert.deepEqual(under.sent(), [3, 1, 1, 1, 1]);
      assert.equal((await embed(under, FITTING, words(5, 'c'))).succeeded.length, 2);
    });

    it('takes one word over and over as it is', async (test) => {
      const under = await open(test);
      under.change({ contextTokens: 10_000, usage: (tokens) => Math.ceil(tokens * 0.9) });
      assert.equal((await embed(under, 'harbour '.repeat(200))).succeeded.length, 1);
    });

    it('says nothing about cuts in its probe', async (test) => {
      const under = await open(test);
      await vectorOf(under.provider, 'loads it');
      assert.match(await answersLine(under), /^embeds into 64 dimensions$/);
    });
  });

  describe(`the ${wire} provider of a server whose counts are not those of tokens`, () => {
    for (const [what, usage] of Object.entries<(tokens: number) => number | undefined>({
      'none at all': () => undefined,
      'always 0': () => 0,
      'one for each request': () => 1,
    }))
      it(`${what}: vectors are taken as they are, and the probe says that cuts cannot be noticed`, async (test) => {
        const under = await open(test);
        under.change({ usage });
        await vectorOf(under.provider, 'three short words');
        assert.match(await answersLine(under), /; it counts no tokens, so a text that it cuts cannot be noticed$/);
        const before = under.sent().length;
        assert.equal((await embed(under, FITTING, LONG)).succeeded.length, 2);
        assert.equal(under.sent().length, before + 1);
      });

    it('too few, of a text that it reads whole: it is asked once more, and then trusted with no count', async (test) => {
      const under = await open(test);
      under.change({ usage: (tokens) => Math.min(tokens, 70), contextTokens: 10_000 });
      assert.ok(isSameVector(await vectorOf(under.provider, LONG), textVector(LONG)));
      assert.deepEqual(under.sent(), [1, 1]);
      assert.equal((await embed(under, FITTING, LONG)).succeeded.length, 2);
      assert.deepEqual(under.sent(), [1, 1, 2]);
      assert.match(await answersLine(under), /cannot be noticed$/);
    });
  });
}
