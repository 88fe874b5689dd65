// Fills one generation: while one request is at the provider, the next is prepared and the one before is written.
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { type EmbeddingInput, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { errorOf, resultOf, settled } from '../result.ts';
import { askProvider } from './ask-provider.ts';
import { type AwaitedChunks, createAwaitedChunks, type DoneNote } from './awaited-chunks.ts';
import { type Answers, embedChunks, type GrowingAnswers, type Send } from './embed-chunks.ts';
import { type PageOfNotes, type PageParts, readPage } from './notes-to-embed.ts';
import { type ChunkToEmbed, packRequests, type RequestLimits } from './pack-requests.ts';

export interface EmbedParts extends PageParts {
  readonly provider: EmbeddingProvider;
  readonly limits: RequestLimits;
}

/**
 * Every note that the generation lacks, but for those that cannot be read or changed meanwhile. What is written is never asked for again.
 * @throws what concerns the provider, the vault or the store as a whole; what was embedded before is kept
 */
export async function embedNotes(job: JobRecord, parts: EmbedParts): Promise<void> {
  const awaited = createAwaitedChunks();
  const send = sendWith(job, parts);
  const proven = createProvenAnswers(() => embedSample(send));
  const behind = createWriteBehind<Written>((item) => write(job, item, parts));
  const writeProven = (admitted: readonly Answers[]): Promise<void> => {
    for (const answers of admitted) awaited.settle(answers);
    return behind.add({ answers: admitted, done: awaited.done() });
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
  // Nothing is still being written when the job ends, however it does.
  await run().finally(behind.ended);
}

interface Written {
  readonly answers: readonly Answers[];
  readonly done: readonly DoneNote[];
}

/** What came before a failure is kept; but refusals by a provider that then fails may mean nothing. */
function isToAdmit({ vectors, refused }: Answers, error: VaultgraphError | undefined): boolean {
  return vectors.size > 0 || (refused.size > 0 && error === undefined);
}

/** Requests as full as they may be; an empty one where notes of a page are done without any. */
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

/** The next page is read while this one is worked on. */
async function* pagesOf(parts: PageParts, signal: AbortSignal): AsyncGenerator<PageOfNotes> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let ahead = settled(readPage('', parts, either));
  try {
    for (;;) {
      const page = resultOf(await ahead);
      const last = page.listed.at(-1);
      if (last === undefined) return;
      ahead = settled(readPage(last.path, parts, either));
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

/** Nothing is wrong with this text, so a refusal of it is one of every text. */
async function embedSample(send: Send): Promise<void> {
  const answers: GrowingAnswers = { vectors: new Map(), refused: new Map() };
  const [text] = SAMPLE_SENTENCES;
  await embedChunks([{ hash: 'sample', title: 'sample', text: text as string }], send, answers);
  for (const error of answers.refused.values()) throw ofTheCall(error);
}

function ofTheCall(error: VaultgraphError): VaultgraphError {
  const details = { ...error.details, level: 'call' } as DetailsOf<ErrorCode>;
  return new VaultgraphError<ErrorCode>(error.code, details, { cause: error, retry: error.retry });
}

async function write(job: JobRecord, { answers, done }: Written, { store, generation }: EmbedParts): Promise<void> {
  const vectors = answers.flatMap((some) => [...some.vectors].map(([hash, vector]) => ({ hash, vector })));
  if (vectors.length === 0 && done.length === 0) return;
  await store.applyVectors(generation, { vectors, notes: done.map(({ note }) => note) }, job.signal);
  job.chunks.embedded += vectors.length;
  for (const note of done) countNote(job, note);
  job.tell();
}

function countNote({ counts, chunks, fail }: JobRecord, { note, kept, refused }: DoneNote): void {
  counts.done += 1;
  counts.failed += refused.length > 0 ? 1 : 0;
  counts.indexed += refused.length > 0 ? 0 : 1;
  chunks.kept += kept;
  chunks.failed += refused.length;
  fail(refused.map(({ lines, error }) => ({ id: `${note.path}:${lines[0]}-${lines[1]}`, error })));
}

/** What cannot be read or changed meanwhile is as done as this job can have it. */
function countPage({ counts, fail }: JobRecord, { listed, chunked, unread, uncut }: PageOfNotes, seen: number): void {
  // Notes of which chunks are tried again were not counted as pending.
  counts.changed = Math.max(counts.changed, seen);
  counts.done += listed.length - chunked.length - uncut.length;
  counts.failed += unread.length;
  fail(unread);
}

interface WriteBehind<T> {
  /** Has it written once the one before is: only what is being written and what its caller works on can be lost. @throws what an earlier write failed with */
  add(item: T): Promise<void>;
  /** All is written, or will never be. @throws what a write failed with; nothing was written behind it */
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

/** Requests without one vector after which a known-good sentence is tried. */
const MAX_UNPROVEN = 3;

interface ProvenAnswers {
  /** @returns what may be written now, in the order given. @throws what the known-good sentence fails with */
  admit(answers: Answers): Promise<readonly Answers[]>;
  /** What is still held back at the end. @throws as `admit` */
  last(): Promise<readonly Answers[]>;
}

/** @param prove embeds a known-good sentence, or throws why it cannot */
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

/** Texts may well all be too long; that all of them are bad in another way says more of the provider than of them. */
function isSuspicious({ refused }: Answers): boolean {
  return [...refused.values()].every(({ code }) => code !== 'PROVIDER_INPUT_TOO_LONG');
}
