// `vaultgraph index`: brings the index and its vectors up to date and prints the result.
import type { GraphCore } from '../app/graph-core.ts';
import { otherStore } from '../app/load-providers.ts';
import { NEVER } from '../base/async/waits.ts';
import { commandLine } from '../base/command-line.ts';
import { grouped, VaultgraphError } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import { oneLine } from '../base/visible-controls.ts';
import type { StoredFeed } from '../contracts/feed.ts';
import type { IndexJob } from '../contracts/indexer.ts';
import type { Store, StoreCounts, StoredGeneration, StoredIndex } from '../contracts/store.ts';
import type { FailedChunk } from '../contracts/vectors.ts';
import { embeddingEnded, runIndexJob } from './bring-up-to-date.ts';
import { type CommonOptions, configFor } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { report } from './output.ts';
import { type Manner, showProgress } from './screen/show-progress.ts';
import { type Done, inEachVault, withCore } from './with-core.ts';

export interface IndexOptions extends CommonOptions {
  readonly rebuild?: boolean;
  readonly confirm?: boolean;
  /** The type of the configured store; the index of the other one is copied to it first. */
  readonly store?: string;
  /** A config with the other store, whose feed of changes is in its database. */
  readonly from?: string;
}

/** The vectors after the command. */
interface Embedding {
  readonly job: IndexJob;
  readonly failed: readonly FailedChunk[];
}

const CHUNKS_PER_PAGE = 1_000;
/** How long to wait for a provider that does not answer at the start; one that goes away later is waited for longer. */
const PATIENCE_MS = 15_000;

export function runIndex(options: IndexOptions): Promise<number> {
  return inEachVault(options, (ofVault) => withCore(ofVault, (core) => copyAndIndex(core, ofVault)));
}

async function copyAndIndex(core: GraphCore, options: IndexOptions): Promise<Done> {
  const { store, from } = options;
  if (store !== undefined)
    await moveStore(core, store, options, from === undefined ? {} : { ...options, config: from });
  return indexAndEmbed(core, options);
}

/** Brings index and vectors up to date. After Ctrl-C, says on stderr how much is kept. @throws the error of a failed index job */
export async function indexAndEmbed({ indexer, store }: GraphCore, options: IndexOptions): Promise<Done> {
  const kind = options.rebuild ? 'rebuild' : 'catch_up';
  const request = { kind, confirmed: options.confirm ?? false, renewVectors: true, patienceMs: PATIENCE_MS } as const;
  const job = await runIndexJob(indexer, request, options);
  if (job.state === 'cancelled') return interrupted(await keptNotes(store), jobJson(job));
  if (job.error !== undefined) throw job.error;
  const embedJob = await embeddingEnded(indexer, options);
  const embedding = embedJob && { job: embedJob, failed: await failedChunks(store) };
  const json = wholeJson(job, embedding);
  if (embedJob?.state === 'cancelled') return interrupted(await keptVectors(job, store), json);
  return { exit: exitOf(job, embedding), json, text: wholeText(job, embedding) };
}

/** What the jobs committed stays in the index. */
function interrupted(kept: string, json: object): Done {
  report(`Interrupted. ${kept}; run \`${commandLine('index')}\` to continue.\n`);
  return { exit: EXIT.interrupted, json, text: '' };
}

async function keptNotes(store: Store): Promise<string> {
  const { indexed, pending } = await store.counts(NEVER);
  // Until the vault is listed, nothing is known to be pending.
  return `${grouped(indexed)} ${pending === 0 ? 'notes' : `of ${grouped(indexed + pending)} notes`} are indexed`;
}

async function keptVectors({ counts }: IndexJob, store: Store): Promise<string> {
  const generations = await store.generations(NEVER);
  const { embedded = 0, total = counts.listed } = generations.find(({ state }) => state !== 'previous') ?? {};
  return `All notes are indexed, ${grouped(embedded)} of ${grouped(total)} are embedded`;
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
    ...(job.replaces && { replaces: job.replaces }),
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
  const chunks = failed.map(({ code, reason, ...chunk }) => `${oneLine(`  ${placeOf(chunk)}: [${code}] ${reason}`)}\n`);
  const shown = new Set(failed.map(placeOf));
  const others = job.failures.filter(({ id }) => !shown.has(id));
  const error = job.error && `  [${job.error.code}] ${job.error.message}\n  → ${job.error.hint}\n`;
  const why = job.replaces && `  made again: the vectors before have another ${job.replaces.join(', ')}\n`;
  return `embedding ${job.state}: ${counts}\n${why ?? ''}${chunks.join('')}${rows({ failures: others })}${error ?? ''}`;
}

const placeOf = ({ path, lines: [from, to] }: Pick<FailedChunk, 'path' | 'lines'>): string => `${path}:${from}-${to}`;

function rows({ failures }: Pick<IndexJob, 'failures'>): string {
  return failures.map(({ id, error }) => `${oneLine(`  ${id}: [${error.code}] ${error.message}`)}\n`).join('');
}

/**
 * Reads no note. What has changed in the vault since is found by the index job afterwards.
 * @param to the type that the configured store must have
 * @param from with a config that has the other store, if there is one
 * @throws CONFIG_INVALID, also if the configured store has an index; STORE_*
 */
export async function moveStore(
  { config, store, feed }: GraphCore,
  to: string,
  manner: Manner,
  from: CommonOptions = {},
): Promise<void> {
  const fromConfig = from.config === undefined ? undefined : await configFor(from);
  const target = await otherStore(config, to, fromConfig, createLog('warn', report));
  try {
    await refuseUsed(store);
    // First, as a feed records what is copied if that differs from what it knows.
    report(await moveFeed(target.feed, feed));
    await copyStored(target.index, store, manner);
  } finally {
    await target.close();
  }
}

const REFUSED = 'positions and remembered names of list_changes that only the other store has are refused here';
const NO_FEED = `The other store has no feed of changes that can be moved: ${REFUSED}.\n`;
const ELSEWHERE = `The feed of changes is not moved, as it is in the database of the other store: ${REFUSED}. With --from and the config that names the database, it is moved, too.\n`;

/** @returns what became of it, for the user */
async function moveFeed(other: StoredFeed | undefined, own: StoredFeed | undefined): Promise<string> {
  if (own === undefined) return '';
  if (other === undefined) return ELSEWHERE;
  const moved = await other.give(async (whole) => ({ whole, takeover: await own.takeOver(whole, NEVER) }), NEVER);
  if (moved === undefined) return NO_FEED;
  const { last, forgotten } = moved.whole.state;
  const names = moved.whole.names.length;
  if (moved.takeover === 'had') return 'The feed of changes was moved before.\n';
  if (moved.takeover === 'taken')
    return `The feed of changes is moved: ${grouped(last - forgotten)} records, ${grouped(names)} remembered names. Positions that the other store gave hold here.\n`;
  return `The feed of changes is not moved, as this store has changes of its own: it goes on with what differs, and ${REFUSED}.\n`;
}

/** @throws CONFIG_INVALID if the store has an index; STORE_*; INTERNAL if it does not have the same counts afterwards */
export async function copyStored(stored: StoredIndex, store: Store, manner: Manner): Promise<void> {
  // A copy that failed, or whose process ended, begins again.
  if ((await refuseUsed(store)) > 0) await store.reset(NEVER);
  await copyFiles(stored, store, manner);
  for (const generation of stored.generations) await copyGeneration(generation, store);
  await store.completeScan(stored.counts.scannedAt ?? '', NEVER);
  compare(stored.counts, await store.counts(NEVER));
}

/** @returns how many files an index has that was never complete @throws CONFIG_INVALID if it was */
async function refuseUsed(store: Store): Promise<number> {
  const { files, scannedAt } = await store.counts(NEVER);
  if (files === 0 || scannedAt === null) return files;
  const what = `the configured store has an index of ${files} files, and an index is copied only to an empty one: run it without --store, or empty that store first`;
  throw new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--store', what }] });
}

async function copyFiles(stored: StoredIndex, store: Store, manner: Manner): Promise<void> {
  const progress = showProgress('copying', manner);
  let done = 0;
  for (const changes of stored.changes()) {
    await store.apply(changes, NEVER);
    done += changes.indexed.length;
    progress.show(done, stored.counts.indexed, '');
  }
  progress.end();
}

async function copyGeneration({ role, state, fingerprint, changes }: StoredGeneration, store: Store): Promise<void> {
  const { id } = await store.openGeneration(role, fingerprint, NEVER);
  for (const part of changes()) await store.applyVectors(id, part, NEVER);
  if (state !== 'building') await store.activate(id, NEVER);
}

const COMPARED = [
  'files',
  'notes',
  'indexed',
  'quarantined',
  'links',
  'unresolved',
  'embeds',
  'tags',
  'aliases',
] as const;

/** @throws INTERNAL */
function compare(stored: StoreCounts, copied: StoreCounts): void {
  const different = COMPARED.find((key) => stored[key] !== copied[key]);
  if (different !== undefined) throw new VaultgraphError('INTERNAL', { kind: `the copy has other ${different}` });
}
