// A brute-force model of the vector store, for comparison.
import type { EmbeddedChunk, GenerationRole } from '../../../src/contracts/vectors.ts';
import { contentHash } from './vector-vault.ts';

export interface ModelGeneration {
  readonly role: GenerationRole;
  readonly model: string;
  state: 'building' | 'active' | 'previous';
  readonly vectors: Map<string, Float32Array>;
  /** Chunks by path, with the hash of the content they were cut from. */
  readonly notes: Map<string, { readonly hash: string; readonly chunks: readonly EmbeddedChunk[] }>;
  /** By path and text, how often it failed up to now; of what failed the last time only. */
  readonly failures: Map<string, ReadonlyMap<string, number>>;
}

/** Files with their text, and generations by number. */
export interface Model {
  readonly texts: Map<string, string>;
  readonly generations: Map<number, ModelGeneration>;
}

export function newGeneration(role: GenerationRole, model: string): ModelGeneration {
  return { role, model, state: 'building', vectors: new Map(), notes: new Map(), failures: new Map() };
}

/** The chunks of a note as it is now; undefined when the generation does not hold them. */
export function presentChunks(
  { texts }: Model,
  { notes }: ModelGeneration,
  path: string,
): readonly EmbeddedChunk[] | undefined {
  const text = texts.get(path);
  const note = notes.get(path);
  return text !== undefined && note?.hash === contentHash(text) ? note.chunks : undefined;
}

export function removeNote({ texts, generations }: Model, path: string): void {
  texts.delete(path);
  for (const { notes, failures } of generations.values()) {
    notes.delete(path);
    failures.delete(path);
  }
}

/** Content that changed is forgotten, also when it comes back. */
export function writeNote({ texts, generations }: Model, path: string, text: string): void {
  if (texts.get(path) !== text) for (const { notes } of generations.values()) notes.delete(path);
  texts.set(path, text);
}

export function embedNote(
  model: Model,
  generation: ModelGeneration,
  path: string,
  text: string,
  chunks: readonly EmbeddedChunk[],
): void {
  if (model.texts.get(path) !== text) return;
  generation.notes.set(path, { hash: contentHash(text), chunks });
  const before = generation.failures.get(path);
  const failed = chunks.filter(({ failure }) => failure !== undefined).map(({ hash }) => hash);
  generation.failures.set(path, new Map(failed.map((hash) => [hash, (before?.get(hash) ?? 0) + 1])));
}

export function activateModel({ generations }: Model, id: number): void {
  const chosen = generations.get(id);
  if (chosen === undefined || chosen.state === 'active') return;
  for (const [other, generation] of generations) {
    if (other === id || generation.role !== chosen.role) continue;
    if (generation.state === 'previous') generations.delete(other);
    if (generation.state === 'active') generation.state = 'previous';
  }
  chosen.state = 'active';
}

export function sweepModel({ generations }: Model, kept: readonly number[]): void {
  for (const [id, { state, vectors, notes }] of generations) {
    if (state === 'building' && !kept.includes(id)) generations.delete(id);
    const used = new Set(
      [...notes.values()].flatMap(({ chunks }) => chunks.filter((one) => !one.failure).map(({ hash }) => hash)),
    );
    for (const hash of vectors.keys()) if (!used.has(hash)) vectors.delete(hash);
  }
}

export function cosine(one: Float32Array, other: Float32Array): number {
  const dot = (left: Float32Array, right: Float32Array) =>
    left.reduce((sum, component, at) => sum + component * (right[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const units = vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return vector.map((component) => component / length);
  });
  const [first = new Float32Array()] = units;
  return first.map((_, at) => units.reduce((sum, unit) => sum + (unit[at] ?? 0), 0) / units.length);
}
