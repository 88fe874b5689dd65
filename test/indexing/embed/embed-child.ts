// Indexes and embeds a vault and records every text that it sends; a child process of tests.
import { appendFileSync } from 'node:fs';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { vaultFolderAt } from '../../providers/filesystem/vault-folder.ts';
import { embedEnded, openIndex } from '../index-under-test.ts';

const [outside = '', log = '', digest = '', renews] = process.argv.slice(2);
const fake = fakeEmbedding({ delayMs: 5, digest });
const provider: EmbeddingProvider = {
  ...fake.provider,
  embed: (inputs, ...more) => {
    appendFileSync(log, `${JSON.stringify(inputs.map(({ text }) => text))}\n`);
    return fake.provider.embed(inputs, ...more);
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
