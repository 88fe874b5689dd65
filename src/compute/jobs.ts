// The table of all work that may run off the main thread: pure functions of cloneable values.
import { type Adjacency, nodeCountOf } from '../graph/adjacency.ts';
import { type Betweenness, betweenness } from '../graph/betweenness.ts';
import type { Communities } from '../graph/communities.ts';
import { pagerank } from '../graph/pagerank.ts';
import { type ChunkedRow, chunkFiles, type FilesToChunk, handOverFiles, isSmallText } from './chunk-files.ts';
import { type FileToParse, handOver, isSmall, type ParseRow, parseFiles } from './parse-files.ts';

export interface Job<Input, Output> {
  readonly run: (input: Input) => Output | Promise<Output>;
  /** Whether the work takes no more than some ten milliseconds, so that it may as well block the caller's thread. */
  readonly isSmall: (input: Input) => boolean;
  /** The input to post, and those of its buffers that move instead of being copied: the caller finds them empty. */
  readonly handOver: (input: Input) => { readonly input: Input; readonly transfer: ArrayBuffer[] };
  /** The buffers of the output, which all move back. */
  readonly buffersOf: (output: Output) => ArrayBuffer[];
}

const job = <Input, Output>(given: Job<Input, Output>): Job<Input, Output> => Object.freeze(given);

/** Nodes and links up to which PageRank takes some ten milliseconds, less than a thread takes to start. */
const SMALL_RANKING = 100_000;
/** Nodes times nodes and links, up to which betweenness does. */
const SMALL_BETWEENNESS = 500_000;

const sizeOf = (rows: Adjacency): number => nodeCountOf(rows) + rows.targets.length;
const bufferOf = (column: Float64Array | Int32Array): ArrayBuffer => column.buffer as ArrayBuffer;

/** Rows are copied, for the caller's graph lives on; its paths stay where they are, no job needs them. */
const copyRows = ({ offsets, targets, counts }: Adjacency) => ({ input: { offsets, targets, counts }, transfer: [] });

export const jobs = Object.freeze({
  parse: job<readonly FileToParse[], readonly ParseRow[]>({
    run: parseFiles,
    isSmall,
    handOver,
    buffersOf: () => [],
  }),
  chunk: job<FilesToChunk, readonly ChunkedRow[]>({
    run: chunkFiles,
    isSmall: isSmallText,
    handOver: handOverFiles,
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
    // Loaded here, so that the main thread never loads the graph library.
    run: async (rows) => (await import('../graph/communities.ts')).communities(rows),
    // Never inline: only on a thread can a library's search be ended that takes too long.
    isSmall: () => false,
    handOver: copyRows,
    buffersOf: ({ communityOf, sizes }) => [bufferOf(communityOf), bufferOf(sizes)],
  }),
});

export type JobName = keyof typeof jobs;
export type InputOf<Name extends JobName> = Parameters<(typeof jobs)[Name]['run']>[0];
export type OutputOf<Name extends JobName> = Awaited<ReturnType<(typeof jobs)[Name]['run']>>;

/** What is posted to a thread. */
export interface Request {
  readonly job: JobName;
  readonly input: unknown;
}

/** A job whose input and output the caller vouches for. */
export const jobNamed = (name: JobName): Job<unknown, unknown> => jobs[name] as unknown as Job<unknown, unknown>;
