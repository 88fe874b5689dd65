// Contract tests of nearest-neighbour search: by best chunk or mean vector, in cosine order, with filters.
import assert from 'node:assert/strict';
import type { NoteFilter } from '../../../src/contracts/note-filter.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { asPath, asPaths, changes, fill, found, indexed, type Law, signal } from './law.ts';
import { type Chunk, EAST, embed, NORTH, nearChunks, opened, UP, vector } from './vector-vault.ts';

/** At `degrees` from east towards north. */
const at = (degrees: number): Float32Array =>
  vector(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180), 0);

async function nearNotes(
  store: Store,
  { id }: { readonly id: number },
  to: Float32Array,
  without: readonly string[] = [],
  limit = 100,
): Promise<string[]> {
  const hits = await store.nearestNotes(id, to, {}, asPaths(...without), limit, signal);
  return hits.map(({ path, cosine }) => `${path} ${cosine.toFixed(2)}`);
}

export function nearnessLaws(law: Law): void {
  law('each note is listed once with its nearest chunk, nearest first, ties by path', async (store) => {
    await fill(store, { 'c.md': 'C', 'b.md': '---\ntitle: Bay\n---', 'a.md': 'A', 'pending.md': 'P' });
    const generation = await opened(store);
    await embed(store, generation, {
      'a.md': ['A', ['1', at(60)], ['2', at(10)], ['3', at(90)]],
      'b.md': ['---\ntitle: Bay\n---', ['4', at(10)], ['2', at(10)]],
      'c.md': ['C', ['5', at(0)], ['6', at(180)]],
    });
    assert.deepEqual(await nearChunks(store, generation, EAST), [
      'c.md 1-10 1.00',
      'a.md 11-20 0.98',
      'b.md 1-10 0.98',
    ]);
    assert.deepEqual(await nearChunks(store, generation, at(180), 2), ['c.md 11-20 1.00', 'a.md 21-30 0.00']);
    assert.deepEqual(await nearChunks(store, generation, EAST, 0), []);
    const [first] = await store.nearestChunks(generation.id, at(10), { folder: '' }, 9, signal);
    assert.deepEqual([first?.path, first?.title, first?.modifiedMs], ['a.md', 'a', 1_000]);
  });

  law('only the direction of a vector counts', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' });
    const generation = await opened(store);
    await embed(store, generation, {
      'a.md': ['A', ['1', vector(3e-30, 4e-30, 0)]],
      'b.md': ['B', ['2', vector(3e30, 4e30, 0)]],
      'c.md': ['C', ['3', vector(-3, -4, 0)]],
    });
    for (const to of [vector(0.6, 0.8, 0), vector(6e-30, 8e-30, 0), vector(6e30, 8e30, 0)]) {
      assert.deepEqual(await nearChunks(store, generation, to), [
        'a.md 1-10 1.00',
        'b.md 1-10 1.00',
        'c.md 1-10 -1.00',
      ]);
    }
  });

  law('a note with many near chunks does not displace other notes', async (store) => {
    const others = Array.from({ length: 20 }, (_, i) => `n${String(i).padStart(2, '0')}.md`);
    await fill(store, { 'long.md': 'L', ...Object.fromEntries(others.map((path) => [path, path])) });
    const generation = await opened(store);
    const many = Array.from({ length: 900 }, (_, i) => [`long ${i}`, at(i / 100)] as const);
    await embed(store, generation, { 'long.md': ['L', ...many] });
    for (const [i, path] of others.entries()) await embed(store, generation, { [path]: [path, [path, at(20 + i)]] });
    const hits = await store.nearestChunks(generation.id, EAST, {}, 10, signal);
    assertEach(hits, ({ path }) => path, ['long.md', ...others.slice(0, 9)]);
  });

  law('a filter applies before the search, not to its results', async (store) => {
    const near = Array.from({ length: 30 }, (_, i) => `near/${i}.md`);
    const texts = { 'far/a.md': '#tide far', 'far/b.md': '---\nstatus: done\n---', 'c.md': '#Tide/low' };
    await fill(store, { ...texts, ...Object.fromEntries(near.map((path) => [path, path])) });
    const late = indexed('late.md', 'late', { modifiedMs: 9_000 });
    await store.apply(changes({ added: [found('late.md')], indexed: [late] }), signal);
    const generation = await opened(store);
    await embed(store, generation, Object.fromEntries(near.map((path) => [path, [path, [path, at(1)]]])));
    await embed(store, generation, {
      'far/a.md': [texts['far/a.md'], ['a', at(50)]],
      'far/b.md': [texts['far/b.md'], ['b', at(40)]],
      'c.md': [texts['c.md'], ['c', at(60)]],
      'late.md': ['late', ['d', at(70)]],
    });
    const filters: readonly [NoteFilter, string[]][] = [
      [{ folder: 'far' }, ['far/b.md', 'far/a.md']],
      [{ tags: ['#tide'] }, ['far/a.md', 'c.md']],
      [{ tags: ['#tide'], folder: 'far' }, ['far/a.md']],
      [{ where: [{ name: 'status', operator: 'eq', value: 'done' }] }, ['far/b.md']],
      [{ sinceMs: 5_000 }, ['late.md']],
      [{ folder: 'none' }, []],
      [{ exceptFolders: ['near'] }, ['far/b.md', 'far/a.md']],
      [{ exceptFolders: ['near'], tags: ['#tide'] }, ['far/a.md', 'c.md']],
    ];
    for (const [filter, expected] of filters) {
      const chunks = await store.nearestChunks(generation.id, EAST, filter, 2, signal);
      const notes = await store.nearestNotes(generation.id, EAST, filter, [], 2, signal);
      for (const hits of [chunks, notes]) {
        assertEach(hits, ({ path }) => path, expected);
      }
    }
  });

  law('the vector of a note is the mean of its chunks, repeated chunks counted each time', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' });
    const generation = await opened(store);
    await embed(store, generation, {
      'a.md': ['A', ['east', EAST], ['north', vector(0, 5, 0)], ['bad', 'refused']],
      'b.md': ['B', ['up', UP]],
      'c.md': ['C', ['east', EAST], ['east', EAST], ['east', EAST], ['up', UP]],
      'd.md': ['D', ['bad', 'refused']],
    });
    const meanOf = (path: string) => store.noteVector(generation.id, asPath(path), signal);
    assert.deepEqual(await meanOf('a.md'), vector(Math.SQRT1_2, Math.SQRT1_2, 0));
    assert.deepEqual(await meanOf('b.md'), UP);
    assert.deepEqual(await meanOf('c.md'), vector(3 / Math.sqrt(10), 0, 1 / Math.sqrt(10)));
    assert.equal(await meanOf('d.md'), null);
    assert.equal(await meanOf('none.md'), null);
    assert.deepEqual(await nearNotes(store, generation, EAST), ['c.md 0.95', 'a.md 0.71', 'b.md 0.00']);
    assert.deepEqual(await nearNotes(store, generation, NORTH), ['a.md 0.71', 'b.md 0.00', 'c.md 0.00']);
  });

  law('the vector of a chunk is that at a share of the note, without chunks that failed', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B' });
    const { id } = await opened(store);
    await embed(store, { id }, { 'a.md': ['A', ['1', at(0)], ['bad', 'refused'], ['2', at(90)]], 'b.md': ['B'] });
    const near = async (share: number) => {
      const vector = await store.chunkVector(id, asPath('a.md'), share, signal);
      return [...(vector ?? [])].map(Math.round);
    };
    const [first, second] = [[...at(0)].map(Math.round), [...at(90)].map(Math.round)];
    assert.deepEqual(await Promise.all([0, 0.49, 0.5, 0.99, 1].map(near)), [first, first, second, second, second]);
    for (const path of ['b.md', 'none.md']) assert.equal(await store.chunkVector(id, asPath(path), 0, signal), null);
  });

  law('notes near a note exclude the given ones, and still fill the page', async (store) => {
    const paths = Array.from({ length: 9 }, (_, i) => `${i}.md`);
    await fill(store, Object.fromEntries(paths.map((path) => [path, path])));
    const generation = await opened(store);
    await embed(store, generation, Object.fromEntries(paths.map((path, i) => [path, [path, [path, at(i * 10)]]])));
    const near = async (limit: number, ...without: string[]) =>
      (await nearNotes(store, generation, EAST, without, limit)).map((hit) => hit.split(' ')[0]);
    assert.deepEqual(await near(3), ['0.md', '1.md', '2.md']);
    assert.deepEqual(await near(3, '0.md', '2.md', 'none.md'), ['1.md', '3.md', '4.md']);
    assert.deepEqual(await near(0), []);
  });

  law('for two notes the pair of nearest chunks is returned, the first of equals', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' });
    const generation = await opened(store);
    await embed(store, generation, {
      'a.md': ['A', ['1', at(0)], ['2', at(90)], ['3', at(90)]],
      'b.md': ['B', ['4', at(45)], ['5', at(80)]],
      'c.md': ['C', ['6', at(5)], ['7', at(180)]],
      'd.md': ['D', ['bad', 'refused']],
    });
    const pairs = await store.nearestPairs(
      generation.id,
      asPath('a.md'),
      asPaths('b.md', 'c.md', 'd.md', 'none.md'),
      signal,
    );
    assert.deepEqual(
      [...pairs],
      [
        ['b.md', { lines: [11, 20], otherLines: [11, 20] }],
        ['c.md', { lines: [1, 10], otherLines: [1, 10] }],
      ],
    );
    await fill(store, { 'long.md': 'L', 'wide.md': 'W' });
    const many = (from: number): Chunk[] => Array.from({ length: 100 }, (_, n) => [`${from}${n}`, at(from + n / 3)]);
    await embed(store, generation, { 'long.md': ['L', ...many(0)], 'wide.md': ['W', ...many(40)] });
    const long = await store.nearestPairs(generation.id, asPath('long.md'), asPaths('wide.md'), signal);
    assert.deepEqual([...long], [['wide.md', { lines: [991, 1000], otherLines: [1, 10] }]], 'of long notes');
    assert.deepEqual([...(await store.nearestPairs(generation.id + 9, asPath('a.md'), asPaths('b.md'), signal))], []);
    assert.deepEqual([...(await store.nearestPairs(generation.id, asPath('d.md'), asPaths('a.md'), signal))], []);
  });
}
