// Fills a store with a collection of vectors, and finds the nearest ones to each query by brute force.
import { join } from 'node:path';
import type { NotePath } from '../../src/base/note.ts';
import type { Opened } from '../../src/contracts/provider.ts';
import type { Store, StoreDriver } from '../../src/contracts/store.ts';
import type { VectorChanges } from '../../src/contracts/vectors.ts';
import { sqliteProvider } from '../../src/providers/sqlite/provider.ts';
import { changes, found, indexed, signal } from '../contracts/store/law.ts';
import { fingerprint } from '../contracts/store/vector-vault.ts';
import type { VectorSize } from './goals.ts';
import { timed } from './statistics.ts';
import { CHUNKS_PER_NOTE, createVectorCollection, type VectorCollection } from './vector-collection.ts';

const QUESTIONS = 100;
const FOLDERS = 50;
/** The number of vectors per provider request. */
const NOTES_PER_CALL = 64 / CHUNKS_PER_NOTE;
const NOTES_PER_CHANGE = 100 * NOTES_PER_CALL;
/** The longest result list that is compared with the truth. */
export const DEEP = 50;

/** A filled store, and the queries with their brute-force results. */
export interface FilledStore extends VectorSize {
  readonly folder: string;
  readonly questions: readonly Float32Array[];
  /** For each query its nearest notes by number, nearest first. */
  readonly nearest: readonly (readonly number[])[];
  readonly generation: number;
}

export interface NumberedVector {
  readonly note: number;
  readonly chunk: number;
  readonly vector: Float32Array;
}

export function openStore(folder: string, driver?: StoreDriver): Promise<Opened<Store>> {
  const context = {
    vaultRoot: join(folder, 'vault'),
    dataFolder: join(folder, 'data'),
    stateFolder: join(folder, 'state'),
    log: () => undefined,
  };
  return sqliteProvider.open({ driver }, context, signal);
}

export const pathOf = (note: number): string => `f${note % FOLDERS}/n${note}.md`;

/** Times only the writes; between them it computes the brute-force results. */
export async function fillWithVectors(
  size: VectorSize,
  folder: string,
  driver?: StoreDriver,
): Promise<{ setting: FilledStore; perSecond: number }> {
  const collection = createVectorCollection(size.chunks, size.dims);
  const { capability: store, close } = await openStore(folder, driver);
  const { id } = await store.openGeneration('main', fingerprint({ dims: size.dims }), signal);
  const questions = Array.from({ length: QUESTIONS }, () => collection.question());
  const cosines = questions.map(() => new Float32Array(collection.notes).fill(-1));
  let ms = 0;
  for (let from = 0; from < collection.notes; from += NOTES_PER_CALL) {
    if (from % NOTES_PER_CHANGE === 0) await indexNotes(store, from, collection.notes);
    const vectors = chunksFrom(collection, from);
    for (const [question, best] of cosines.entries()) {
      for (const { note, vector } of vectors) {
        best[note] = Math.max(best[note] ?? -1, dot(questions[question] ?? vector, vector));
      }
    }
    ms += await timed(() => store.applyVectors(id, changesOf(vectors), signal));
  }
  await store.activate(id, signal);
  await close();
  const nearest = cosines.map((best) =>
    [...best.keys()].sort((one, other) => dotOf(best, other) - dotOf(best, one)).slice(0, DEEP),
  );
  return { setting: { ...size, folder, questions, nearest, generation: id }, perSecond: (size.chunks / ms) * 1_000 };
}

const dotOf = (best: Float32Array, note: number): number => best[note] ?? -1;

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

async function indexNotes(store: Store, from: number, notes: number): Promise<void> {
  const count = Math.min(NOTES_PER_CHANGE, notes - from);
  const paths = Array.from({ length: count }, (_, at) => pathOf(from + at));
  const read = paths.map((path) => indexed(path, 'text'));
  await store.apply(changes({ added: paths.map((path) => found(path)), indexed: read }), signal);
}

function chunksFrom(collection: VectorCollection, from: number): NumberedVector[] {
  const notes = Array.from({ length: Math.min(NOTES_PER_CALL, collection.notes - from) }, (_, at) => from + at);
  return notes.flatMap((note) => collection.nextNote().chunks.map((vector, chunk) => ({ note, chunk, vector })));
}

const hashOf = ({ note, chunk }: NumberedVector): string => `${'0'.repeat(50)} ${note} ${chunk}`;

export function changesOf(vectors: readonly NumberedVector[]): VectorChanges {
  const notes = [...Map.groupBy(vectors, ({ note }) => note)].map(([note, chunks]) => ({
    path: pathOf(note) as NotePath,
    hash: 'hash of text',
    chunks: chunks.map((chunk) => ({
      hash: hashOf(chunk),
      lines: [chunk.chunk * 10 + 1, chunk.chunk * 10 + 10] as const,
    })),
  }));
  return { vectors: vectors.map((one) => ({ hash: hashOf(one), vector: one.vector })), notes };
}
