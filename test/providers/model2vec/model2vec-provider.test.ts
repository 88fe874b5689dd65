// The model2vec provider on real folders: the contract, and what is special to a local model.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { model2vecProvider } from '../../../src/providers/model2vec/model2vec-provider.ts';
import { inputs, isSameVector, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import { embeddingLaws } from '../../contracts/embedding.ts';
import { safetensors, smallModel, withHeader, wordPiece, writeModel } from '../../fakes/model2vec-folder.ts';
import { openModel, withModel } from './model-folder.ts';

const TRAITS = { findsRelated: true, skipsUnknownWords: true, isSynchronous: true };
const SECTIONS = {
  'without prefixes': {},
  'with prefixes': { query_prefix: 'question: ', document_prefix: 'title: {title} | text: ' },
};

for (const [name, section] of Object.entries(SECTIONS))
  embeddingLaws(
    `the model2vec provider ${name}`,
    async () => {
      const { capability: provider, folder, remove } = await openModel(smallModel(), section);
      return {
        provider,
        fail: () => renameSync(folder, `${folder}-away`),
        heal: () => renameSync(`${folder}-away`, folder),
        close: remove,
      };
    },
    TRAITS,
  );

const detail = ({ details }: VaultgraphError, name: string): unknown => (details as Record<string, unknown>)[name];

/** What a call fails with. */
async function failureOf(provider: EmbeddingProvider, text = 'secret harbour'): Promise<VaultgraphError> {
  const [ended] = await Promise.allSettled([provider.embed(inputs(text), 'query', newCall(), never)]);
  assert.ok(ended.status === 'rejected' && ended.reason instanceof VaultgraphError, 'it did not fail');
  const { code, message, hint, details } = ended.reason;
  assert.doesNotMatch(JSON.stringify([message, hint, details]), /secret|vaultgraph-model-/, code);
  assert.deepEqual([detail(ended.reason, 'model'), detail(ended.reason, 'provider')], ['small-model', 'model2vec']);
  return ended.reason;
}

suite('the config section of a model2vec model', () => {
  const { config, limits } = model2vecProvider;
  const faultsOf = (section: object): string[] =>
    config.safeParse({ model: '/models/x', ...section }).error?.issues.map(({ path }) => path.join('.')) ?? [];

  test('needs only a folder, absolute or from `~`', () => {
    assert.deepEqual(config.parse({ model: '/models/x' }), { model: '/models/x', timeout: 30_000 });
    assert.equal(config.parse({ model: '~/models/x/' }).model, join(homedir(), 'models/x/'));
    for (const model of ['models/x', './x', 'x', '', ' ', '~other/x', 'minishlab/potion-base-8M'])
      assert.deepEqual(faultsOf({ model }), ['model'], model);
  });

  test('rejects unknown keys', () => {
    assert.deepEqual(faultsOf({ endpoint: 'http://127.0.0.1' }), ['']);
    for (const timeout of [0, 290_001, 1.5, '30000']) assert.deepEqual(faultsOf({ timeout }), ['timeout']);
    assert.deepEqual(faultsOf({ timeout: 290_000, query_prefix: '', document_prefix: 'x' }), []);
  });

  test('sets a time limit for every method', () => {
    const limit = 7_000;
    const all = { identify: limit, embed: limit, loaded: limit, warmUp: limit };
    assert.deepEqual(limits(config.parse({ model: '/models/x', timeout: limit })), all);
  });
});

suite('a model in a folder', () => {
  test('is read at its first use, not before', () =>
    withModel(smallModel(), async ({ capability }) => {
      assert.equal(await capability.loaded(never), false);
      await capability.identify(newCall(), never);
      assert.equal(await capability.loaded(never), true);
    }));

  test("is identified by its folder's name and its files' digest, and has no endpoint", () =>
    withModel(smallModel(), async ({ capability, folder }) => {
      const identity = await capability.identify(newCall(), never);
      assert.equal(capability.endpoint, null);
      assert.deepEqual([identity.model, identity.dims, identity.truncation], ['small-model', 32, 'silent']);
      assert.match(identity.digest ?? '', /^[\da-f]{32}$/);
      const copy = join(dirname(folder), 'copy');
      writeModel(copy, smallModel());
      renameSync(folder, `${folder}-old`);
      renameSync(copy, folder);
      assert.equal((await capability.identify(newCall(), never)).digest, identity.digest);
    }));

  test('is read again, as another model, when its files change', () =>
    withModel(smallModel(), async ({ capability, folder }) => {
      const before = await capability.identify(newCall(), never);
      const vector = await vectorOf(capability, 'harbour');
      writeModel(folder, smallModel(32, 'other weights'));
      const after = await capability.identify(newCall(), never);
      assert.notEqual(after.digest, before.digest);
      assert.ok(!isSameVector(vector, await vectorOf(capability, 'harbour')));
      const { tokens } = smallModel();
      writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(wordPiece([...tokens].reverse())));
      assert.notEqual((await capability.identify(newCall(), never)).digest, after.digest);
    }));

  test('records a cold start in the trace only while it is being loaded', () =>
    withModel(smallModel(), async ({ capability }) => {
      const call = newCall();
      const running = capability.embed(inputs('harbour'), 'query', call, never);
      while (call.trace.phase !== 'load') await turn();
      assert.equal(call.trace.coldStart, true);
      await running;
      assert.deepEqual([call.trace.phase, call.trace.coldStart, call.trace.servedBy], ['body', false, 'model2vec']);
      assert.equal(call.trace.attempts, 1);
    }));

  test('is read once for many concurrent callers', () =>
    withModel(smallModel(), async ({ capability }) => {
      const vectors = await Promise.all(Array.from({ length: 8 }, () => vectorOf(capability, 'harbour')));
      for (const vector of vectors) assert.deepEqual(vector, vectors[0]);
    }));

  test('an abort ends the wait at once, and the next call finds the model loaded', () =>
    withModel(smallModel(), async ({ capability }) => {
      const stop = new AbortController();
      const call = newCall();
      const running = capability.embed(inputs('harbour'), 'query', call, stop.signal);
      while (call.trace.phase !== 'load') await turn();
      stop.abort(new Error('gone'));
      await assert.rejects(running, stop.signal.reason);
      await vectorOf(capability, 'harbour');
    }));

  test('an abort takes effect between two texts', () =>
    withModel(smallModel(), async ({ capability }) => {
      await capability.warmUp(never);
      const stop = new AbortController();
      const texts = Array.from({ length: capability.batch.items }, () => 'harbour '.repeat(150));
      const running = capability.embed(inputs(...texts), 'document', newCall(), stop.signal);
      setTimeout(() => stop.abort(new Error('gone')), 1);
      await assert.rejects(running, stop.signal.reason);
    }));

  test('yields to other work between two texts', () =>
    withModel(smallModel(), async ({ capability }) => {
      await capability.warmUp(never);
      let turns = 0;
      const ticking = setInterval(() => {
        turns += 1;
      }, 0);
      const texts = Array.from({ length: 32 }, () => 'harbour '.repeat(150));
      await capability.embed(inputs(...texts), 'document', newCall(), never);
      clearInterval(ticking);
      assert.ok(turns > 2, `${turns} turns`);
    }));

  test('is not read after closing', () =>
    withModel(smallModel(), async ({ capability, close }) => {
      const call = newCall();
      const running = capability.embed(inputs('harbour'), 'query', call, never);
      while (call.trace.phase !== 'load') await turn();
      await close();
      await assert.rejects(running, { code: 'SHUTTING_DOWN' });
    }));

  test('may have any tokenizer that the library supports', () =>
    withModel(smallModel(), async ({ capability, folder }) => {
      const pieces: [string, number][] = [
        ['<unk>', 0],
        ['▁', -3],
        ['▁low', -1],
        ['▁tide', -1],
        ['s', -2],
      ];
      const unigram = {
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
        post_processor: null,
        decoder: null,
        model: { type: 'Unigram', unk_id: 0, vocab: pieces, byte_fallback: false },
      };
      const numbers = [9, 9, 0, 0, 3, 0, 0, 4, -1, 1];
      writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(unigram));
      const embeddings = { type: 'F32', shape: [5, 2], numbers } as const;
      writeFileSync(join(folder, 'model.safetensors'), safetensors({ embeddings }));
      const [x = 0] = await vectorOf(capability, 'low tides 潮');
      assert.ok(Math.abs(x - 2 / Math.hypot(2, 5)) < 1e-6, `${x}`);
    }));
});

suite('a missing model', () => {
  test('fails at run time, and works once it exists', () =>
    withModel(undefined, async ({ capability, folder, probe }) => {
      const failure = await failureOf(capability);
      assert.equal(failure.code, 'PROVIDER_MODEL_MISSING');
      assert.deepEqual(detail(failure, 'attempts'), 1);
      assert.equal((await probe(never)).ok, false);
      await assert.rejects(capability.warmUp(never), { code: 'PROVIDER_MODEL_MISSING' });
      writeModel(folder, smallModel());
      await vectorOf(capability, 'harbour');
      rmSync(folder, { recursive: true });
      assert.equal((await failureOf(capability)).code, 'PROVIDER_MODEL_MISSING');
    }));

  test('gives each waiting caller an error of its own', () =>
    withModel(smallModel(), async ({ capability, folder }) => {
      writeFileSync(join(folder, 'tokenizer.json'), '{');
      const failures = await Promise.all([failureOf(capability), failureOf(capability), failureOf(capability)]);
      assert.equal(new Set(failures.map(({ errorId }) => errorId)).size, 3);
    }));
});

suite('a model that is damaged', () => {
  const { tokens, rows } = smallModel(2);
  const table = { type: 'F32', shape: [tokens.length, 2], numbers: rows.flat() } as const;
  const list = (numbers: number[]) => ({ type: 'I64', shape: [numbers.length], numbers }) as const;
  const offsets = (data_offsets: number[]) =>
    withHeader(JSON.stringify({ embeddings: { dtype: 'F32', shape: [2, 2], data_offsets } }), Buffer.alloc(16));
  const damaged: Record<string, readonly [file: string, content: Buffer | string, reason: RegExp]> = {
    'no header': ['model.safetensors', 'short', /no readable header/],
    'a header that is none': ['model.safetensors', withHeader('{"a":', Buffer.alloc(8)), /no readable header/],
    'a header that never ends': ['model.safetensors', Buffer.alloc(64, 255), /no readable header/],
    'a header beyond the file': ['model.safetensors', Buffer.from('ff00000000000000', 'hex'), /no readable header/],
    'a list for a header': ['model.safetensors', withHeader('[1]', Buffer.alloc(8)), /no readable header/],
    'a header of another shape': ['model.safetensors', withHeader('{"a":1}', Buffer.alloc(8)), /another shape/],
    'no embeddings': ['model.safetensors', safetensors({ other: table }), /no tensor embeddings/],
    'embeddings of one dimension': ['model.safetensors', safetensors({ embeddings: list([1, 2]) }), /not a table/],
    'an unknown type of number': [
      'model.safetensors',
      withHeader('{"embeddings":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]}}', Buffer.alloc(2)),
      /unknown type/,
    ],
    'numbers cut off': ['model.safetensors', safetensors({ embeddings: table }).subarray(0, -4), /incomplete/],
    'numbers beyond the file': ['model.safetensors', offsets([8, 24]), /incomplete/],
    'numbers that end before they begin': ['model.safetensors', offsets([16, 0]), /incomplete/],
    'fewer rows than tokens': [
      'model.safetensors',
      safetensors({ embeddings: { ...table, shape: [1, 2], numbers: [1, 2] } }),
      /does not fit its tokenizer/,
    ],
    'a mapping out of the table': [
      'model.safetensors',
      safetensors({ embeddings: table, mapping: list(tokens.map(() => tokens.length)) }),
      /does not fit its mapping/,
    ],
    'a short mapping': [
      'model.safetensors',
      safetensors({ embeddings: table, mapping: list([0]) }),
      /mapping does not fit/,
    ],
    'short weights': [
      'model.safetensors',
      safetensors({ embeddings: table, weights: list([1]) }),
      /weights does not fit/,
    ],
    'a tokenizer that is no JSON': ['tokenizer.json', '{"model":', /tokenizer\.json/],
    'a tokenizer of another shape': ['tokenizer.json', '[]', /tokenizer\.json/],
    'a tokenizer of an unknown kind': [
      'tokenizer.json',
      JSON.stringify({ ...wordPiece(tokens), normalizer: { type: 'Mystery' } }),
      /tokenizer\.json/,
    ],
  };

  for (const [name, [file, content, reason]] of Object.entries(damaged)) {
    test(`is unsuitable, with the reason, until it is fixed: ${name}`, () =>
      withModel(smallModel(), async ({ capability, folder }) => {
        writeFileSync(join(folder, file), content);
        const failure = await failureOf(capability);
        assert.equal(failure.code, 'PROVIDER_MODEL_UNSUITABLE');
        assert.match(String(detail(failure, 'reason')), reason);
        assert.equal(detail(failure, 'level'), 'call');
        writeModel(folder, smallModel());
        await vectorOf(capability, 'harbour');
      }));
  }

  test('is unsuitable if a file is missing or a folder, or the folder is a file', () =>
    withModel(smallModel(), async ({ capability, folder }) => {
      for (const name of ['model.safetensors', 'tokenizer.json', 'config.json']) {
        rmSync(join(folder, name));
        const failure = await failureOf(capability);
        assert.deepEqual(
          [failure.code, detail(failure, 'reason')],
          ['PROVIDER_MODEL_UNSUITABLE', `its folder has no ${name}`],
        );
        mkdirSync(join(folder, name));
        assert.equal(detail(await failureOf(capability), 'reason'), `its ${name} is not a file`);
        rmSync(join(folder, name), { recursive: true });
        writeModel(folder, smallModel());
      }
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
      assert.equal(detail(await failureOf(capability), 'reason'), 'it is not a folder');
    }));
});

suite('a model without permission', () => {
  const child = join(import.meta.dirname, 'denied-child.ts');
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const canStart = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', child], identity).status === 0;
  const skip =
    process.platform === 'win32'
      ? 'Windows has other permissions'
      : !canStart && 'no other user may read this checkout';

  test('is unavailable, with the errno', { skip }, () =>
    withModel(smallModel(), async ({ folder }) => {
      chmodSync(dirname(folder), 0o755);
      const codesAfter = (path: string): string => {
        chmodSync(path, 0o000);
        const { stdout, stderr } = spawnSync(process.execPath, [child, folder], { ...identity, encoding: 'utf8' });
        chmodSync(path, 0o755);
        return stdout || stderr;
      };
      assert.equal(codesAfter(join(folder, 'tokenizer.json')), 'PROVIDER_UNAVAILABLE EACCES');
      assert.equal(codesAfter(folder), 'PROVIDER_UNAVAILABLE EACCES');
    }),
  );
});

suite('the probe of a model2vec model', () => {
  test('reads only the header while the model is not loaded', () =>
    withModel(smallModel(), async ({ probe, capability, folder }) => {
      const { ok, levels = [] } = await probe(never);
      assert.deepEqual([ok, levels.map((level) => level.ok)], [true, [true, true, 'unknown']]);
      assert.equal(levels[1]?.detail, `${smallModel().tokens.length} rows of 32 dimensions`);
      assert.equal(await capability.loaded(never), false);
      assert.doesNotMatch(JSON.stringify(levels), new RegExp(dirname(folder)));
    }));

  test('embeds sample sentences once it is loaded', () =>
    withModel(smallModel(), async ({ probe, capability }) => {
      await capability.warmUp(never);
      const { levels = [] } = await probe(never);
      assert.deepEqual(levels.at(-1), { level: 'answers', ok: true, detail: 'embeds 3 of 3 sample sentences' });
    }));

  test('names the level that fails', () =>
    withModel(smallModel(), async ({ probe, folder }) => {
      writeFileSync(join(folder, 'model.safetensors'), 'short');
      const { ok, levels = [], failure } = await probe(never);
      assert.deepEqual(
        [ok, levels.map((level) => [level.level, level.ok])],
        [
          false,
          [
            ['reachable', true],
            ['model', false],
          ],
        ],
      );
      assert.equal(failure?.code, 'PROVIDER_MODEL_UNSUITABLE');
    }));
});
