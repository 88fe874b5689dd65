// `node test/bench/embed-throughput.ts`: embeds notes through fake servers of different costs, and prints how near it comes to the best size of requests.
import assert from 'node:assert/strict';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import { startOllama } from '../fakes/ollama-server.ts';
import { withIndex } from '../indexing/index-under-test.ts';
import { openOllama } from '../providers/ollama/ollama-under-test.ts';
import { timed } from './statistics.ts';

const NOTES = 2_000;
const WORDS = 50;
/** Milliseconds. */
const REQUEST_COSTS = [0, 20, 100];
const TOKEN_COSTS = [0.002, 0.02, 0.1];
const SIZES = [16, 64, 256];

interface Costs {
  readonly requestMs: number;
  readonly readMs: number;
}

type Change = (provider: EmbeddingProvider) => EmbeddingProvider;

/** @returns texts per second, and the requests that were sent */
async function measure(costs: Costs, change: Change): Promise<{ perSecond: number; requests: number }> {
  const server = await startOllama({ models: [{ ...costs, dims: 64, usage: () => undefined }] });
  const { capability } = await openOllama(server.origin, { document_prefix: '' });
  let ms = 0;
  try {
    await withIndex(
      async ({ folder, run, indexer }) => {
        for (let n = 0; n < NOTES; n += 1) folder.put(`${n}.md`, `word${n} `.repeat(WORDS));
        await run({ kind: 'catch_up' });
        ms = await timed(async () => {
          const job = await indexer.ended((await indexer.start({ kind: 'embed' })).id, new AbortController().signal);
          assert.equal(job.state, 'succeeded', String(job.error));
        });
      },
      { embedding: change(capability) },
    );
  } finally {
    await server.close();
  }
  return { perSecond: (NOTES / ms) * 1_000, requests: server.requestsTo('/api/embed').length };
}

const fixedTo =
  (items: number): Change =>
  (provider) => ({ ...provider, batch: { items, characters: items * 2_000 } });

process.stdout.write(`texts per second, of ${NOTES} texts of ${WORDS} words\n`);
process.stdout.write(
  `ms/request  ms/token  ${SIZES.map((size) => `${size} each`.padStart(9)).join('')}  adaptive  share of best\n`,
);
for (const requestMs of REQUEST_COSTS)
  for (const readMs of TOKEN_COSTS) {
    const fixed: number[] = [];
    for (const size of SIZES) fixed.push((await measure({ requestMs, readMs }, fixedTo(size))).perSecond);
    const { perSecond, requests } = await measure({ requestMs, readMs }, (provider) => provider);
    const share = Math.round((perSecond / Math.max(...fixed)) * 100);
    const figures = [...fixed.map((each) => each.toFixed(0).padStart(9)), perSecond.toFixed(0).padStart(10)].join('');
    process.stdout.write(
      `${String(requestMs).padStart(10)}${String(readMs).padStart(10)}  ${figures}${String(share).padStart(13)} % (${requests} requests)\n`,
    );
  }
