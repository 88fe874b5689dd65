// The ONNX reranker on real folders with the real library: the contract, its time, and each way in which a cross-encoder can fail.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { onnxProvider } from '../../../src/providers/onnx/onnx-provider.ts';
import { onnxRerankProvider } from '../../../src/providers/onnx/rerank-provider.ts';
import { inputs, never, newCall } from '../../contracts/embedding/law.ts';
import { failureOf, rerank } from '../../contracts/rerank/law.ts';
import { rerankLaws } from '../../contracts/rerank.ts';
import { linkRuntime, type OnnxToWrite, writeOnnxModel } from '../../fakes/onnx-folder.ts';

/** The score of a pair is the mean of these over all its tokens, those of the query counted as 0. */
const POINTS = { '[UNK]': 0, tide: 8, turn: 4, garden: -4, broken: Number.NaN, '.': 0 };
const WORDS = { tokens: Object.keys(POINTS), rows: Object.values(POINTS).map((points) => [points]) };
const READS_512 = '{"max_position_embeddings":512}';
/** As long as a test may take: no test depends on the speed of the machine. */
const NO_HURRY = 290_000;

async function openReranker(written: OnnxToWrite = {}, section: object = {}) {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-model-'));
  const folder = join(root, 'tiny-judge');
  writeOnnxModel(folder, { pairs: true, model: WORDS, ...written });
  linkRuntime(folder);
  const config = onnxRerankProvider.config.parse({ model: folder, within: NO_HURRY, ...section });
  const context = { vaultRoot: folder, dataFolder: folder, stateFolder: folder, log: () => undefined };
  const { capability: provider, probe, close } = await onnxRerankProvider.open(config, context, never);
  const remove = async (): Promise<void> => {
    await close();
    rmSync(root, { recursive: true });
  };
  return { provider, probe, folder, context, remove };
}

async function withReranker(
  check: (opened: Awaited<ReturnType<typeof openReranker>>) => Promise<void>,
  ...how: Parameters<typeof openReranker>
): Promise<void> {
  const opened = await openReranker(...how);
  try {
    await check(opened);
  } finally {
    await opened.remove();
  }
}

rerankLaws('the onnx reranker', async () => {
  const { provider, folder, remove } = await openReranker({ files: { 'config.json': READS_512 } });
  return {
    provider,
    fail: () => renameSync(folder, `${folder}-away`),
    heal: () => renameSync(`${folder}-away`, folder),
    close: remove,
  };
});

suite('a cross-encoder', () => {
  test('scores query and document as a pair, in the order of the documents', () =>
    withReranker(async ({ provider, probe }) => {
      assert.deepEqual(await rerank(provider, ['tide', 'garden turn garden', 'tide turn'], 'tide'), [4, -1, 4]);
      const many = await Promise.all(
        [1, 2, 3].map((words) => rerank(provider, ['tide', 'garden'], 'tide '.repeat(words))),
      );
      assert.deepEqual(
        many,
        [1, 2, 3].map((words) => [8, -4].map((points) => Math.fround(points / (words + 1)))),
      );
      const { ok, detail } = await probe(never);
      assert.deepEqual([ok, detail.includes('scores 2 texts')], [true, true]);
    }));

  test('reads the beginning of a pair that is too long, with its last token', () =>
    withReranker(
      async ({ provider }) => {
        assert.equal(provider.contextTokens, 8);
        assert.deepEqual(
          await rerank(provider, ['tide tide tide garden', `${'tide '.repeat(90)}garden`], 'turn'),
          [4, 5.5],
        );
      },
      { files: { 'sentence_bert_config.json': '{"max_seq_length":8}' } },
    ));

  test('scores the hits that its time is enough for, and the first one in any case', () =>
    withReranker(async ({ provider }) => {
      const documents = ['tide', 'garden', 'turn'];
      const late = { ...newCall(), msLeft: () => 0 };
      assert.deepEqual(await provider.rerank('turn', documents, late, never), [4]);
      assert.equal((await rerank(provider, documents)).length, 3);
    }));

  const cases: Record<string, readonly [OnnxToWrite, RegExp]> = {
    'a sentence transformer': [{ pairs: undefined as never }, /it is no cross-encoder/],
    'weights that are none': [{ files: { 'onnx/model.onnx': 'no protocol buffer' } }, /cannot load its weights/],
    'no weights': [{ files: { 'onnx/model.onnx': undefined } }, /has no onnx\/model_quantized\.onnx/],
    'no tokenizer': [{ files: { 'tokenizer.json': undefined } }, /has no tokenizer\.json/],
    'no context': [{ files: { 'config.json': '{}' } }, /names its context length/],
  };
  for (const [name, [written, reason]] of Object.entries(cases))
    test(`is refused with the reason: ${name}`, () =>
      withReranker(async ({ provider }) => {
        const { code, message } = await failureOf(rerank(provider));
        assert.equal(code, 'PROVIDER_MODEL_UNSUITABLE');
        assert.match(message, reason);
      }, written));

  test('is refused before it is loaded if it needs more memory than it may', () =>
    withReranker(
      async ({ provider }) => {
        assert.match((await failureOf(rerank(provider))).hint, /providers\.rerank\.max_memory to \d+ or more/);
        assert.equal(await provider.loaded(never), false);
      },
      {},
      { max_memory: 64 },
    ));

  test('fails with a score that is not a number, and scores the next request', () =>
    withReranker(async ({ provider }) => {
      const { code, hint } = await failureOf(rerank(provider, ['tide', 'broken']));
      assert.equal(code, 'PROVIDER_BAD_RESPONSE');
      assert.match(hint, /install the model again.*rerank: false/);
      assert.equal((await rerank(provider, ['tide'])).length, 1);
    }));

  test('makes no vectors: an embedding provider refuses it', () =>
    withReranker(async ({ folder, context }) => {
      const config = onnxProvider.config.parse({ model: folder });
      const { capability, close } = await onnxProvider.open(config, context, never);
      const [ended] = await Promise.allSettled([capability.embed(inputs('tide'), 'query', newCall(), never)]);
      await close();
      assert.ok(ended.status === 'rejected' && ended.reason instanceof VaultgraphError);
      assert.match(ended.reason.message, /has no 1_Pooling/);
    }));
});
