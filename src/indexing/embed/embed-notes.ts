// Fills one generation: while the provider works on one request, the next is prepared and the previous one is checked and written.

import { untilAborted } from '../../base/async/waits.ts';
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { errorOf, outcomeOf, unwrap } from '../../base/outcome.ts';
import { type EmbeddingInput, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { embedderMismatch, type Fingerprint, fingerprintDifferences } from '../../contracts/fingerprint.ts';
import { newTrace, type ProviderCall } from '../../contracts/provider-call.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { AFTER_EACH_REQUEST, AFTER_SOME_REQUESTS, HeldAnswers } from './held-answers.ts';
import {
  type Answers,
  AwaitedChunks,
  type ChunkToEmbed,
  type DoneNote,
  embedChunks,
  fittingRequest,
  type GrowingAnswers,
  type PageOfNotes,
  type PageParts,
  type RequestLimits,
  readPage,
  type Send,
} from './notes-to-embed.ts';
import { RequestPace } from './request-pace.ts';

export interface EmbedParts extends PageParts {
  readonly provider: EmbeddingProvider;
  /** The fingerprint of the generation. */
  readonly fingerprint: Fingerprint;
}

/**
 * Embeds every note that the generation lacks, except those that cannot be read or changed meanwhile. Only vectors of the
 * generation's model are written; what is written is never requested again.
 * @throws EMBEDDER_MISMATCH if the model changed meanwhile; errors of the provider, the vault or the store as a whole; what was
 * embedded before is kept
 */
export async function embedNotes(job: JobRecord, parts: EmbedParts): Promise<void> {
  const run = new EmbedRun(job, parts);
  // However the job ends, nothing is read or written then.
  await run.toEnd().finally(() => run.close());
}

class EmbedRun {
  readonly #job: JobRecord;
  readonly #parts: EmbedParts;
  readonly #send: Send;
  readonly #awaited = new AwaitedChunks();
  readonly #requests: EmbedRequests;
  readonly #held: HeldAnswers;
  readonly #proven;
  readonly #pace: RequestPace;
  /** Ends requests that are under way when another one fails. */
  readonly #over = new AbortController();
  /** In the order in which their answers are used. */
  readonly #underWay: Promise<Answered>[] = [];
  readonly #writes = createWriteBehind<Written>((item) => write(this.#job, item, this.#parts));
  #seen: number;

  constructor(job: JobRecord, parts: EmbedParts) {
    this.#job = job;
    this.#parts = parts;
    this.#send = sendWith(job, parts, AbortSignal.any([job.signal, this.#over.signal]));
    this.#pace = new RequestPace(parts.provider.batch, parts.fingerprint.dims);
    this.#requests = new EmbedRequests(parts, job.signal, (page) => this.#open(page));
    this.#held = holdAnswers(job, parts);
    this.#proven = createProvenAnswers(() => embedSample(this.#send));
    this.#seen = job.counts.done;
  }

  async toEnd(): Promise<void> {
    // The last answers may be refusals of texts that are then cut in two.
    while (!this.#requests.isEmpty) {
      await this.#embedWaiting();
      await this.#hold(await this.#proven.last());
      await this.#write(await this.#held.last());
    }
  }

  async #embedWaiting(): Promise<void> {
    const prefix = this.#parts.fingerprint.documentPrefix.length;
    for (;;) {
      const chunks = await this.#requests.next({ ...this.#pace.limits, prefix });
      if (chunks === undefined) break;
      if (chunks.length > 0) this.#underWay.push(this.#request(chunks));
      while (this.#underWay.length >= this.#pace.lanes) await this.#useOldest();
      await this.#write(this.#held.confirmed());
    }
    while (this.#underWay.length > 0) await this.#useOldest();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#underWay);
    await this.#requests.close();
    await this.#writes.ended();
  }

  #open(page: PageOfNotes): readonly ChunkToEmbed[] {
    const fresh = page.chunked.flatMap((note) => this.#awaited.add(note, page.held));
    for (const { note, error } of page.uncut) this.#awaited.refuse(note, error);
    this.#seen += page.listed.length;
    countPage(this.#job, page, this.#seen);
    return fresh;
  }

  /** Never rejects. */
  async #request(chunks: readonly ChunkToEmbed[]): Promise<Answered> {
    const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
    let sent = 0;
    const send: Send = (some) => {
      sent += 1;
      return this.#send(some);
    };
    const beganMs = performance.now();
    const error = await errorOf(embedChunks(chunks, send, answers));
    const [items, endedMs] = [chunks.length, performance.now()];
    const characters = chunks.reduce((sum, { text }) => sum + text.length, 0);
    if (sent > 1) this.#pace.refused(items, answers.refused.size > 0);
    else if (error === undefined) this.#pace.answered({ items, characters, beganMs, endedMs });
    return { answers, error };
  }

  async #useOldest(): Promise<void> {
    const oldest = await this.#underWay.shift();
    if (oldest === undefined) return;
    const { answers, error } = oldest;
    if (isToAdmit(answers, error)) await this.#hold(await this.#proven.admit(answers));
    if (error !== undefined) await this.#fail(error);
  }

  async #hold(proven: readonly Answers[]): Promise<void> {
    for (const answers of proven) await this.#held.add(answers);
  }

  /** A request to another model fails in many ways, so that is ruled out first. @throws always */
  async #fail(error: VaultgraphError): Promise<never> {
    const failure = this.#job.signal.aborted ? error : await this.#held.failure();
    if (failure === undefined) await this.#write(this.#held.confirmed());
    throw failure?.code === 'EMBEDDER_MISMATCH' ? failure : error;
  }

  async #write(answers: readonly Answers[]): Promise<void> {
    this.#requests.goBefore(answers.flatMap((each) => this.#awaited.addAnswers(each)));
    await this.#writes.add({ answers, done: this.#awaited.done() });
  }
}

interface Answered {
  readonly answers: Answers;
  readonly error: VaultgraphError | undefined;
}

interface Written {
  readonly answers: readonly Answers[];
  readonly done: readonly DoneNote[];
}

/** Vectors that came before a failure are kept; refusals are not, because a provider that then fails may refuse anything. */
function isToAdmit({ vectors, refused }: Answers, error: VaultgraphError | undefined): boolean {
  return vectors.size > 0 || (refused.size > 0 && error === undefined);
}

function holdAnswers(job: JobRecord, { provider, fingerprint }: EmbedParts): HeldAnswers {
  const compare = async (patienceMs: number): Promise<void> => {
    const identity = await askProvider(job, (call, signal) => provider.identify(call, signal), { patienceMs });
    const now = { ...fingerprint, ...identity };
    const differs = fingerprintDifferences(fingerprint, now);
    if (differs.length > 0) throw embedderMismatch(fingerprint, now, differs, undefined);
  };
  return new HeldAnswers(compare, fingerprint.digest === null ? AFTER_SOME_REQUESTS : AFTER_EACH_REQUEST);
}

function sendWith(job: JobRecord, { provider }: EmbedParts, ended: AbortSignal): Send {
  return (chunks) => {
    const inputs = chunks.map(({ hash: id, text, title }): EmbeddingInput => ({ id, text, title }));
    const embed = async (call: ProviderCall, signal: AbortSignal) => {
      try {
        return await provider.embed(inputs, 'document', call, signal);
      } finally {
        job.chunks.requests += call.trace.attempts;
      }
    };
    return askProvider(job, embed, { signal: ended });
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
function countPage(job: JobRecord, { listed, chunked, unread, uncut }: PageOfNotes, notes: number): void {
  const { counts } = job;
  // Notes with chunks that are retried are not among the pending ones.
  counts.changed = Math.max(counts.changed, notes);
  counts.done += listed.length - chunked.length - uncut.length;
  counts.failed += unread.length;
  job.addFailures(unread);
}

class EmbedRequests {
  readonly #chunksOf: (page: PageOfNotes) => readonly ChunkToEmbed[];
  readonly #pages: AsyncGenerator<PageOfNotes>;
  #waiting: ChunkToEmbed[] = [];
  #isRead = false;

  /** @param chunksOf the chunks of a page that need to be embedded, in order */
  constructor(parts: PageParts, signal: AbortSignal, chunksOf: (page: PageOfNotes) => readonly ChunkToEmbed[]) {
    this.#chunksOf = chunksOf;
    this.#pages = pagesOf(parts, signal);
  }

  /**
   * The next request, as full as the limits allow; an empty one after each page; undefined once all notes were read and no chunk
   * waits. @throws errors of the vault and the store
   */
  async next(limits: RequestLimits): Promise<readonly ChunkToEmbed[] | undefined> {
    const { count, isFull } = fittingRequest(this.#waiting, limits);
    if (isFull || (this.#isRead && count > 0)) return this.#waiting.splice(0, count);
    if (this.#isRead) return undefined;
    const { value, done } = await this.#pages.next();
    if (done === true) this.#isRead = true;
    else this.#waiting.push(...this.#chunksOf(value));
    return [];
  }

  /** Puts chunks before those that wait. */
  goBefore(chunks: readonly ChunkToEmbed[]): void {
    this.#waiting.unshift(...chunks);
  }

  get isEmpty(): boolean {
    return this.#isRead && this.#waiting.length === 0;
  }

  /** Stops reading pages. */
  async close(): Promise<void> {
    await this.#pages.return(undefined);
  }
}

/** Reads the next page while this one is processed. */
async function* pagesOf(parts: PageParts, signal: AbortSignal): AsyncGenerator<PageOfNotes, undefined> {
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

/** Requests without any vector after which the provider has to embed a known-good sentence. */
const MAX_UNPROVEN = 3;

/** Holds refusals back until the provider has embedded something. @param prove embeds a known-good sentence, or throws */
export function createProvenAnswers(prove: () => Promise<void>) {
  const unproven: Answers[] = [];

  /** The answers still held back at the end. @throws as `admit` */
  async function last(): Promise<readonly Answers[]> {
    if (unproven.length > 0) await prove();
    return unproven.splice(0);
  }

  /** @returns the answers that may be written now, in order. @throws the error of the known-good sentence */
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

interface JobCallLimits {
  /** How long to wait for a provider that is down; without a limit by default. */
  readonly patienceMs?: number;
  /** Ends the call; the signal of the job by default. */
  readonly signal?: AbortSignal;
}

/**
 * Calls a provider in the background, with its waits reported.
 * @throws the error of the provider; the reason of the signal, even if the provider ignores it
 */
export async function askProvider<T>(
  job: JobRecord,
  question: (call: ProviderCall, signal: AbortSignal) => Promise<T>,
  { patienceMs = Number.POSITIVE_INFINITY, signal = job.signal }: JobCallLimits = {},
): Promise<T> {
  signal.throwIfAborted();
  const trace = newTrace();
  const until = performance.now() + patienceMs;
  let hasWaited = false;
  /** Only a wait after a failure is reported, not one for a turn. */
  const onWait = (): void => {
    const last = trace.retries.at(-1);
    if (last === undefined || trace.phase !== 'backoff') return;
    hasWaited = true;
    job.wait({ code: last.code, wait_ms: last.waited_ms });
  };
  const call: ProviderCall = { priority: 'background', msLeft: () => until - performance.now(), onWait, trace };
  try {
    return await untilAborted(question(call, signal), signal);
  } finally {
    // Another call of the job may still be waiting.
    if (hasWaited) job.endWait();
  }
}
