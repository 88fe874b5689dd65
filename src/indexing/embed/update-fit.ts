// Keeps up to date how well a model suits the notes, at the end of an embed job.
import { errorOf } from '../../base/outcome.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import { keepFit, keptFit } from '../../contracts/model-fit.ts';
import { newTrace } from '../../contracts/provider-call.ts';
import type { Generation } from '../../contracts/vectors.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { type FitParts, MAX_MEASURE_MS, measureFit } from './measure-fit.ts';

/** Fewer new or removed notes hardly change the result. */
const CHANGED_SHARE = 0.1;

/**
 * Measures again once a tenth of the notes was added or removed. All vectors are made by then, so a failure does not fail the job:
 * there is no result until the next time.
 * @throws the reason of the job's signal
 */
export async function updateFit(
  id: Generation['id'],
  provider: EmbeddingProvider,
  job: JobRecord,
  { store, vault }: Pick<FitParts, 'store' | 'vault'>,
): Promise<void> {
  const { signal } = job;
  const until = performance.now() + MAX_MEASURE_MS;
  const begin = () => ({
    priority: 'background' as const,
    msLeft: () => until - performance.now(),
    onWait: () => undefined,
    trace: newTrace(),
  });
  const update = async (): Promise<void> => {
    const generation = (await store.generations(signal)).find((one) => one.id === id);
    const kept = generation && (await keptFit(generation, store, signal));
    if (generation === undefined || (kept && !hasChanged(kept.notes, generation.embedded))) return;
    const fit = await measureFit({ provider, generation, store, vault, begin }, signal);
    if (fit !== undefined) await keepFit(generation, fit, store, signal);
  };
  await errorOf(update());
  signal.throwIfAborted();
}

const hasChanged = (before: number, now: number): boolean => Math.abs(now - before) > CHANGED_SHARE * before;
