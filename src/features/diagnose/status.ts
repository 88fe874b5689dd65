// Reports the state of the server and its index, even if parts of it fail.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Store, StoreCounts } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { errorView, failedChunkView, generationView, indexView, jobView } from './index-view.ts';

/** The maximum number of files, and of chunks. */
const QUARANTINE_SAMPLES = 50;
const RECENT_JOBS = 5;

export const status = defineTool({
  name: 'status',
  summary: 'What this server can do, how fresh and complete its index is, and recent failures.',
  effect: 'reads',
  needs: ['store', 'indexer'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async (_input, granted, call) => {
    const parts = partsOf(granted, call);
    // A part that fails is reported as unavailable: only a batch may turn an error into data.
    const { succeeded, failed } = await runBatch(Object.keys(parts), call.signal, async (part) => parts[part]?.());
    return {
      ...Object.assign({}, ...succeeded.map(({ result }) => result)),
      ...(failed.length === 0
        ? {}
        : { unavailable: failed.map(({ id, error }) => ({ part: id, ...errorView(error) })) }),
    };
  },
});

function partsOf(
  { store, indexer }: Granted<'store' | 'indexer'>,
  call: CallContext,
): Record<string, () => Promise<object>> {
  return {
    server: () => call.report(),
    index: async () => ({ index: indexView(indexer.state()) }),
    counts: async () => ({ counts: countsView(await store.counts(call.signal)) }),
    embedding: async () => {
      const generations = await store.generations(call.signal);
      const { embedJob } = indexer.state();
      const rows = generations.map((generation) => generationView(generation, embedJob));
      return rows.length === 0 && embedJob === undefined ? {} : { embedding: rows };
    },
    quarantine: () => quarantineOf(store, call.signal),
    jobs: async () => ({ jobs: indexer.jobs().slice(0, RECENT_JOBS).map(jobView) }),
  };
}

/** Files first, then chunks that could not be embedded; the total counts both. */
async function quarantineOf(store: Store, signal: AbortSignal): Promise<object> {
  const page = { limit: QUARANTINE_SAMPLES, offset: 0 };
  const files = await store.quarantine(page, signal);
  const { quarantined } = await store.counts(signal);
  const current = (await store.generations(signal)).filter(({ state }) => state !== 'previous');
  const chunks: object[] = [];
  for (const generation of current) {
    const failed = await store.failedChunks(generation.id, page, signal);
    chunks.push(...failed.map((chunk) => failedChunkView(chunk, generation)));
  }
  const total = current.reduce((sum, { failedChunks }) => sum + failedChunks, quarantined);
  const samples = [...files, ...chunks.slice(0, QUARANTINE_SAMPLES)];
  return total === 0 ? {} : { quarantine: samples, quarantine_total: total };
}

function countsView({ scannedAt, ...counts }: StoreCounts): object {
  return { ...counts, ...(scannedAt === null ? {} : { scanned_at: scannedAt }) };
}
