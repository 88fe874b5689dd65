// Provides generations, chunked notes and readable vectors for the vector contract.
import type { NotePath } from '../../../src/base/note.ts';
import type { Fingerprint } from '../../../src/contracts/fingerprint.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type {
  EmbeddedChunk,
  EmbeddedNote,
  Generation,
  GenerationRole,
  VectorChanges,
} from '../../../src/contracts/vectors.ts';
import { asPath, signal } from './law.ts';

export function fingerprint(more: Partial<Fingerprint> = {}): Fingerprint {
  const model = { provider: 'ollama', model: 'small', digest: 'sha256:1', samples: [], dims: 3 };
  const prefixes = { queryPrefix: 'query: ', documentPrefix: '' };
  return { ...model, ...prefixes, truncation: 'refused', chunker: '1/300', ...more };
}

export const vector = (...components: number[]): Float32Array => Float32Array.from(components);

export const EAST = vector(1, 0, 0);
export const NORTH = vector(0, 1, 0);
export const UP = vector(0, 0, 1);

export function opened(
  store: Store,
  more: Partial<Fingerprint> = {},
  role: GenerationRole = 'main',
): Promise<Generation> {
  return store.openGeneration(role, fingerprint(more), signal);
}

/** The hash of content as `indexed` of the laws makes it. */
export const contentHash = (text: string): string => `hash of ${text}`;

/** A chunk with its vector, or with why it has none. The text of a chunk is the hash of it. */
export type Chunk = readonly [text: string, vector: Float32Array | string];

/** Ten lines a chunk: 1 to 10, 11 to 20 and so on. */
function chunksOf(chunks: readonly Chunk[]): EmbeddedChunk[] {
  return chunks.map(([hash, vector], at) => {
    const chunk = { hash, lines: [at * 10 + 1, at * 10 + 10] } as const;
    return typeof vector === 'string'
      ? { ...chunk, failure: { code: 'PROVIDER_INPUT_TOO_LONG', reason: vector } }
      : chunk;
  });
}

export function embeddedNote(path: string, text: string, chunks: readonly Chunk[]): EmbeddedNote {
  return { path: asPath(path), hash: contentHash(text), chunks: chunksOf(chunks) };
}

/** Notes by path: the text they are indexed with, and their chunks. */
export type Embedded = Readonly<Record<string, readonly [text: string, ...chunks: Chunk[]]>>;

function vectorChanges(embedded: Embedded): VectorChanges {
  const notes = Object.entries(embedded).map(([path, [text, ...chunks]]) => embeddedNote(path, text, chunks));
  const vectors = Object.values(embedded).flatMap(([, ...chunks]) =>
    chunks.flatMap(([hash, vector]) => (typeof vector === 'string' ? [] : [{ hash, vector }])),
  );
  return { vectors, notes };
}

export async function embed(store: Store, generation: { readonly id: number }, embedded: Embedded): Promise<void> {
  await store.applyVectors(generation.id, vectorChanges(embedded), signal);
}

/** `path from-to cosine` of each hit, the cosine to two digits. */
export async function nearChunks(
  store: Store,
  { id }: { readonly id: number },
  to: Float32Array,
  limit = 100,
): Promise<string[]> {
  const hits = await store.nearestChunks(id, to, {}, limit, signal);
  return hits.map(({ path, lines, cosine }) => `${path} ${lines.join('-')} ${cosine.toFixed(2)}`);
}

export async function generationOf(store: Store, id: number): Promise<Generation | undefined> {
  return (await store.generations(signal)).find((generation) => generation.id === id);
}

export async function pendingNotes(
  store: Store,
  { id }: { readonly id: number },
  withFailures = false,
): Promise<NotePath[]> {
  return (await store.unembedded(id, '', 1_000, withFailures, signal)).map(({ path }) => path);
}
