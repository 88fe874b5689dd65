// Reports the state of the server and its index, even if parts of it fail.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import { isPoorFit, keptFit, type ModelFit } from '../../contracts/model-fit.ts';
import type { Store, StoreCounts } from '../../contracts/store.ts';
import { type CallContext, defineTool, type ServerReport } from '../../contracts/tool.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { errorView, failedChunkView, generationView, indexView, jobView } from './index-view.ts';

/** The maximum number of files, and of chunks. */
const QUARANTINE_SAMPLES = 50;
const RECENT_JOBS = 5;
const NO_NOTES = { limit: 0, offset: 0 };
/** The limit of everything that is asked of the store: an answer without it says soon why it is missing. */
const MAX_STORE_MS = 10_000;

export const status = defineTool({
  name: 'status',
  title: 'Server status',
  summary:
    'Reports what this server can do with the notes: access, features that are off and the setting for each, state of the index, files that could not be read, recent failures.',
  words: 'health, diagnostics',
  effect: 'reads',
  across: [],
  needs: ['store', 'indexer'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async (_input, granted, call) => {
    const parts = partsOf(granted, call);
    // A part that fails is reported as unavailable: only a batch may turn an error into data.
    const { succeeded, failed } = await runBatch(Object.keys(parts), call.signal, async (part) => parts[part]?.(), {
      endsAll: ({ category }) => category === 'store',
    });
    const damage = failed.find(({ error }) => error.code === 'STORE_CORRUPT')?.error;
    if (damage !== undefined)
      call.warn({ code: 'INDEX_DAMAGED', message: `every other call fails with STORE_CORRUPT: ${damage.hint}` });
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
  const limited = limitedStore(call);
  let reported: Promise<ServerReport> | undefined;
  const report = (): Promise<ServerReport> => {
    reported ??= call.report();
    return reported;
  };
  return {
    server: report,
    index: async () => ({ index: indexView(indexer.state()) }),
    jobs: async () => ({ jobs: indexer.jobs().slice(0, RECENT_JOBS).map(jobView) }),
    counts: async () => {
      const counts = await limited((signal) => store.counts(signal));
      const { total } = await limited((signal) =>
        store.listNotes({ excluded: 'only' }, 'name', 'asc', NO_NOTES, signal),
      );
      return { counts: { ...countsView(counts), ...(total > 0 && { excluded: total }) } };
    },
    embedding: async () => {
      const generations = await limited((signal) => store.generations(signal));
      const { embedJob } = indexer.state();
      const [outcome] = await Promise.allSettled([report()]);
      const present = outcome.status === 'fulfilled' ? outcome.value.capabilities.present : [];
      const rows: object[] = [];
      for (const one of generations) {
        const row = generationView(one, embedJob, isMismatched(one, generations, present, embedJob));
        const fit = one.state === 'previous' ? undefined : await limited((signal) => keptFit(one, store, signal));
        rows.push(fit === undefined ? row : { ...row, fit: fitView(fit) });
      }
      return rows.length === 0 && embedJob === undefined ? {} : { embedding: rows };
    },
    quarantine: () => limited((signal) => quarantineOf(store, signal)),
  };
}

/** Asks the store, in all within one limit that begins with the first question. */
function limitedStore(call: CallContext): <T>(ask: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  let late: AbortSignal | undefined;
  return async (ask) => {
    late ??= AbortSignal.timeout(MAX_STORE_MS);
    try {
      return await ask(AbortSignal.any([call.signal, late]));
    } catch (thrown) {
      if (call.signal.aborted || !late.aborted) throw thrown;
      const server = (await isDatabaseServer(call)) ? { config_key: 'providers.store' } : {};
      throw new VaultgraphError('STORE_BUSY', { op: 'status', waited_ms: MAX_STORE_MS, unfinished: true, ...server });
    }
  };
}

async function isDatabaseServer(call: CallContext): Promise<boolean> {
  const { present } = (await call.report()).capabilities;
  return present.some(({ capability, type }) => capability === 'store' && type !== 'sqlite');
}

function fitView(fit: ModelFit): object {
  const { english: _, notes: __, ...shown } = fit;
  return { ...shown, ...(isPoorFit(fit) && { poor: true }) };
}

/** Whether the active vectors are not those of the provider: the config names another model, or its model has changed. */
function isMismatched(
  { role, state, fingerprint }: Generation,
  generations: readonly Generation[],
  present: ServerReport['capabilities']['present'],
  embedJob: IndexJob | undefined,
): boolean {
  if (state !== 'active') return false;
  const name = role === 'main' ? 'embedding' : 'embedding.fallback';
  const provider = present.find(({ capability }) => capability === name);
  const isOther =
    provider !== undefined && (provider.type !== fingerprint.provider || provider.model !== fingerprint.model);
  const isReplaced = generations.some(
    (other) => other.role === role && other.state === 'building' && other.fingerprint.model === provider?.model,
  );
  return isOther || isReplaced || (role === 'main' && embedJob?.error?.code === 'EMBEDDER_MISMATCH');
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
