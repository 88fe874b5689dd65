// Runs a job that begins with a few notes, before the vault is listed: also a process that soon ends again leaves something to the next one.
import type { NotePath } from '../../base/note.ts';
import { errorOf, outcomeOf } from '../../base/outcome.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import { isNote } from './comparison.ts';
import { JobRecord } from './job-record.ts';
import { type JobParts, knownOf, runJob } from './run-job.ts';

/** So few are parsed without a thread, which would have to start first. */
const FIRST = 8;
const NEXT = 64;

/** Does what `runJob` does, and begins as usual once a scan has been completed. */
export async function runFromFirstNotes(job: JobRecord, parts: JobParts): Promise<readonly string[]> {
  const paths = job.request.kind === 'catch_up' ? await firstNotes(parts, job.lateSignal) : [];
  const failures: IndexJob['failures'][number][] = [];
  for (const some of [paths.slice(0, FIRST), paths.slice(FIRST)])
    if (some.length > 0) failures.push(...(await indexFirst(some, job, parts)).failures);
  const failed = new Set(failures.map(({ id }) => id));
  const left = await runJob(job, parts, new Set<string>(paths.filter((path) => !failed.has(path))));
  // Most of the others have been read again.
  const counted = new Set(job.snapshot().failures.map(({ id }) => id));
  const others = failures.filter(({ id }) => !counted.has(id));
  job.addFailures(others);
  for (const count of ['changed', 'done', 'failed'] as const) job.counts[count] += others.length;
  return left;
}

/** Notes that are known and not indexed, or some that are not known. An index that is not ready is met again by the job. */
async function firstNotes({ vault, store }: JobParts, signal: AbortSignal): Promise<readonly NotePath[]> {
  const progress = await outcomeOf(store.progress(signal));
  if ('error' in progress || progress.value.scannedAt !== null) return [];
  // An index in place of another refuses these reads until its first scan is complete.
  if ((await errorOf(store.notes([], signal))) !== undefined) return [];
  const { files, quarantine } = await knownOf(await store.fileStates(signal), store, signal);
  const isLeft = (file: FileState): boolean => isNote(file) && file.hash === null && !quarantine.has(file.path);
  const left = [...files.values()].filter(isLeft).slice(0, FIRST + NEXT);
  return left.length > 0
    ? left.map(({ path }) => path)
    : vault.listSome(FIRST + NEXT, new Set([...files.keys(), ...quarantine.keys()]), signal);
}

async function indexFirst(paths: readonly NotePath[], job: JobRecord, parts: JobParts): Promise<IndexJob> {
  const first = new JobRecord({ kind: 'notes', paths, hinted: true });
  const interrupt = (): void => first.interrupt(job.lateSignal.reason);
  job.lateSignal.addEventListener('abort', interrupt, { once: true });
  await runJob(first, parts).finally(() => job.lateSignal.removeEventListener('abort', interrupt));
  job.signal.throwIfAborted();
  return first.snapshot();
}
