// The part of the store that keeps vectors: generations, their chunks, and nearest-neighbour queries.
import type { ErrorCode } from '../base/errors.ts';
import type { NotePath } from '../base/note.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { NoteFilter, Page } from './note-filter.ts';

/** `main` is of the configured provider, `fallback` of its fallback. */
export type GenerationRole = 'main' | 'fallback';

/** A set of vectors that can be compared with each other. At most one per role is active, and only active ones are searched. */
export interface Generation {
  readonly id: number;
  readonly role: GenerationRole;
  readonly fingerprint: Fingerprint;
  /** `building` until it is complete for the first time; `previous` once it was replaced by the active one. */
  readonly state: 'building' | 'active' | 'previous';
  /** Numbers of notes whose present content it has, that it still lacks, and of both together. */
  readonly embedded: number;
  readonly pending: number;
  readonly total: number;
  /** Numbers of chunks that a search can find, and of those whose text the provider refused. */
  readonly chunks: number;
  readonly failedChunks: number;
  /** ISO time; null until it is complete for the first time. */
  readonly activatedAt: string | null;
}

/** A note whose present content the generation lacks. */
export interface UnembeddedNote {
  readonly path: NotePath;
  readonly title: string;
  /** Hash of the indexed content. */
  readonly hash: string;
}

export interface EmbeddedChunk {
  /** Hash of the text that was embedded, title and headings included. */
  readonly hash: string;
  /** First and last line in the note. */
  readonly lines: readonly [number, number];
  /** Why it has no vector. */
  readonly failure?: { readonly code: ErrorCode; readonly reason: string };
}

/** All chunks of one note, in order. */
export interface EmbeddedNote {
  readonly path: NotePath;
  /** Hash of the content that was cut into the chunks; a note that changed meanwhile stays pending. */
  readonly hash: string;
  readonly chunks: readonly EmbeddedChunk[];
}

/** Vectors by the hash of their text, and the notes that they complete. */
export interface VectorChanges {
  readonly vectors: readonly { readonly hash: string; readonly vector: Float32Array }[];
  /** Each chunk without a failure has its vector in `vectors`, or already in the generation. */
  readonly notes: readonly EmbeddedNote[];
}

export interface FailedChunk {
  readonly path: NotePath;
  /** Position in the note, from 0. */
  readonly chunk: number;
  readonly lines: readonly [number, number];
  readonly code: ErrorCode;
  readonly reason: string;
  readonly attempts: number;
  /** ISO times. */
  readonly first: string;
  readonly last: string;
}

export interface NoteHit {
  readonly path: NotePath;
  readonly title: string;
  readonly modifiedMs: number;
  readonly cosine: number;
}

export interface VectorHit extends NoteHit {
  /** First and last line of the note's nearest chunk. */
  readonly lines: readonly [number, number];
}

/** First and last lines of the two chunks of two notes that are nearest to each other. */
export interface ChunkPair {
  readonly lines: readonly [number, number];
  readonly otherLines: readonly [number, number];
}

/**
 * Searches find only chunks of a note's present content.
 * @example
 * const [generation] = (await store.generations(signal)).filter(({ state }) => state === 'active');
 * const hits = await store.nearestChunks(generation.id, vector, {}, 10, signal);
 */
export interface VectorStore {
  /** All generations, newest first. */
  generations(signal: AbortSignal): Promise<readonly Generation[]>;
  /** The generation of this role and fingerprint; creates one that is `building` if there is none. */
  openGeneration(role: GenerationRole, fingerprint: Fingerprint, signal: AbortSignal): Promise<Generation>;
  /**
   * Ascending by path, those after the path `after`.
   * @param withFailures whether to include notes with failed chunks
   */
  unembedded(
    generation: number,
    after: string,
    limit: number,
    withFailures: boolean,
    signal: AbortSignal,
  ): Promise<readonly UnembeddedNote[]>;
  /** Those of the hashes for which the generation has a vector. */
  heldVectors(generation: number, hashes: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Applies all changes or none.
   * @throws INTERNAL for a vector that is not finite, is zero or has another dimension, and for a chunk without a vector
   */
  applyVectors(generation: number, changes: VectorChanges, signal: AbortSignal): Promise<void>;
  /** Makes it the active one of its role. The previously active one becomes `previous`, and the one before that is deleted. */
  activate(generation: number, signal: AbortSignal): Promise<void>;
  /** Deletes vectors that no chunk uses, and `building` generations that are not in `kept`. */
  sweepVectors(kept: readonly number[], signal: AbortSignal): Promise<void>;
  /** Ascending by path, then chunk. */
  failedChunks(generation: number, page: Page, signal: AbortSignal): Promise<readonly FailedChunk[]>;
  /**
   * The notes with the chunks nearest to `vector`, one hit per note; descending by cosine, ties by path.
   * @throws INTERNAL for a vector of another dimension
   */
  nearestChunks(
    generation: number,
    vector: Float32Array,
    filter: NoteFilter,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly VectorHit[]>;
  /** The mean of a note's chunk vectors, of unit length; null if the generation lacks its present content. */
  noteVector(generation: number, path: NotePath, signal: AbortSignal): Promise<Float32Array | null>;
  /**
   * The vector of one of the note's chunks.
   * @param share where in the note: 0 is its first chunk, just below 1 its last one
   * @returns null if the generation lacks the note's present content
   */
  chunkVector(generation: number, path: NotePath, share: number, signal: AbortSignal): Promise<Float32Array | null>;
  /**
   * Does what `nearestChunks` does, by the mean vector of each note.
   * @param without paths to leave out
   */
  nearestNotes(
    generation: number,
    vector: Float32Array,
    filter: NoteFilter,
    without: readonly NotePath[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly NoteHit[]>;
  /**
   * For each of the others, the two chunks of both notes that are nearest to each other; notes without chunks are left out.
   */
  nearestPairs(
    generation: number,
    path: NotePath,
    others: readonly NotePath[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<NotePath, ChunkPair>>;
}
