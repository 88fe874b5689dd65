// Reads one page of the notes that a generation lacks, cuts them into chunks and looks up which chunks have vectors already.

import type { BatchResult } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { UnchunkedFile } from '../../compute/file-jobs.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { Store } from '../../contracts/store.ts';
import type { FileContent, Vault } from '../../contracts/vault.ts';
import type { EmbeddedChunk, EmbeddedNote, UnembeddedNote } from '../../contracts/vectors.ts';
import { halvesOf } from '../../markdown/chunk/halves.ts';
import type { TokenRates } from '../../markdown/chunk/token-rates.ts';

export interface PageParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  /** Id of the generation. */
  readonly generation: number;
  readonly chunker: string;
  readonly rates: TokenRates;
  /** Whether to include notes with chunks that the provider refused before. */
  readonly retryFailed: boolean;
}

export interface PageOfNotes {
  readonly listed: readonly UnembeddedNote[];
  /** Without notes that changed since they were indexed, as `uncut`. */
  readonly chunked: readonly ChunkedNote[];
  /** Hashes of their chunks that have vectors. */
  readonly held: ReadonlySet<string>;
  readonly unread: readonly { readonly id: string; readonly error: VaultgraphError }[];
  readonly uncut: readonly { readonly note: UnembeddedNote; readonly error: VaultgraphError }[];
}

/** Small enough that a page of long notes fits in memory, large enough that the next page is ready before this one is embedded. */
const NOTES_PER_PAGE = 64;

/** The page of notes after the path `after`; an empty page is the last. @throws VAULT_UNAVAILABLE; the store's errors; the abort's reason */
export async function readPage(after: string, parts: PageParts, signal: AbortSignal): Promise<PageOfNotes> {
  const { vault, store, generation, retryFailed } = parts;
  const listed = await store.unembedded(generation, after, NOTES_PER_PAGE, retryFailed, signal);
  const paths = listed.map(({ path }) => path);
  const { succeeded, failed: unread } = await vault.read(paths, signal);
  const contents = succeeded.map(({ result }) => result);
  const cut = await cutNotes(listed, contents, parts, signal);
  const hashes = new Set(cut.chunked.flatMap(({ chunks }) => chunks.map(({ hash }) => hash)));
  const held = await store.heldVectors(generation, [...hashes], signal);
  return { listed, unread, held, ...cut };
}

async function cutNotes(
  listed: readonly UnembeddedNote[],
  contents: readonly FileContent[],
  { compute, chunker, rates }: PageParts,
  signal: AbortSignal,
): Promise<Pick<PageOfNotes, 'chunked' | 'uncut'>> {
  const notes = new Map(listed.map((note) => [note.path, note]));
  const files = contents.map(({ path, bytes }) => ({ path, title: notes.get(path)?.title ?? '', bytes }));
  const rows = files.length === 0 ? [] : await compute.run(jobs.chunk, { files, chunker, rates }, signal);
  const present = rows.flatMap((row) => {
    const note = notes.get(row.path);
    return note?.hash === row.hash ? [{ note, row }] : [];
  });
  return {
    chunked: present.flatMap(({ note, row }) => ('chunks' in row ? [{ ...note, chunks: row.chunks }] : [])),
    uncut: present.flatMap(({ note, row }) => ('code' in row ? [{ note, error: fault(row) }] : [])),
  };
}

/** Cutting a note fails only by a bug. */
function fault({ code, reason }: UnchunkedFile): VaultgraphError {
  return new VaultgraphError('INTERNAL', { kind: code }, { cause: reason });
}

// Tracks which notes wait for which chunks, so that each text is embedded once and a note is written with its last chunk.

interface TextChunk extends EmbeddedChunk {
  readonly text: string;
}

export interface ChunkedNote extends Pick<EmbeddedNote, 'path' | 'hash'> {
  readonly title: string;
  readonly chunks: readonly TextChunk[];
}

/** A note of which every chunk has a vector or a reason why it has none. */
export type DoneNote = ReturnType<typeof doneNote>;

const FIRST_LINE = [1, 1] as const;

interface Waiting {
  readonly note: ChunkedNote;
  /** Those of the note, with the halves of the ones that were cut. */
  chunks: readonly TextChunk[];
  readonly missing: Set<string>;
  /** Hashes that were requested because of this note. */
  readonly requested: Set<string>;
}

export class AwaitedChunks {
  readonly #answered = new Set<string>();
  readonly #refusals = new Map<string, VaultgraphError>();
  readonly #halved = new Set<string>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #done: DoneNote[] = [];

  /** @param held hashes that have vectors already @returns the chunks to embed for this note; often none */
  add(note: ChunkedNote, held: ReadonlySet<string>): readonly ChunkToEmbed[] {
    const chunks = note.chunks.flatMap((chunk) => (held.has(chunk.hash) ? [chunk] : this.#partsOf(chunk)));
    const missing = chunks.filter(({ hash }) => !held.has(hash));
    return this.#request({ note, chunks, missing: new Set(), requested: new Set() }, missing);
  }

  /** @returns the halves to embed instead of texts that were refused as too long */
  addAnswers({ vectors, refused }: Answers): readonly ChunkToEmbed[] {
    for (const hash of vectors.keys()) this.#answered.add(hash);
    for (const [hash, error] of refused) {
      if (this.#isCut(hash, error)) this.#halved.add(hash);
      else this.#refusals.set(hash, error);
    }
    return [...vectors.keys(), ...refused.keys()].flatMap((hash) => this.#settle(hash));
  }

  /** A note that cannot be cut into chunks. */
  refuse({ path, hash }: Pick<EmbeddedNote, 'path' | 'hash'>, error: VaultgraphError): void {
    const chunk = embeddedChunk({ hash, lines: FIRST_LINE }, error);
    this.#done.push({ note: { path, hash, chunks: [chunk] }, kept: 0, refused: [{ lines: FIRST_LINE, error }] });
  }

  /** The notes that were completed since the last call. */
  done(): DoneNote[] {
    return this.#done.splice(0);
  }

  /** The chunk, or the parts of it that were not refused as too long. */
  #partsOf(chunk: TextChunk): readonly TextChunk[] {
    return this.#halved.has(chunk.hash) ? halvesWithHash(chunk).flatMap((half) => this.#partsOf(half)) : [chunk];
  }

  /** @returns the chunks that nothing has requested yet */
  #request(entry: Waiting, chunks: readonly TextChunk[]): readonly ChunkToEmbed[] {
    const fresh: ChunkToEmbed[] = [];
    for (const { hash, text } of chunks) {
      if (this.#answered.has(hash) || this.#refusals.has(hash) || entry.missing.has(hash)) continue;
      entry.missing.add(hash);
      const entries = this.#waiting.get(hash) ?? [];
      this.#waiting.set(hash, [...entries, entry]);
      if (entries.length > 0) continue;
      entry.requested.add(hash);
      fresh.push({ hash, text, title: entry.note.title });
    }
    if (entry.missing.size === 0) this.#done.push(doneNote(entry, this.#refusals));
    return fresh;
  }

  #isCut(hash: string, { code }: VaultgraphError): boolean {
    const chunk = this.#waiting.get(hash)?.[0]?.chunks.find((each) => each.hash === hash);
    return code === 'PROVIDER_INPUT_TOO_LONG' && chunk !== undefined && halvesOf(chunk) !== undefined;
  }

  #settle(hash: string): readonly ChunkToEmbed[] {
    const entries = this.#waiting.get(hash) ?? [];
    this.#waiting.delete(hash);
    return entries.flatMap((entry) => {
      entry.missing.delete(hash);
      const isIt = (chunk: TextChunk): boolean => chunk.hash === hash;
      const parts = entry.chunks.filter(isIt).flatMap((chunk) => this.#partsOf(chunk));
      if (this.#halved.has(hash)) {
        entry.requested.delete(hash);
        entry.chunks = entry.chunks.flatMap((chunk) => (isIt(chunk) ? this.#partsOf(chunk) : [chunk]));
      }
      return this.#request(entry, parts);
    });
  }
}

function halvesWithHash(chunk: TextChunk): readonly TextChunk[] {
  return (halvesOf(chunk) ?? []).map((half) => ({ ...half, hash: contentHash(Buffer.from(half.text)) }));
}

/**
 * `kept`: chunks whose vector existed already, or came with the same text in another note.
 * `refused`: in the order of the chunks.
 */
function doneNote({ note, chunks, requested }: Waiting, refusals: ReadonlyMap<string, VaultgraphError>) {
  const { path, hash } = note;
  const refused = chunks.flatMap(({ hash, lines }) => {
    const error = refusals.get(hash);
    return error === undefined ? [] : [{ lines, error }];
  });
  const embedded = [...requested].filter((hash) => !refusals.has(hash)).length;
  return {
    note: { path, hash, chunks: chunks.map((chunk) => embeddedChunk(chunk, refusals.get(chunk.hash))) },
    kept: chunks.length - refused.length - embedded,
    refused,
  };
}

function embeddedChunk({ hash, lines }: EmbeddedChunk, error: VaultgraphError | undefined): EmbeddedChunk {
  return error === undefined ? { hash, lines } : { hash, lines, failure: { code: error.code, reason: error.message } };
}

// Packs chunks into requests, and embeds one request so that each chunk ends with a vector or with the reason why it has none.

export interface ChunkToEmbed {
  /** The hash of its text. */
  readonly hash: string;
  readonly text: string;
  /** The title of its note. */
  readonly title: string;
}

/** By the hash of the text; a hash is in one of the two at most. */
export interface Answers {
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Why a text has no vector. */
  readonly refused: ReadonlyMap<string, VaultgraphError>;
}

export interface GrowingAnswers extends Answers {
  readonly vectors: Map<string, Float32Array>;
  readonly refused: Map<string, VaultgraphError>;
}

/** One request, with the hashes as ids. @throws PROVIDER_*, EGRESS_BLOCKED */
export type Send = (chunks: readonly ChunkToEmbed[]) => Promise<BatchResult<Float32Array>>;

/**
 * Adds to `answers`, which keep what came before a failure. To find the text that a server refuses, a large request is sent again in
 * groups of 16, and a group text by text; a request that timed out is sent once more, in halves.
 * @throws errors of the provider as a whole, not those of single texts
 */
export async function embedChunks(
  chunks: readonly ChunkToEmbed[],
  send: Send,
  answers: GrowingAnswers,
  isSecondTry = false,
): Promise<void> {
  const fault = await sendInto(answers, chunks, send);
  if (fault === undefined) return;
  if (fault.error.code === 'PROVIDER_TIMEOUT' && !isSecondTry) {
    for (const half of groupsOf(chunks, Math.ceil(chunks.length / 2))) await embedChunks(half, send, answers, true);
    return;
  }
  if (!fault.isOfOneText) throw fault.error;
  if (chunks.length === 1) for (const { hash } of chunks) answers.refused.set(hash, fault.error);
  const left = chunks.filter(({ hash }) => !answers.vectors.has(hash) && !answers.refused.has(hash));
  const size = left.length > GROUP ? GROUP : 1;
  for (const group of groupsOf(left, size)) await embedChunks(group, send, answers, isSecondTry);
}

async function sendInto({ vectors }: GrowingAnswers, chunks: readonly ChunkToEmbed[], send: Send) {
  try {
    const { succeeded, failed } = await send(chunks);
    for (const { id, result } of succeeded) vectors.set(id, result);
    const [bad] = failed;
    return bad && { error: bad.error, isOfOneText: true };
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    return { error, isOfOneText: concernsOneText(error) };
  }
}

/** A rejected request may be the fault of one text, which shows when each is sent alone. */
export function concernsOneText({ code, details }: VaultgraphError): boolean {
  return code === 'PROVIDER_REJECTED_INPUT' || ('level' in details && details.level === 'item');
}

/** Some servers limit the number of texts. Halves of a request would cost more: servers compute all texts before they refuse one. */
const GROUP = 16;

function groupsOf(chunks: readonly ChunkToEmbed[], size: number): readonly (readonly ChunkToEmbed[])[] {
  return Array.from({ length: Math.ceil(chunks.length / size) }, (_, at) => chunks.slice(at * size, (at + 1) * size));
}

export interface RequestLimits {
  readonly items: number;
  readonly characters: number;
  /** Characters that the prefix adds to each text, without the title in it. */
  readonly prefix: number;
}

/**
 * How many of the first chunks are one request; `isFull` if it has no room for the next one. A chunk above the limit on characters
 * is a request of its own.
 */
export function fittingRequest(chunks: readonly ChunkToEmbed[], limits: RequestLimits) {
  let characters = 0;
  for (const [count, { title, text }] of chunks.entries()) {
    characters += limits.prefix + title.length + text.length;
    if (count === limits.items || (count > 0 && characters > limits.characters)) return { count, isFull: true };
  }
  return { count: chunks.length, isFull: chunks.length === limits.items };
}
