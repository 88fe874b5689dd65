// Tracks which notes wait for which chunks, so that each text is embedded once and a note is written with its last chunk.
import { contentHash } from '../../base/content-hash.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { EmbeddedChunk, EmbeddedNote } from '../../contracts/vectors.ts';
import { halvesOf } from '../../markdown/chunk/halves.ts';
import type { Answers, ChunkToEmbed } from './embed-chunks.ts';

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
