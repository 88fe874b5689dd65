// The ONNX provider on real folders with the real library: the contract, and each way in which a model can fail.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { createModelThread } from '../../../src/providers/onnx/loaded-model.ts';
import { onnxProvider } from '../../../src/providers/onnx/onnx-provider.ts';
import { runtimeFolder } from '../../../src/providers/onnx/runtime.ts';
import { inputs, isSameVector, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import { embeddingLaws } from '../../contracts/embedding.ts';
import { smallModel } from '../../fakes/model2vec-folder.ts';
import { linkRuntime, type OnnxToWrite, writeOnnxModel } from '../../fakes/onnx-folder.ts';
import { until } from '../../until.ts';

async function openModel(written: OnnxToWrite = {}, section: object = {}) {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-model-'));
  const folder = join(root, 'tiny-model');
  writeOnnxModel(folder, written);
  linkRuntime(folder);
  const config = onnxProvider.config.parse({ model: folder, ...section });
  const context = { vaultRoot: folder, dataFolder: folder, stateFolder: folder, log: () => undefined };
  const opened = await onnxProvider.open(config, context, never);
  const remove = async (): Promise<void> => {
    await opened.close();
    rmSync(root, { recursive: true });
  };
  return { ...opened, folder, remove };
}

async function withModel(
  written: OnnxToWrite,
  check: (opened: Awaited<ReturnType<typeof openModel>>) => Promise<void>,
  section: object = {},
): Promise<void> {
  const opened = await openModel(written, section);
  try {
    await check(opened);
  } finally {
    await opened.remove();
  }
}

const SECTIONS = {
  'without prefixes': {},
  'with prefixes': { query_prefix: 'question: ', document_prefix: 'title: {title} | text: ' },
};

for (const [name, section] of Object.entries(SECTIONS))
  embeddingLaws(
    `the onnx provider ${name}`,
    async () => {
      const long = { 'config.json': '{"max_position_embeddings":4096}' };
      const { capability: provider, folder, remove } = await openModel({ files: long }, section);
      const runtime = runtimeFolder(folder);
      return {
        provider,
        fail: () => renameSync(folder, `${folder}-away`),
        heal: () => renameSync(`${folder}-away`, folder),
        close: async () => {
          assert.ok(runtime.includes('onnxruntime'));
          await remove();
        },
      };
    },
    { findsRelated: true },
  );

async function failureOf(provider: EmbeddingProvider, text = 'secret harbour'): Promise<VaultgraphError> {
  const [ended] = await Promise.allSettled([provider.embed(inputs(text), 'query', newCall(), never)]);
  assert.ok(ended.status === 'rejected' && ended.reason instanceof VaultgraphError, 'it did not fail');
  const { message, hint, details } = ended.reason;
  assert.doesNotMatch(JSON.stringify([message, details]), /secret|vaultgraph-model-/);
  assert.ok(hint !== '');
  return ended.reason;
}

suite('an ONNX model', () => {
  test('pools as its own files say', async () => {
    const vectors: Float32Array[] = [];
    for (const mode of ['mean_tokens', 'cls_token', 'lasttoken'])
      await withModel({ pooling: { [`pooling_mode_${mode}`]: true } }, async ({ capability }) => {
        vectors.push(await vectorOf(capability, 'harbour garden'));
      });
    const { tokens, rows } = smallModel();
    const unit = (row: readonly number[]) => Float32Array.from(row, (number) => number / Math.hypot(...row));
    const [harbour = [], garden = []] = ['harbour', 'garden'].map((word) => rows[tokens.indexOf(word)]);
    const expected = [harbour.map((number, at) => number + (garden[at] as number)), harbour, garden].map(unit);
    for (const [at, vector] of vectors.entries())
      assert.ok(isSameVector(vector, expected[at] as Float32Array), `${at}`);
  });

  test('takes prefixes and context from its own files', () => {
    const files = {
      'config_sentence_transformers.json': '{"prompts":{"query":"find: ","passage":"note: "}}',
      'sentence_bert_config.json': '{"max_seq_length":8}',
    };
    return withModel({ files }, async ({ capability }) => {
      const { queryPrefix, documentPrefix, truncation, digest } = await capability.identify(newCall(), never);
      assert.deepEqual([queryPrefix, documentPrefix, truncation], ['find: ', 'note: ', 'refused']);
      assert.match(digest ?? '', /^[\da-f]{32}$/);
      assert.equal(capability.contextTokens, 8);
      const call = newCall();
      const given = inputs('garden', 'garden '.repeat(9), 'harbour');
      const { succeeded, failed } = await capability.embed(given, 'query', call, never);
      assert.deepEqual(
        succeeded.map(({ id }) => id),
        ['text 0', 'text 2'],
      );
      assert.deepEqual(
        failed.map(({ error }) => error.code),
        ['PROVIDER_INPUT_TOO_LONG'],
      );
      assert.ok((call.trace.tokens ?? 0) > 10);
    });
  });

  test('whose files leave pooling, prefixes and context open is used as is known of its name', () => {
    const files = { '1_Pooling/config.json': undefined };
    const written = { files: { ...files, 'config.json': '{"_name_or_path":"intfloat/multilingual-e5-small"}' } };
    return withModel(written, async ({ capability }) => {
      const { queryPrefix, documentPrefix } = await capability.identify(newCall(), never);
      assert.deepEqual([queryPrefix, documentPrefix, capability.contextTokens], ['query: ', 'passage: ', 512]);
      await vectorOf(capability, 'harbour');
    });
  });

  test('is loaded again, as another model, when its files change', () =>
    withModel({}, async ({ capability, folder }) => {
      const before = await capability.identify(newCall(), never);
      const vector = await vectorOf(capability, 'harbour');
      writeOnnxModel(folder, { model: smallModel(32, 'other weights') });
      assert.notEqual((await capability.identify(newCall(), never)).digest, before.digest);
      assert.ok(!isSameVector(vector, await vectorOf(capability, 'harbour')));
    }));

  test('fails for one text whose vector is not finite or zero, and embeds the others', () => {
    const { tokens, rows } = smallModel();
    const broken = rows.map((row, at) =>
      row.map((number) => (at === tokens.indexOf('bread') ? Number.NaN : at === tokens.indexOf('lamp') ? 0 : number)),
    );
    return withModel({ model: { tokens: [...tokens, 'orphan'], rows: broken } }, async ({ capability }) => {
      const { succeeded, failed } = await capability.embed(
        inputs('harbour', 'bread', 'lamp', 'garden', 'orphan'),
        'document',
        newCall(),
        never,
      );
      assert.deepEqual(
        succeeded.map(({ id }) => id),
        ['text 0', 'text 3'],
      );
      assert.deepEqual(
        failed.map(({ id, error: { code, details } }) => [id, code, (details as { received?: string }).received]),
        [
          ['text 1', 'PROVIDER_BAD_RESPONSE', 'a vector that is not finite'],
          ['text 2', 'PROVIDER_BAD_RESPONSE', 'a vector of zeros'],
          ['text 4', 'PROVIDER_BAD_RESPONSE', 'a token that the network does not know'],
        ],
      );
    });
  });
});

suite('an ONNX model that cannot be used', () => {
  const cases: Record<string, readonly [written: OnnxToWrite, reason: RegExp]> = {
    'weights that are none': [{ files: { 'onnx/model.onnx': 'no protocol buffer' } }, /cannot load its weights/],
    'weights cut off': [{ files: { 'onnx/model.onnx': Buffer.alloc(300, 10) } }, /cannot load its weights: No graph/],
    'an opset of the future': [{ opset: 999 }, /cannot load its weights: ONNX Runtime .*Opset 999/],
    'an input of another kind': [{ input: 'pixel_values' }, /an input pixel_values/],
    'no weights': [{ files: { 'onnx/model.onnx': undefined } }, /has no onnx\/model_quantized\.onnx/],
    'no tokenizer': [{ files: { 'tokenizer.json': undefined } }, /has no tokenizer\.json/],
    'a tokenizer that is no JSON': [{ files: { 'tokenizer.json': '{' } }, /its tokenizer\.json cannot be read/],
    'no pooling': [{ files: { '1_Pooling/config.json': undefined } }, /has no 1_Pooling\/config\.json/],
    'two poolings': [{ pooling: { pooling_mode_mean_tokens: true, pooling_mode_cls_token: true } }, /names not one of/],
    'an unknown pooling': [{ pooling: { pooling_mode_max_tokens: true } }, /names not one of/],
    'no context': [{ files: { 'config.json': '{}' } }, /names its context length/],
    'a further layer': [
      { files: { 'modules.json': '[{"type":"sentence_transformers.models.Dense"}]' } },
      /names a module Dense/,
    ],
  };

  for (const [name, [written, reason]] of Object.entries(cases))
    test(`is refused with the reason, until it is fixed: ${name}`, () =>
      withModel(written, async ({ capability, probe, folder }) => {
        const { code, details } = await failureOf(capability);
        assert.equal(code, 'PROVIDER_MODEL_UNSUITABLE');
        assert.match((details as { reason: string }).reason, reason);
        assert.equal((await probe(never)).levels?.[0]?.level, 'reachable');
        writeOnnxModel(folder);
        rmSync(join(folder, 'modules.json'), { force: true });
        await vectorOf(capability, 'harbour');
      }));

  test('is refused before it is loaded if it needs more memory than it may', () =>
    withModel(
      {},
      async ({ capability }) => {
        const { code, hint } = await failureOf(capability);
        assert.equal(code, 'PROVIDER_MODEL_UNSUITABLE');
        assert.match(hint, /providers\.embedding\.max_memory to \d+ or more/);
        assert.equal(await capability.loaded(never), false);
      },
      { max_memory: 64 },
    ));

  test('names the command if the library is missing or damaged', () =>
    withModel({}, async ({ capability, folder }) => {
      const runtime = runtimeFolder(folder);
      renameSync(runtime, `${runtime}-away`);
      const missing = await failureOf(capability);
      assert.match(missing.message, /is not installed beside it/);
      assert.match(missing.hint, /models add tiny-model --from FOLDER --replace/);
      renameSync(`${runtime}-away`, runtime);
      rmSync(join(runtime, 'ort.wasm.bundle.min.mjs'));
      writeFileSync(join(runtime, 'ort.wasm.bundle.min.mjs'), 'export {};');
      assert.match((await failureOf(capability)).message, /is damaged/);
    }));
});

suite('the thread of an ONNX model', () => {
  const LONG = 'garden '.repeat(1_000_000);

  test('is ended when a text goes on after its call ended, and the next call loads the model again', () =>
    withModel({}, async ({ folder }) => {
      const model = createModelThread({ model: folder, max_memory: 2_048 }, { idleMs: 600_000, graceMs: 10 });
      const loaded = await model.load(never);
      const stop = new AbortController();
      const running = model.ask(loaded, { kind: 'embed', text: LONG }, stop.signal);
      await turn();
      stop.abort(new Error('gone'));
      await assert.rejects(running, stop.signal.reason);
      await until(() => !loaded.thread.isAlive, 'the end of the thread');
      const again = await model.load(never);
      assert.equal((await model.ask(again, { kind: 'embed', text: 'garden' }, never)).kind, 'vector');
      model.close();
    }));

  test('ends ten minutes after the last text', (context) =>
    withModel({}, async ({ folder }) => {
      const model = createModelThread({ model: folder, max_memory: 2_048 });
      const loaded = await model.load(never);
      context.mock.timers.enable({ apis: ['setTimeout'] });
      context.mock.timers.tick(599_999);
      await model.ask(loaded, { kind: 'embed', text: 'garden' }, never);
      context.mock.timers.tick(599_999);
      await model.ask(loaded, { kind: 'embed', text: 'garden' }, never);
      context.mock.timers.tick(600_000);
      context.mock.timers.reset();
      await until(() => !loaded.thread.isAlive, 'the end of the thread');
      assert.equal(model.isLoaded(), false);
      assert.equal((await model.ask(await model.load(never), { kind: 'embed', text: 'garden' }, never)).kind, 'vector');
      model.close();
    }));

  test('ends with the provider, also while it loads', () =>
    withModel({}, async ({ capability, close }) => {
      const call = newCall();
      const running = capability.embed(inputs('harbour'), 'query', call, never);
      while (call.trace.phase !== 'load') await turn();
      await close();
      await assert.rejects(running, { code: 'SHUTTING_DOWN' });
    }));
});
