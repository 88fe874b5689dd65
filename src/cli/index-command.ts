// `vaultgraph index`: brings the index and its vectors up to date and prints the result.
import type { VaultgraphError } from '../base/errors.ts';
import type { IndexJob } from '../contracts/indexer.ts';
import type { Store } from '../contracts/store.ts';
import type { FailedChunk } from '../contracts/vectors.ts';
import { embeddingEnded, runIndexJob } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

interface IndexOptions extends CommonOptions {
  readonly rebuild?: boolean;
  readonly confirm?: boolean;
}

/** The vectors after the command. */
interface Embedding {
  readonly job: IndexJob;
  readonly failed: readonly FailedChunk[];
}

const CHUNKS_PER_PAGE = 1_000;
/** How long to wait for a provider that does not answer at the start; one that goes away later is waited for longer. */
const PATIENCE_MS = 15_000;
const NEVER = new AbortController().signal;

export function runIndex(options: IndexOptions): Promise<number> {
  return withCore(options, async ({ indexer, store }) => {
    const kind = options.rebuild ? 'rebuild' : 'catch_up';
    const request = { kind, confirmed: options.confirm ?? false, retryFailed: true, patienceMs: PATIENCE_MS } as const;
    const job = await runIndexJob(indexer, request, options);
    if (job.state === 'cancelled') return interrupted(job, store, options);
    if (job.error !== undefined) throw job.error;
    const embedJob = await embeddingEnded(indexer, options);
    const embedding = embedJob && { job: embedJob, failed: await failedChunks(store) };
    process.stdout.write(options.json ? `${JSON.stringify(wholeJson(job, embedding))}\n` : wholeText(job, embedding));
    return exitOf(job, embedding);
  });
}

/** What the job committed stays in the index. */
async function interrupted(job: IndexJob, store: Store, { json }: IndexOptions): Promise<number> {
  const { indexed } = await store.counts(NEVER);
  const [done, all] = [indexed, Math.max(indexed, job.counts.listed)].map((count) => count.toLocaleString('en'));
  process.stderr.write(`Interrupted. ${done} of ${all} notes are indexed; run it again to continue.\n`);
  if (json) process.stdout.write(`${JSON.stringify(jobJson(job))}\n`);
  return EXIT.failed;
}

/** The failed chunks of every generation that searches can use. */
async function failedChunks(store: Store): Promise<readonly FailedChunk[]> {
  const failed: FailedChunk[] = [];
  for (const { id, state, failedChunks } of await store.generations(NEVER)) {
    if (state === 'previous') continue;
    for (let offset = 0; offset < failedChunks; offset += CHUNKS_PER_PAGE)
      failed.push(...(await store.failedChunks(id, { limit: CHUNKS_PER_PAGE, offset }, NEVER)));
  }
  return failed;
}

/** Vectors are optional: the command fails only if the embed job failed for good. */
function exitOf(job: IndexJob, embedding: Embedding | undefined): number {
  if (embedding?.job.state === 'failed') return EXIT.failed;
  const isPart = embedding !== undefined && (embedding.job.error !== undefined || embedding.failed.length > 0);
  return job.counts.failed > 0 || isPart || (embedding?.job.failures.length ?? 0) > 0 ? EXIT.part : EXIT.done;
}

function wholeJson(job: IndexJob, embedding: Embedding | undefined): object {
  return { ...jobJson(job), ...(embedding && { embedding: embeddingJson(embedding) }) };
}

function embeddingJson({ job, failed }: Embedding): object {
  return {
    ...jobJson(job),
    chunks: job.chunks,
    failed_chunks: failed,
    ...(job.error && { error: errorJson(job.error) }),
  };
}

function jobJson(job: IndexJob): object {
  const failed = job.failures.map(({ id, error }) => ({ id, error: errorJson(error) }));
  return { id: job.id, kind: job.kind, state: job.state, counts: job.counts, failed };
}

const errorJson = ({ code, message, hint, retryable }: VaultgraphError) => ({ code, message, hint, retryable });

function wholeText(job: IndexJob, embedding: Embedding | undefined): string {
  const { listed, indexed, failed, removed } = job.counts;
  const head = `${job.state}: ${listed} files, ${indexed} indexed, ${removed} removed, ${failed} failed\n`;
  return `${head}${rows(job)}${embedding === undefined ? '' : embeddingText(embedding)}`;
}

/** Failed chunks come from the store: the job keeps only some of them. */
function embeddingText({ job, failed }: Embedding): string {
  const { embedded = 0, kept = 0 } = job.chunks ?? {};
  const counts = `${job.counts.listed} notes, ${embedded} chunks embedded, ${kept} kept, ${failed.length} failed`;
  const chunks = failed.map(({ code, reason, ...chunk }) => `  ${placeOf(chunk)}: [${code}] ${reason}\n`);
  const shown = new Set(failed.map(placeOf));
  const others = job.failures.filter(({ id }) => !shown.has(id));
  const error = job.error && `  [${job.error.code}] ${job.error.message}\n  → ${job.error.hint}\n`;
  return `embedding ${job.state}: ${counts}\n${chunks.join('')}${rows({ failures: others })}${error ?? ''}`;
}

const placeOf = ({ path, lines: [from, to] }: Pick<FailedChunk, 'path' | 'lines'>): string => `${path}:${from}-${to}`;

function rows({ failures }: Pick<IndexJob, 'failures'>): string {
  return failures.map(({ id, error }) => `  ${id}: [${error.code}] ${error.message}\n`).join('');
}
