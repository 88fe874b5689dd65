// Tracks which notes wait for which chunks, so that each text is embedded once and a note is written with its last chunk.
import type { VaultgraphError } from '../../base/errors.ts';
import type { EmbeddedChunk, EmbeddedNote } from '../../contracts/vectors.ts';
import type { Answers, ChunkToEmbed } from './embed-chunks.ts';

export interface ChunkedNote extends Pick<EmbeddedNote, 'path' | 'hash'> {
  readonly title: string;
  readonly chunks: readonly (EmbeddedChunk & { readonly text: string })[];
}

/** A note of which every chunk has a vector or a reason why it has none. */
export interface DoneNote {
  readonly note: EmbeddedNote;
  /** Chunks whose vector existed already, or came with the same text in another note. */
  readonly kept: number;
  /** In the order of the chunks. */
  readonly refused: readonly { readonly lines: EmbeddedChunk['lines']; readonly error: VaultgraphError }[];
}

export interface AwaitedChunks {
  /** @param held hashes that have vectors already @returns the chunks to embed for this note; often none */
  add(note: ChunkedNote, held: ReadonlySet<string>): readonly ChunkToEmbed[];
  addAnswers(answers: Answers): void;
  /** A note that cannot be cut into chunks. */
  refuse(note: Pick<EmbeddedNote, 'path' | 'hash'>, error: VaultgraphError): void;
  /** The notes that were completed since the last call. */
  done(): readonly DoneNote[];
}

const FIRST_LINE = [1, 1] as const;

interface Waiting {
  readonly note: ChunkedNote;
  readonly missing: Set<string>;
  /** Hashes that were requested because of this note. */
  readonly requested: readonly string[];
}

export function createAwaitedChunks(): AwaitedChunks {
  const answered = new Set<string>();
  const refusals = new Map<string, VaultgraphError>();
  const waiting = new Map<string, Waiting[]>();
  const done: DoneNote[] = [];

  function add(note: ChunkedNote, held: ReadonlySet<string>): readonly ChunkToEmbed[] {
    const isMissing = (hash: string): boolean => !held.has(hash) && !answered.has(hash) && !refusals.has(hash);
    const missing = new Map(note.chunks.filter(({ hash }) => isMissing(hash)).map(({ hash, text }) => [hash, text]));
    const requested = [...missing.keys()].filter((hash) => !waiting.has(hash));
    const entry = { note, missing: new Set(missing.keys()), requested };
    for (const hash of missing.keys()) waiting.set(hash, [...(waiting.get(hash) ?? []), entry]);
    if (missing.size === 0) done.push(doneNote(entry, refusals));
    return requested.map((hash) => ({ hash, text: missing.get(hash) ?? '', title: note.title }));
  }

  function addAnswers({ vectors, refused }: Answers): void {
    for (const hash of vectors.keys()) answered.add(hash);
    for (const [hash, error] of refused) refusals.set(hash, error);
    for (const hash of [...vectors.keys(), ...refused.keys()]) {
      const entries = waiting.get(hash) ?? [];
      waiting.delete(hash);
      for (const { missing } of entries) missing.delete(hash);
      done.push(...entries.filter(({ missing }) => missing.size === 0).map((entry) => doneNote(entry, refusals)));
    }
  }

  function refuse({ path, hash }: Pick<EmbeddedNote, 'path' | 'hash'>, error: VaultgraphError): void {
    const chunk = embeddedChunk({ hash, lines: FIRST_LINE }, error);
    done.push({ note: { path, hash, chunks: [chunk] }, kept: 0, refused: [{ lines: FIRST_LINE, error }] });
  }

  return { add, addAnswers, refuse, done: () => done.splice(0) };
}

function doneNote({ note, requested }: Waiting, refusals: ReadonlyMap<string, VaultgraphError>): DoneNote {
  const { path, hash, chunks } = note;
  const refused = chunks.flatMap(({ hash, lines }) => {
    const error = refusals.get(hash);
    return error === undefined ? [] : [{ lines, error }];
  });
  const embedded = requested.filter((hash) => !refusals.has(hash)).length;
  return {
    note: { path, hash, chunks: chunks.map((chunk) => embeddedChunk(chunk, refusals.get(chunk.hash))) },
    kept: chunks.length - refused.length - embedded,
    refused,
  };
}

function embeddedChunk({ hash, lines }: EmbeddedChunk, error: VaultgraphError | undefined): EmbeddedChunk {
  return error === undefined ? { hash, lines } : { hash, lines, failure: { code: error.code, reason: error.message } };
}
