// How the server and its index are: the one tool that answers while parts of it fail. Knows nothing of single notes.
import * as z from 'zod';
import { runBatch } from '../base/batch.ts';
import type { Granted } from '../contracts/capability.ts';
import type { StoreCounts } from '../contracts/store.ts';
import { type CallContext, defineTool } from '../contracts/tool.ts';
import { errorView } from '../queries/error-view.ts';
import { indexView, jobView } from '../queries/index-view.ts';

const QUARANTINE_SAMPLES = 20;
const RECENT_JOBS = 5;

export const status = defineTool({
  name: 'status',
  summary: 'What this server can do, how fresh and complete its index is, and what failed lately.',
  effect: 'reads',
  needs: ['store', 'indexer'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async (_input, granted, call) => {
    const parts = partsOf(granted, call);
    // A part that cannot be told is told as such: a batch is where an error may become data.
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
    quarantine: async () => {
      const page = { limit: QUARANTINE_SAMPLES, offset: 0 };
      const samples = await store.quarantine(page, call.signal);
      return samples.length === 0 ? {} : { quarantine: samples };
    },
    jobs: async () => ({ jobs: indexer.jobs().slice(0, RECENT_JOBS).map(jobView) }),
  };
}

function countsView({ scannedAt, ...counts }: StoreCounts): object {
  return { ...counts, ...(scannedAt === null ? {} : { scanned_at: scannedAt }) };
}
