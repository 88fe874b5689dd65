// `node test/bench/onnx-embedding.ts MODEL [TEXTS]`: embeds texts of 60 words with a model that `models add` installed, and the same tokens by its library alone, in turns; then questions.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import { openTokenizer } from '../../src/providers/model2vec/open-tokenizer.ts';
import { failuresIn } from '../../src/providers/onnx/loaded-model.ts';
import { filesOf } from '../../src/providers/onnx/model-settings.ts';
import { onnxProvider } from '../../src/providers/onnx/onnx-provider.ts';
import { RUNTIME, runtimeFolder } from '../../src/providers/onnx/runtime.ts';
import { inputs, never, newCall } from '../contracts/embedding/law.ts';

const [folder = '', count = '100'] = process.argv.slice(2);
/** Other programs take both parts of a turn alike. */
const TURN = 10;
const WORDS = 60;

/** Milliseconds of the processor, of all threads. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What runs tokens through the network, and nothing else. */
async function openAlone(): Promise<(ids: readonly number[]) => Promise<unknown>> {
  const runtime = await import(pathToFileURL(join(runtimeFolder(folder), RUNTIME.entry)).href);
  runtime.env.wasm.wasmBinary = await readFile(join(runtimeFolder(folder), RUNTIME.program));
  runtime.env.wasm.numThreads = 1;
  const [weights = ''] = (await filesOf(folder, failuresIn({ model: folder, max_memory: 0 }))) ?? [];
  const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all', logSeverityLevel: 4 };
  const session = await runtime.InferenceSession.create(await readFile(join(folder, weights)), options);
  const values: Readonly<Record<string, (id: number, at: number) => number>> = {
    input_ids: (id) => id,
    attention_mask: () => 1,
    token_type_ids: () => 0,
    position_ids: (_, at) => at,
  };
  return async (ids) => {
    const feeds = (session.inputNames as string[]).map((name) => {
      const data = BigInt64Array.from(ids, (id, at) => BigInt(values[name]?.(id, at) ?? 0));
      return [name, new runtime.Tensor('int64', data, [1, ids.length])];
    });
    return session.run(Object.fromEntries(feeds), { logSeverityLevel: 4 });
  };
}

async function openProvider(): Promise<EmbeddingProvider> {
  const context = { vaultRoot: folder, dataFolder: folder, stateFolder: folder, log: () => undefined };
  const config = onnxProvider.config.parse({ model: folder, query_prefix: '', document_prefix: '' });
  return (await onnxProvider.open(config, context, never)).capability;
}

const file = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8'));
const tokenizer = await openTokenizer(file);
const prose = await readFile(join(import.meta.dirname, '../../docs/searching.md'), 'utf8');
const words = prose.match(/\p{L}{2,20}/gu) ?? [];
const texts = Array.from({ length: Number(count) }, (_, at) =>
  Array.from({ length: WORDS }, (_, word) => words[(at * WORDS + word) % words.length]).join(' '),
);
const [alone, provider] = [await openAlone(), await openProvider()];
await provider.embed(inputs('warm'), 'document', newCall(), never);
await alone(tokenizer.encode('warm').ids.map(Number));
const sums = { alone: 0, ours: 0 };
for (let at = 0; at < texts.length; at += TURN) {
  const turn = texts.slice(at, at + TURN);
  const ids = turn.map((text) => tokenizer.encode(text).ids.map(Number));
  sums.ours += await cost(() => provider.embed(inputs(...turn), 'document', newCall(), never));
  sums.alone += await cost(async () => {
    for (const each of ids) await alone(each);
  });
}
const questions: number[] = [];
for (const text of texts.slice(0, 20)) {
  const question = text.split(' ').slice(0, 9).join(' ');
  questions.push(await cost(() => provider.embed(inputs(question), 'query', newCall(), never)));
}
questions.sort((one, other) => one - other);
const each = (sum: number): string => `${(sum / texts.length).toFixed(1)} ms of the processor for a text`;
process.stdout.write(
  [
    `${texts.length} texts of ${WORDS} words, ${folder}`,
    `the library alone   ${each(sums.alone)}`,
    `vaultgraph          ${each(sums.ours)}, ${(sums.ours / sums.alone).toFixed(2)} times (goal 1.3)`,
    `a question of nine words ${questions[10]?.toFixed(1)} ms (goal 30)`,
    '',
  ].join('\n'),
);
process.exit();
