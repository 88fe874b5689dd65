// Fills one generation: while the provider works on one request, the next is prepared and the previous one is written.
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { type EmbeddingInput, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { newTrace, type ProviderCall, type ProviderTrace } from '../../contracts/provider-call.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { errorOf, outcomeOf, unwrap } from '../outcome.ts';
import { type AwaitedChunks, createAwaitedChunks, type DoneNote } from './awaited-chunks.ts';
import {
  type Answers,
  type ChunkToEmbed,
  embedChunks,
  type GrowingAnswers,
  packRequests,
  type RequestLimits,
  type Send,
} from './embed-chunks.ts';
import { type PageOfNotes, type PageParts, readPage } from './notes-to-embed.ts';

export interface EmbedParts extends PageParts {
  readonly provider: EmbeddingProvider;
  readonly limits: RequestLimits;
}

/**
 * Embeds every note that the generation lacks, except those that cannot be read or changed meanwhile. What is written is never
 * requested again.
 * @throws errors of the provider, the vault or the store as a whole; what was embedded before is kept
 */
export async function embedNotes(job: JobRecord, parts: EmbedParts): Promise<void> {
  const awaited = createAwaitedChunks();
  const send = sendWith(job, parts);
  const proven = createProvenAnswers(() => embedSample(send));
  const writes = createWriteBehind<Written>((item) => write(job, item, parts));
  const writeProven = (admitted: readonly Answers[]): Promise<void> => {
    for (const answers of admitted) awaited.addAnswers(answers);
    return writes.add({ answers: admitted, done: awaited.done() });
  };
  const run = async (): Promise<void> => {
    for await (const chunks of requestsOf(job, awaited, parts)) {
      const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
      const error = chunks.length === 0 ? undefined : await errorOf(embedChunks(chunks, send, answers));
      await writeProven(isToAdmit(answers, error) ? await proven.admit(answers) : []);
      if (error !== undefined) throw error;
    }
    await writeProven(await proven.last());
  };
  // However the job ends, no write is in progress then.
  await run().finally(writes.ended);
}

interface Written {
  readonly answers: readonly Answers[];
  readonly done: readonly DoneNote[];
}

/** Vectors that came before a failure are kept; refusals are not, because a provider that then fails may refuse anything. */
function isToAdmit({ vectors, refused }: Answers, error: VaultgraphError | undefined): boolean {
  return vectors.size > 0 || (refused.size > 0 && error === undefined);
}

/** Requests as full as the limits allow; an empty one for a page of which no chunk needs to be embedded. */
async function* requestsOf(
  job: JobRecord,
  awaited: AwaitedChunks,
  parts: EmbedParts,
): AsyncGenerator<readonly ChunkToEmbed[]> {
  let rest: readonly ChunkToEmbed[] = [];
  let seen = job.counts.done;
  for await (const page of pagesOf(parts, job.signal)) {
    const fresh = page.chunked.flatMap((note) => awaited.add(note, page.held));
    for (const { note, error } of page.uncut) awaited.refuse(note, error);
    seen += page.listed.length;
    countPage(job, page, seen);
    const packed = packRequests([...rest, ...fresh], parts.limits);
    rest = packed.rest;
    yield* packed.full.length > 0 ? packed.full : [[]];
  }
  if (rest.length > 0) yield rest;
}

/** Reads the next page while this one is processed. */
async function* pagesOf(parts: PageParts, signal: AbortSignal): AsyncGenerator<PageOfNotes> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let ahead = outcomeOf(readPage('', parts, either));
  try {
    for (;;) {
      const page = unwrap(await ahead);
      const last = page.listed.at(-1);
      if (last === undefined) return;
      ahead = outcomeOf(readPage(last.path, parts, either));
      yield page;
    }
  } finally {
    over.abort();
    await ahead;
  }
}

function sendWith(job: JobRecord, { provider }: EmbedParts): Send {
  return (chunks) => {
    const inputs = chunks.map(({ hash: id, text, title }): EmbeddingInput => ({ id, text, title }));
    return askProvider(job, async (call, signal) => {
      try {
        return await provider.embed(inputs, 'document', call, signal);
      } finally {
        job.chunks.requests += call.trace.attempts;
      }
    });
  };
}

/** Embeds a known-good text: a provider that refuses it refuses everything. */
async function embedSample(send: Send): Promise<void> {
  const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
  const [text] = SAMPLE_SENTENCES;
  await embedChunks([{ hash: 'sample', title: 'sample', text: text as string }], send, answers);
  for (const error of answers.refused.values()) throw wholeCallError(error);
}

function wholeCallError(error: VaultgraphError): VaultgraphError {
  const details = { ...error.details, level: 'call' } as DetailsOf<ErrorCode>;
  return new VaultgraphError<ErrorCode>(error.code, details, { cause: error, retry: error.retry });
}

async function write(job: JobRecord, { answers, done }: Written, { store, generation }: EmbedParts): Promise<void> {
  const vectors = answers.flatMap((some) => [...some.vectors].map(([hash, vector]) => ({ hash, vector })));
  if (vectors.length === 0 && done.length === 0) return;
  await store.applyVectors(generation, { vectors, notes: done.map(({ note }) => note) }, job.signal);
  job.chunks.embedded += vectors.length;
  for (const note of done) countNote(job, note);
  job.reportProgress();
}

function countNote(job: JobRecord, { note, kept, refused }: DoneNote): void {
  const { counts, chunks } = job;
  counts.done += 1;
  counts.failed += refused.length > 0 ? 1 : 0;
  counts.indexed += refused.length > 0 ? 0 : 1;
  chunks.kept += kept;
  chunks.failed += refused.length;
  job.addFailures(refused.map(({ lines, error }) => ({ id: `${note.path}:${lines[0]}-${lines[1]}`, error })));
}

/** For this job, notes that cannot be read or changed meanwhile are done. */
function countPage(job: JobRecord, { listed, chunked, unread, uncut }: PageOfNotes, seen: number): void {
  const { counts } = job;
  // Notes with chunks that are retried are not among the pending ones.
  counts.changed = Math.max(counts.changed, seen);
  counts.done += listed.length - chunked.length - uncut.length;
  counts.failed += unread.length;
  job.addFailures(unread);
}

interface WriteBehind<T> {
  /** Starts to write the item once the previous one is written, so that a crash loses little. @throws the error of an earlier write */
  add(item: T): Promise<void>;
  /** Resolves once everything is written. @throws the error of a write, after which nothing was written */
  ended(): Promise<void>;
}

export function createWriteBehind<T>(write: (item: T) => Promise<void>): WriteBehind<T> {
  let writing: Promise<VaultgraphError | undefined> = Promise.resolve(undefined);

  async function ended(): Promise<void> {
    const failure = await writing;
    if (failure !== undefined) throw failure;
  }

  return {
    ended,
    async add(item) {
      await ended();
      writing = errorOf(write(item));
    },
  };
}

/** Requests without any vector after which the provider has to embed a known-good sentence. */
const MAX_UNPROVEN = 3;

interface ProvenAnswers {
  /** @returns the answers that may be written now, in order. @throws the error of the known-good sentence */
  admit(answers: Answers): Promise<readonly Answers[]>;
  /** The answers still held back at the end. @throws as `admit` */
  last(): Promise<readonly Answers[]>;
}

/** Holds refusals back until the provider has embedded something. @param prove embeds a known-good sentence, or throws */
export function createProvenAnswers(prove: () => Promise<void>): ProvenAnswers {
  const unproven: Answers[] = [];

  async function last(): Promise<readonly Answers[]> {
    if (unproven.length > 0) await prove();
    return unproven.splice(0);
  }

  async function admit(answers: Answers): Promise<readonly Answers[]> {
    unproven.push(answers);
    if (answers.vectors.size > 0) return unproven.splice(0);
    return unproven.length >= MAX_UNPROVEN || isSuspicious(answers) ? last() : [];
  }

  return { admit, last };
}

/** All texts of a request may be too long; if all are refused for another reason, the provider is at fault. */
function isSuspicious({ refused }: Answers): boolean {
  return [...refused.values()].every(({ code }) => code !== 'PROVIDER_INPUT_TOO_LONG');
}

/**
 * Calls a provider on behalf of a job: in the background, with its waits reported, and aborted with the job.
 * @param patienceMs how long to wait for a provider that is down
 * @throws the error of the provider; the abort of the job, even if the provider ignores it
 */
export async function askProvider<T>(
  job: JobRecord,
  question: (call: ProviderCall, signal: AbortSignal) => Promise<T>,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  job.signal.throwIfAborted();
  const trace = newTrace();
  const until = performance.now() + patienceMs;
  const call: ProviderCall = {
    priority: 'background',
    msLeft: () => until - performance.now(),
    onWait: () => reportWait(job, trace),
    trace,
  };
  try {
    return await untilAborted(question(call, job.signal), job.signal);
  } finally {
    job.endWait();
  }
}

/** Only a wait after a failure is reported, not one for a turn. */
function reportWait(job: JobRecord, { retries, phase }: ProviderTrace): void {
  const last = retries.at(-1);
  if (last !== undefined && phase === 'backoff') job.wait({ code: last.code, wait_ms: last.waited_ms });
}
