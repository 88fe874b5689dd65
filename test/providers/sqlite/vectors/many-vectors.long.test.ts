// In a generation large enough for codes, every search finds what a comparison with all vectors finds.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { dotProduct } from '../../../../src/contracts/fingerprint.ts';
import type { NoteFilter } from '../../../../src/contracts/note-filter.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import type { NoteHit, VectorHit } from '../../../../src/contracts/vectors.ts';
import { unitVector } from '../../../../src/providers/sqlite/vectors/vector-codes.ts';
import { fill, remove, rewrite, signal } from '../../../contracts/store/law.ts';
import { type Chunk, embed, opened } from '../../../contracts/store/vector-vault.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';
import { clusteredVectors } from './clustered.ts';

/** Long ones, so that few of them are many floats. */
const DIMS = 4_096;
const NOTES = 320;

const source = clusteredVectors(DIMS, 12, 3);
let named = 0;
const next = (): Float32Array => unitVector(source.next(), DIMS);
const someChunks = (count: number): Chunk[] => Array.from({ length: count }, () => [`chunk ${named++}`, next()]);

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

/** What is embedded, by path, and the store and generation it is embedded in. */
interface Filled {
  readonly store: Store;
  readonly generation: { readonly id: number };
  readonly held: Map<string, readonly Chunk[]>;
}

async function filledWith(store: Store, notes: number, model = 'small'): Promise<Filled> {
  const generation = await opened(store, { dims: DIMS, model });
  const filled = { store, generation, held: new Map() };
  await addNotes(filled, 0, notes);
  return filled;
}

async function addNotes(filled: Filled, from: number, to: number): Promise<void> {
  const paths = Array.from({ length: to - from }, (_, at) => `f${(from + at) % 4}/n${from + at}.md`);
  await fill(filled.store, Object.fromEntries(paths.map((path) => [path, path])));
  for (const path of paths) await embedNote(filled, path, path, someChunks(1 + (named % 7)));
}

async function embedNote(
  { store, generation, held }: Filled,
  path: string,
  text: string,
  chunks: readonly Chunk[],
): Promise<void> {
  await embed(store, generation, { [path]: [text, ...chunks] });
  held.set(path, chunks);
}

const chunksOf = ({ held }: Filled, path: string): readonly Chunk[] => held.get(path) ?? assert.fail(path);

/** @returns what it held of it */
function forget(filled: Filled, path: string): readonly Chunk[] {
  const chunks = chunksOf(filled, path);
  filled.held.delete(path);
  return chunks;
}

/** The cosine of each chunk that passes, by `path lines`. */
function cosinesOf({ held }: Filled, requested: Float32Array, passes: (path: string) => boolean): Map<string, number> {
  const notes = [...held].filter(([path]) => passes(path));
  const cosines = notes.flatMap(([path, chunks]) =>
    chunks.map(([, vector], at) => {
      const lines = `${at * 10 + 1}-${at * 10 + 10}`;
      return [`${path} ${lines}`, dotProduct(requested, vector as Float32Array)] as const;
    }),
  );
  return new Map(cosines);
}

/** The engine sums in 32 bits: what differs by less may be in either order. */
const close = (one: number, other: number): boolean => Math.abs(one - other) < 1e-5;

/** Each hit is a chunk with its own cosine, and together they are the best of every note. */
function checkHits(hits: readonly (NoteHit | VectorHit)[], cosines: ReadonlyMap<string, number>, limit: number): void {
  const byNote = Map.groupBy(cosines, ([chunk]) => chunk.split(' ')[0]);
  const best = [...byNote.values()].map((chunks) => Math.max(...chunks.map(([, cosine]) => cosine)));
  best.sort((one, other) => other - one);
  assert.equal(hits.length, Math.min(limit, best.length));
  assert.equal(new Set(hits.map(({ path }) => path)).size, hits.length);
  for (const [at, { path, cosine, ...chunk }] of hits.entries()) {
    const [[only] = []] = byNote.get(path) ?? [];
    const found = 'lines' in chunk ? `${path} ${chunk.lines.join('-')}` : only;
    assert.ok(close(cosine, cosines.get(found ?? '') ?? 9), `${found}: ${cosine}`);
    assert.ok(close(cosine, best[at] ?? 9), `${at}: ${path} ${cosine} instead of ${best[at]}`);
  }
}

/** Asks with and without a filter, for few and for many, also for what each of the `changed` chunks was or is. */
async function check(filled: Filled, changed: readonly Chunk[] = [], by: Store = filled.store): Promise<void> {
  const { generation } = filled;
  const filters: readonly [NoteFilter, (path: string) => boolean][] = [
    [{}, () => true],
    [{ folder: 'f1' }, (path) => path.startsWith('f1/')],
    [{ sinceMs: 0 }, () => true],
    [{ exceptFolders: ['f1'] }, (path) => !path.startsWith('f1/')],
  ];
  const around = changed.slice(0, 5).map(([, vector]) => vector as Float32Array);
  for (const requested of [next(), next(), ...around]) {
    for (const [filter, passes] of filters) {
      const cosines = cosinesOf(filled, requested, passes);
      for (const limit of [3, 10]) {
        const hits = await by.nearestChunks(generation.id, requested, filter, limit, signal);
        checkHits(hits, cosines, limit);
      }
    }
  }
}

describe('many vectors', () => {
  it('are searched exactly while notes are added, changed and removed', async () => {
    const { capability: store, close } = await folder.open();
    const filled = await filledWith(store, 100);
    await check(filled);
    await addNotes(filled, 100, NOTES);
    await check(filled);
    await rewrite(store, { 'f1/n1.md': 'new', 'f2/n2.md': 'newer' });
    const changed = [...forget(filled, 'f1/n1.md'), ...forget(filled, 'f2/n2.md')];
    await check(filled, changed);
    await embedNote(filled, 'f1/n1.md', 'new', someChunks(9));
    await check(filled, [...changed, ...chunksOf(filled, 'f1/n1.md')]);
    await remove(store, 'f3/n3.md', 'f0/n4.md');
    await check(filled, [...forget(filled, 'f3/n3.md'), ...forget(filled, 'f0/n4.md')]);
    await store.activate(filled.generation.id, signal);
    await store.sweepVectors([], signal);
    await check(filled);
    await addNotes(filled, NOTES, NOTES + 5);
    await check(filled, [...changed, ...chunksOf(filled, `f0/n${NOTES}.md`)]);
    await close();
  });

  it('are found after changes by another process and after a restart', async () => {
    const one = await folder.open();
    const other = await folder.open();
    const filled = await filledWith(one.capability, NOTES);
    await check(filled, [], other.capability);
    const before = chunksOf(filled, 'f1/n1.md');
    await embedNote(filled, 'f1/n1.md', 'f1/n1.md', someChunks(4));
    await check(filled, [...before, ...chunksOf(filled, 'f1/n1.md')], other.capability);
    await remove(one.capability, 'f3/n3.md');
    await check(filled, forget(filled, 'f3/n3.md'), other.capability);
    await addNotes({ ...filled, store: other.capability }, NOTES, NOTES + 3);
    const added = chunksOf(filled, `f0/n${NOTES}.md`);
    await check(filled, added);
    await check(filled, added, other.capability);
    await one.close();
    await other.close();
    const again = await folder.open();
    await check(filled, added, again.capability);
    await again.close();
  });

  it('of one generation are never found in another', async () => {
    const { capability: store, close } = await folder.open();
    const first = await filledWith(store, NOTES);
    await check(first);
    const second = await filledWith(store, NOTES, 'large');
    await check(second);
    await store.activate(first.generation.id, signal);
    await store.activate(second.generation.id, signal);
    await check(first);
    await check(second);
    await close();
  });

  it('of one note do not crowd out other notes', async () => {
    const { capability: store, close } = await folder.open();
    const filled = await filledWith(store, 60);
    const requested = next();
    const near = Array.from({ length: 900 }, (_, at): Chunk => {
      const vector = requested.map((component, dim) => component + (dim === at ? 1e-3 : 0));
      return [`near ${at}`, unitVector(vector, DIMS)];
    });
    await fill(store, { 'near.md': 'near' });
    await embedNote(filled, 'near.md', 'near', near);
    const hits = await store.nearestChunks(filled.generation.id, requested, {}, 20, signal);
    checkHits(
      hits,
      cosinesOf(filled, requested, () => true),
      20,
    );
    assert.equal(hits[0]?.path, 'near.md');
    await close();
  });

  it('are compared by the mean vectors of notes too, without excluded notes', async () => {
    const { capability: store, close } = await folder.open();
    const generation = await opened(store, { dims: DIMS });
    const filled = { store, generation, held: new Map() };
    const paths = Array.from({ length: 700 }, (_, at) => `n${at}.md`);
    await fill(store, Object.fromEntries(paths.map((path) => [path, path])));
    for (const path of paths) await embedNote(filled, path, path, someChunks(1));
    const requested = next();
    const all = cosinesOf(filled, requested, () => true);
    const near = await store.nearestNotes(generation.id, requested, {}, [], 20, signal);
    checkHits(near, all, 20);
    const without = near.map(({ path }) => path);
    const others = new Map([...all].filter(([chunk]) => !without.some((path) => chunk.startsWith(`${path} `))));
    checkHits(await store.nearestNotes(generation.id, requested, {}, without, 10, signal), others, 10);
    await close();
  });

  it('are loaded in parts without gaps', async () => {
    const { capability: store, close } = await folder.open();
    const [dims, perNote, notes] = [96, 150, 300];
    const generation = await opened(store, { dims });
    const paths = Array.from({ length: notes }, (_, at) => `n${at}.md`);
    await fill(store, Object.fromEntries(paths.map((path) => [path, path])));
    const short = clusteredVectors(dims, 30, 9);
    const ofNote = (path: string) =>
      Array.from({ length: perNote }, (_, at): Chunk => [`${path} ${at}`, unitVector(short.next(), dims)]);
    const all = new Map(paths.map((path) => [path, ofNote(path)]));
    for (const [path, chunks] of all) await embed(store, generation, { [path]: [path, ...chunks] });
    for (const path of paths) {
      const [, vector] = all.get(path)?.[perNote - 1] ?? assert.fail(path);
      const [hit] = await store.nearestChunks(generation.id, vector as Float32Array, {}, 1, signal);
      assert.deepEqual([hit?.path, hit?.lines], [path, [perNote * 10 - 9, perNote * 10]]);
    }
    await close();
  });
});
