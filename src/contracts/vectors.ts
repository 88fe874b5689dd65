// What the store keeps of vectors: generations, the chunks in them, and the answers to "what is near". No engine's word appears here.
import type { ErrorCode } from '../base/errors.ts';
import type { NotePath } from '../base/note.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { NoteFilter, Page } from './note-filter.ts';

/** `main` is of the configured provider, `fallback` of the one it may step down to. */
export type GenerationRole = 'main' | 'fallback';

/** One set of vectors that may be compared with each other. Of each role at most one is active, and only that one is asked. */
export interface Generation {
  readonly id: number;
  readonly role: GenerationRole;
  readonly fingerprint: Fingerprint;
  /** `building` until it was complete once; `previous` is what an active one replaced. */
  readonly state: 'building' | 'active' | 'previous';
  /** Notes whose present content it holds, those it still lacks, and both together. */
  readonly embedded: number;
  readonly pending: number;
  readonly total: number;
  /** Chunks that a search can find, and those whose text the provider refused. */
  readonly chunks: number;
  readonly failedChunks: number;
  /** ISO; null while it was never complete. */
  readonly activatedAt: string | null;
}

/** A note that the generation lacks as it is now. */
export interface UnembeddedNote {
  readonly path: NotePath;
  readonly title: string;
  /** Of the content that is indexed. */
  readonly hash: string;
}

export interface EmbeddedChunk {
  /** Of its text as it was embedded, title and headings included. */
  readonly hash: string;
  /** First and last line in the note. */
  readonly lines: readonly [number, number];
  /** Why it has no vector. */
  readonly failure?: { readonly code: ErrorCode; readonly reason: string };
}

/** All chunks of one note, in order. */
export interface EmbeddedNote {
  readonly path: NotePath;
  /** Of the content the chunks were cut from: a note that changed meanwhile stays pending. */
  readonly hash: string;
  readonly chunks: readonly EmbeddedChunk[];
}

/** Vectors by the hash of their text, and the notes that are complete with them. */
export interface VectorChanges {
  readonly vectors: readonly { readonly hash: string; readonly vector: Float32Array }[];
  /** Each chunk without a failure has its vector in `vectors` or in the generation already. */
  readonly notes: readonly EmbeddedNote[];
}

export interface FailedChunk {
  readonly path: NotePath;
  /** From 0. */
  readonly chunk: number;
  readonly lines: readonly [number, number];
  readonly code: ErrorCode;
  readonly reason: string;
  readonly attempts: number;
  /** ISO times. */
  readonly first: string;
  readonly last: string;
}

export interface VectorHit {
  readonly path: NotePath;
  readonly title: string;
  readonly modifiedMs: number;
  /** Of the note's nearest chunk. */
  readonly lines: readonly [number, number];
  readonly cosine: number;
}

/** First and last line of a chunk of a note, and of the chunk of another one that is nearest to it. */
export interface ChunkPair {
  readonly lines: readonly [number, number];
  readonly otherLines: readonly [number, number];
}

/** The part of the store that keeps vectors. Only chunks of a note's present content are found. */
export interface VectorStore {
  /** Every generation, the newest first. */
  generations(signal: AbortSignal): Promise<readonly Generation[]>;
  /** The generation of that role and fingerprint; a new one, to be built, when there is none. */
  openGeneration(role: GenerationRole, fingerprint: Fingerprint, signal: AbortSignal): Promise<Generation>;
  /**
   * Ascending by path, from behind `after`.
   * @param withFailures those too that are embedded but for failed chunks
   */
  unembedded(
    generation: number,
    after: string,
    limit: number,
    withFailures: boolean,
    signal: AbortSignal,
  ): Promise<readonly UnembeddedNote[]>;
  /** Those of the hashes of which the generation holds a vector. */
  heldVectors(generation: number, hashes: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Applies all of it or nothing.
   * @throws INTERNAL for a vector that is not finite, zero, or not as long as the generation's, and for a chunk without one
   */
  applyVectors(generation: number, changes: VectorChanges, signal: AbortSignal): Promise<void>;
  /** Makes it the active one of its role; the active one before stays as the previous, and what was previous is dropped. */
  activate(generation: number, signal: AbortSignal): Promise<void>;
  /** Drops vectors that no chunk uses, and generations that are being built and are none of `kept`. */
  sweepVectors(kept: readonly number[], signal: AbortSignal): Promise<void>;
  /** Ascending by path, then chunk. */
  failedChunks(generation: number, page: Page, signal: AbortSignal): Promise<readonly FailedChunk[]>;
  /**
   * The notes with the chunks nearest to `vector`, each note once with its best chunk; descending by cosine, ties by path.
   * @throws INTERNAL for a vector that does not fit the generation
   */
  nearestChunks(
    generation: number,
    vector: Float32Array,
    filter: NoteFilter,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly VectorHit[]>;
  /** The mean of a note's chunk vectors, of unit length; null when the generation holds none of its present content. */
  noteVector(generation: number, path: NotePath, signal: AbortSignal): Promise<Float32Array | null>;
  /** As `nearestChunks`, by the mean of each note, without `paths`; `lines` are those of the chunk nearest to `vector`. */
  nearestNotes(
    generation: number,
    vector: Float32Array,
    filter: NoteFilter,
    without: readonly NotePath[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly VectorHit[]>;
  /**
   * Of a note and each of the others the two chunks nearest to each other, by the other's path; those without chunks are left out.
   */
  nearestPairs(
    generation: number,
    path: NotePath,
    others: readonly NotePath[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<NotePath, ChunkPair>>;
}
