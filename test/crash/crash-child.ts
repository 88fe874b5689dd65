// Runs one kind of index work to its end in a child process that a test may kill.
import { appendFileSync } from 'node:fs';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import { fakeEmbedding } from '../fakes/embedding.ts';
import { openIndex, signal } from '../indexing/index-under-test.ts';
import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';

const [outside = '', dataFolder = '', kind = 'catch_up', digest = 'sha256:one', log = ''] = process.argv.slice(2);
const fake = fakeEmbedding({ digest });
const provider: EmbeddingProvider = {
  ...fake.provider,
  embed: (inputs, ...more) => {
    appendFileSync(log, `${JSON.stringify(inputs.map(({ text }) => text))}\n`);
    return fake.provider.embed(inputs, ...more);
  },
};
const { indexer, run, close } = await openIndex(vaultFolderAt(outside), dataFolder, { embedding: provider });
const job = await run({ kind: kind as 'catch_up' | 'rebuild', confirmed: true, renewVectors: true });
const begun = indexer.jobs().find((one) => one.kind === 'embed' && one.startedAt >= job.startedAt);
const embed = begun === undefined ? undefined : await indexer.ended(begun.id, signal);
process.stdout.write(`${job.state} ${job.error?.code ?? '-'} ${embed?.state ?? '-'} ${embed?.error?.code ?? '-'}\n`);
await close();
