// Starts, follows or cancels a job that brings the index up to date. Knows nothing of how a job works.
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { VaultgraphError } from '../base/errors.ts';
import type { Granted } from '../contracts/capability.ts';
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { type CallContext, defineTool } from '../contracts/tool.ts';
import { jobView } from '../queries/index-view.ts';
import { inputRefusal } from '../queries/input-refusal.ts';
import { locateNote } from '../queries/note-reference.ts';

const LONGEST_WAIT_MS = 45_000;
/** Left over for the answer itself when the call has less time than the wait asks for. */
const ANSWER_MS = 1_000;
const PROGRESS_MS = 500;

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1).optional(),
  rebuild: z.boolean().default(false),
  confirm: z.boolean().default(false).describe('allow a rebuild, or a mass deletion'),
  job_id: z.string().min(1).optional().describe('follow this job'),
  wait_ms: z.int().min(0).max(LONGEST_WAIT_MS).default(2_000),
  cancel: z.boolean().default(false),
});
type Given = z.infer<typeof input>;

export const reindex = defineTool({
  name: 'reindex',
  summary: 'Bring the index up to date with the vault, whole or for some notes; or follow or cancel such a job.',
  effect: 'reads',
  needs: ['store', 'vault', 'indexer'],
  index: 'none',
  fails: [
    'INVALID_INPUT',
    'CONFIRMATION_REQUIRED',
    'JOB_NOT_FOUND',
    'INDEX_CONFLICT',
    'INDEX_JOB_FAILED',
    'NOTE_NOT_FOUND',
    'NOTE_AMBIGUOUS',
    'PATH_NOT_ALLOWED',
    'VAULT_UNAVAILABLE',
  ],
  input,
  run: async (given, granted, call) => {
    checkCombination(given);
    const id = given.job_id ?? (await start(given, granted, call));
    const job = given.cancel ? granted.indexer.cancel(id) : await follow(granted.indexer, id, given.wait_ms, call);
    throwIfFailed(job);
    return jobView(job);
  },
});

/** A job that failed while its caller waited fails the call too; whether to try again is for its cause to say. */
function throwIfFailed({ id, phase, state, error }: IndexJob): void {
  if (state !== 'failed' || error === undefined) return;
  const details = { job_id: id, phase, cause: error.code, reason: error.message, advice: error.hint };
  throw new VaultgraphError('INDEX_JOB_FAILED', details, { cause: error, retry: error.retry });
}

/** The pairs of arguments that contradict each other. */
function checkCombination(given: Given): void {
  const { job_id, cancel, rebuild, confirm, notes } = given;
  const names = Object.keys(input.shape);
  const refusal = (path: string, rule: string) => inputRefusal('reindex', names, { path, rule });
  if (cancel && job_id === undefined) throw refusal('cancel', 'needs the job_id of the job to cancel');
  if (job_id !== undefined && (rebuild || confirm || notes !== undefined)) {
    throw refusal('job_id', 'follows a job that runs; it goes with wait_ms or cancel only');
  }
  if (notes !== undefined && (rebuild || confirm)) throw refusal('notes', 'does not go with rebuild or confirm');
}

async function start(
  given: Given,
  granted: Granted<'store' | 'vault' | 'indexer'>,
  call: CallContext,
): Promise<string> {
  if (given.rebuild && !given.confirm) throw unconfirmed(granted.indexer);
  return granted.indexer.start(await requestOf(given, granted, call)).id;
}

function unconfirmed(indexer: Indexer): VaultgraphError {
  const affected = [`the index of ${indexer.state().indexed} notes, which is built anew`];
  return new VaultgraphError('CONFIRMATION_REQUIRED', { operation: 'reindex with rebuild', affected });
}

async function requestOf(
  { notes, rebuild, confirm }: Given,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<IndexRequest> {
  // What was confirmed is to build anew, not to take a vault that is away for an empty one.
  if (rebuild) return { kind: 'rebuild' };
  if (notes === undefined) return { kind: 'catch_up', confirmed: confirm };
  const paths = [];
  for (const reference of notes) paths.push((await locateNote(reference, 'notes', granted, call.signal)).path);
  return { kind: 'notes', paths };
}

/** The job as it is once it ended or the wait is over, whichever comes first. */
async function follow(indexer: Indexer, id: string, waitMs: number, call: CallContext): Promise<IndexJob> {
  const over = new AbortController();
  const progress = setInterval(() => report(indexer, id, call), PROGRESS_MS);
  const longest = Math.max(0, Math.min(waitMs, call.msLeft() - ANSWER_MS));
  try {
    const ended = indexer.ended(id, AbortSignal.any([call.signal, over.signal]));
    const job = await Promise.race([ended, wait(longest, undefined, { signal: over.signal })]);
    return job ?? jobWith(indexer, id);
  } finally {
    clearInterval(progress);
    over.abort();
  }
}

function report(indexer: Indexer, id: string, call: CallContext): void {
  const job = indexer.jobs().find((one) => one.id === id);
  if (job !== undefined) call.progress(job.counts.done, job.counts.changed, job.phase);
}

function jobWith(indexer: Indexer, id: string): IndexJob {
  const jobs = indexer.jobs();
  const job = jobs.find((one) => one.id === id);
  if (job === undefined)
    throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: jobs.slice(0, 5).map((one) => one.id) });
  return job;
}
