// Starts, follows or cancels a job that brings the index up to date.
import * as z from 'zod';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Indexer, IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { locateNote, RESOLVE_FAILURES, readPart } from '../notes/note-reference.ts';
import { jobView } from './index-view.ts';
import { throwIfFailed, waitForJob } from './job-wait.ts';

const MAX_WAIT_MS = 45_000;
/** Reserved for the answer if the call has less time than `wait_ms`. */
const ANSWER_MS = 1_000;

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1).optional().describe('only these; default all'),
  rebuild: z.boolean().default(false).describe('from nothing; needs confirm'),
  confirm: z.boolean().default(false).describe('allow a rebuild or mass deletion'),
  job_id: z.string().min(1).optional().describe('job to follow'),
  wait_ms: z.int().min(0).max(MAX_WAIT_MS).default(2_000).describe('milliseconds to wait'),
  cancel: z.boolean().default(false).describe('cancel job_id'),
});
type Args = z.infer<typeof input>;

export const reindex = defineTool({
  name: 'reindex',
  title: 'Update the index',
  summary: 'Brings the index up to date, which it also does by itself; follows or cancels a job. Returns its state.',
  words: 'refresh, stale results',
  effect: 'writes',
  references: ['notes'],
  needs: ['store', 'vault', 'indexer'],
  index: 'none',
  fails: [
    'INVALID_INPUT',
    'CONFIRMATION_REQUIRED',
    'JOB_NOT_FOUND',
    'INDEX_CONFLICT',
    'INDEX_JOB_FAILED',
    ...RESOLVE_FAILURES,
  ],
  input,
  run: async (args, granted, call) => {
    checkCombination(args);
    const id = args.job_id ?? (await start(args, granted, call));
    if (args.cancel) return jobView(await granted.indexer.cancel(id, call.signal));
    const until = performance.now() + Math.max(0, Math.min(args.wait_ms, call.msLeft() - ANSWER_MS));
    const job = await follow(granted.indexer, id, until, call);
    throwIfElsewhere(job);
    throwIfFailed(job);
    const embedJob = await followEmbedJob(job, granted.indexer, until, call);
    for (const one of [job, embedJob]) if (one?.kind === 'embed') warnOf(one, call);
    return { ...jobView(job), ...(embedJob === undefined ? {} : { embedding: jobView(embedJob) }) };
  },
});

/** Follows the embed job that an index job starts; its failure does not fail the call. */
async function followEmbedJob(
  { kind, state }: IndexJob,
  indexer: Indexer,
  until: number,
  call: CallContext,
): Promise<IndexJob | undefined> {
  if (state !== 'succeeded' || kind === 'embed' || kind === 'pull') return undefined;
  const job = indexer.jobs().find((one) => one.kind === 'embed');
  return job && follow(indexer, job.id, until, call);
}

function warnOf({ id, state, counts, chunks, error }: IndexJob, call: CallContext): void {
  if (chunks !== undefined && chunks.failed > 0) {
    const message = `${chunks.failed} chunks could not be embedded; status lists them`;
    call.warn({ code: 'QUARANTINED', message, count: chunks.failed });
  }
  if (error === undefined) return;
  const count = Math.max(0, counts.changed - counts.done);
  const message = `the vectors are not up to date: embed job ${id} ${state} with [${error.code}] ${error.message}`;
  call.warn({ code: 'INDEX_PENDING', message, ...(count === 0 ? {} : { count }) });
}

/** The pairs of arguments that contradict each other. */
function checkCombination(args: Args): void {
  const { job_id, cancel, rebuild, confirm, notes } = args;
  const names = Object.keys(input.shape);
  const refusal = (path: string, rule: string) => inputRefusal('reindex', names, { path, rule });
  if (cancel && job_id === undefined) throw refusal('cancel', 'needs the job_id of the job to cancel');
  if (job_id !== undefined && (rebuild || confirm || notes !== undefined)) {
    throw refusal('job_id', 'follows a job that runs; it goes with wait_ms or cancel only');
  }
  if (notes !== undefined && (rebuild || confirm)) throw refusal('notes', 'does not go with rebuild or confirm');
}

async function start(args: Args, granted: Granted<'store' | 'vault' | 'indexer'>, call: CallContext): Promise<string> {
  if (args.rebuild && !args.confirm) throw unconfirmed(granted.indexer);
  return (await granted.indexer.start(await requestOf(args, granted, call))).id;
}

function unconfirmed(indexer: Indexer): VaultgraphError {
  const affected = [`the index of ${indexer.state().indexed} notes, which is rebuilt`];
  return new VaultgraphError('CONFIRMATION_REQUIRED', { operation: 'reindex with rebuild', affected });
}

async function requestOf(
  { notes, rebuild, confirm }: Args,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<IndexRequest> {
  // `confirm` allows the rebuild; it does not allow a missing vault to count as an empty one.
  if (rebuild) return { kind: 'rebuild', renewVectors: true };
  if (notes === undefined) return { kind: 'catch_up', confirmed: confirm, renewVectors: true };
  const paths = [];
  for (const reference of notes) {
    const { path, part } = await locateNote(reference, 'notes', granted, call);
    if (part.kind !== 'whole') await readPart(path, part, 'notes', granted.vault, call);
    paths.push(path);
  }
  return { kind: 'notes', paths };
}

/** The job once it has ended or the wait is over, whichever comes first. @param until in the time of `performance.now()` */
async function follow(indexer: Indexer, id: string, until: number, call: CallContext): Promise<IndexJob> {
  await waitForJob(indexer, { id }, Math.max(0, until - performance.now()), progressOf, call);
  const jobs = indexer.jobs();
  const job = jobs.find((one) => one.id === id);
  if (job === undefined)
    throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: jobs.slice(0, 5).map((one) => one.id) });
  return job;
}

/** The job was started before this process learned that another one leads. */
function throwIfElsewhere({ error }: IndexJob): void {
  if (error?.code === 'INDEX_CONFLICT') throw repeatFailure(error);
}

/** The phase, with the wait for a retry if there is one. */
function progressOf({ phase, waiting }: IndexJob): string {
  return waiting === undefined ? phase : `${phase}: [${waiting.code}], next try in ${waiting.wait_ms} ms`;
}
