// The jobs that may run off the main thread: pure functions of cloneable values.
import type { SerializedError } from '../base/errors/serialized-error.ts';
import { VaultgraphError } from '../base/errors.ts';
import { buffersOf } from '../contracts/change-set.ts';
import type { Job } from '../contracts/compute.ts';
import { type Adjacency, nodeCountOf } from '../graph/adjacency.ts';
import { type Betweenness, betweenness, pagerank } from '../graph/centrality.ts';
import type { Communities } from '../graph/communities.ts';
import {
  type ChunkedRow,
  chunkFiles,
  type FilesToChunk,
  type FileToParse,
  handOver,
  handOverFiles,
  type IndexedBatch,
  indexFiles,
  isSmall,
  isSmallText,
} from './file-jobs.ts';
import type { TakenApart } from './long-lists.ts';
import type { PdfText, PdfToRead } from './pdf-text.ts';
import { sketchJobs } from './sketch-jobs.ts';
import {
  areSmallPassages,
  areSmallSnippets,
  areSmallToDate,
  copied,
  datePassages,
  job,
  pickPassages,
  pickSnippets,
  type SnippetsToPick,
  textJobs,
} from './text-jobs.ts';

/** Nodes plus links up to which PageRank takes some ten milliseconds, less than the start of a thread. */
const SMALL_RANKING = 100_000;
/** Nodes times (nodes plus links) up to which betweenness does. */
const SMALL_BETWEENNESS = 500_000;

const sizeOf = (rows: Adjacency): number => nodeCountOf(rows) + rows.targets.length;
const bufferOf = (column: Float64Array | Int32Array): ArrayBuffer => column.buffer as ArrayBuffer;

/** The rows are copied, because the caller continues to use its graph; no job needs the paths. */
const copyRows = ({ offsets, targets, counts }: Adjacency) => ({ input: { offsets, targets, counts }, transfer: [] });

export const jobs = Object.freeze({
  ...textJobs,
  ...sketchJobs,
  index: job<readonly FileToParse[], IndexedBatch>({
    run: indexFiles,
    isSmall,
    handOver,
    buffersOf,
  }),
  chunk: job<FilesToChunk, readonly ChunkedRow[]>({
    run: chunkFiles,
    isSmall: isSmallText,
    handOver: handOverFiles,
    buffersOf: () => [],
  }),
  snippets: job<SnippetsToPick, Awaited<ReturnType<typeof pickSnippets>>>({
    run: pickSnippets,
    isSmall: areSmallSnippets,
    handOver: copied,
    buffersOf: () => [],
  }),
  passages: job<Parameters<typeof pickPassages>[0], Awaited<ReturnType<typeof pickPassages>>>({
    run: pickPassages,
    isSmall: areSmallPassages,
    handOver: copied,
    buffersOf: () => [],
  }),
  dated_passages: job<Parameters<typeof datePassages>[0], Awaited<ReturnType<typeof datePassages>>>({
    run: datePassages,
    isSmall: ({ notes }) => areSmallToDate(notes),
    handOver: copied,
    buffersOf: () => [],
  }),
  pagerank: job<Adjacency, Float64Array>({
    run: pagerank,
    isSmall: (rows) => sizeOf(rows) <= SMALL_RANKING,
    handOver: copyRows,
    buffersOf: (scores) => [bufferOf(scores)],
  }),
  betweenness: job<Adjacency, Betweenness>({
    run: betweenness,
    isSmall: (rows) => sizeOf(rows) * nodeCountOf(rows) <= SMALL_BETWEENNESS,
    handOver: copyRows,
    buffersOf: ({ scores }) => [bufferOf(scores)],
  }),
  communities: job<Adjacency, Communities>({
    // Imported here, so that the main thread never loads the graph library.
    run: async (rows) => (await import('../graph/communities.ts')).communities(rows),
    // Never inline: a search in a library can be aborted only by ending its thread.
    isSmall: () => false,
    handOver: copyRows,
    buffersOf: ({ communityOf, sizes }) => [bufferOf(communityOf), bufferOf(sizes)],
  }),
  pdf: job<PdfToRead, PdfText>({
    // Loaded late for the same reason: only the thread for PDFs loads pdf.js.
    run: async (pdf) => (await import('./pdf-text.ts')).textOfPdf(pdf),
    isSmall: () => false,
    handOver: (pdf) => {
      const { input, transfer } = handOver([pdf]);
      return { input: input[0] ?? pdf, transfer };
    },
    buffersOf: () => [],
  }),
});

type JobName = keyof typeof jobs;

const NAMES = new Map(Object.entries(jobs).map(([name, one]) => [one as unknown, name as JobName]));

/** By which a thread looks the job up. */
export function nameOf(one: unknown): JobName {
  const name = NAMES.get(one);
  if (name === undefined) throw new VaultgraphError('INTERNAL', { kind: 'unknown_job' });
  return name;
}

/** What is posted to a thread. */
export interface Request {
  readonly job: JobName;
  readonly input: unknown;
}

/** Passed to a thread when it starts. */
export interface ThreadSetup {
  readonly isBackground: boolean;
}

/** Posted to a thread after its last job: the thread gives back what the process has freed, so that no other has to wait for that. */
export const TRIM = 'trim';

/** Posted to a thread for the next slice of the long lists of its last output. */
export const NEXT_SLICE = 'next_slice';

/** What a thread posts back. A refusal is an error that the job throws on purpose. */
export type JobAnswer =
  | {
      readonly output: unknown;
      readonly places: TakenApart['places'];
      readonly slices: number;
    }
  | { readonly refusal: SerializedError };

export type ThreadAnswer = JobAnswer | TakenApart['slices'][number];

/** The job without its types: the caller makes sure that they fit. */
export const jobNamed = (name: JobName): Job<unknown, unknown> => jobs[name] as unknown as Job<unknown, unknown>;
