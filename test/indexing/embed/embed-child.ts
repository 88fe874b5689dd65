// Indexes and embeds a vault and records every text that it sends; a child process of tests.
import { appendFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { onnxProvider } from '../../../src/providers/onnx/onnx-provider.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { vaultFolderAt } from '../../providers/filesystem/vault-folder.ts';
import { embedEnded, openIndex } from '../index-under-test.ts';

const [outside = '', log = '', made = '', renews] = process.argv.slice(2);

/** A model in this process for a folder, a fake for a digest. */
async function openProvider(): Promise<EmbeddingProvider> {
  if (!isAbsolute(made)) return fakeEmbedding({ delayMs: DELAY_MS, digest: made }).provider;
  const context = { vaultRoot: outside, dataFolder: outside, stateFolder: outside, log: () => undefined };
  const config = onnxProvider.config.parse({ model: made });
  return (await onnxProvider.open(config, context, new AbortController().signal)).capability;
}

const DELAY_MS = 5;
const opened = await openProvider();
const provider: EmbeddingProvider = {
  ...opened,
  embed: async (inputs, ...more) => {
    appendFileSync(log, `${JSON.stringify(inputs.map(({ text }) => text))}\n`);
    if (isAbsolute(made)) await sleep(DELAY_MS);
    return opened.embed(inputs, ...more);
  },
};
const { indexer, run, close } = await openIndex(vaultFolderAt(outside), undefined, { embedding: provider });
const report = (line: string): boolean => process.stdout.write(`${line}\n`);
await run({ kind: 'catch_up', renewVectors: renews !== undefined });
const { embedJob } = indexer.state();
if (embedJob !== undefined && embedJob.endedAt === undefined)
  void indexer.start({ kind: 'embed', onProgress: ({ counts }) => report(`embedding ${counts.done}`) });
report(`${(await embedEnded(indexer)).state}`);
await close();
process.exit();
