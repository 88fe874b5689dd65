// The text index after many changes: segments are merged, in every process answers are those of a new index of the same notes.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { Store } from '../../../../src/contracts/store.ts';
import type { TextQuery, TextTerm } from '../../../../src/contracts/text-query.ts';
import { assertEach } from '../../../assert-each.ts';
import { createSeededRandom } from '../../../bench/random.ts';
import { ALL, fill, remove, rewrite, signal } from '../../../contracts/store/law.ts';
import { runs } from '../../../runner/effort.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const random = createSeededRandom(7);
/** In rounds of 50 with a scan at the end. */
const STEPS = Math.max(50, runs(300));
const WORDS = ['tide', 'tides', 'ebb', 'moon', 'sea', 'salt', 'buoy', '海', '海図', 'é'];
const randomText = (): string =>
  Array.from({ length: 1 + random.below(20) }, () => WORDS[Math.floor(random.next() ** 2 * WORDS.length)]).join(' ');

const term = (text: string, kind: TextTerm['kind'], negated = false): TextTerm => ({ text, kind, negated });
const QUERIES: readonly TextQuery[] = [
  { terms: [term('tide', 'word')], match: 'any' },
  { terms: [term('salt', 'word'), term('ti', 'prefix'), term('ebb moon', 'phrase')], match: 'any' },
  { terms: [term('tide', 'word'), term('moon', 'word'), term('salt', 'word', true)], match: 'all' },
  { terms: [term('海', 'prefix')], match: 'any' },
];

async function answers(store: Store) {
  const searches = await Promise.all(QUERIES.map((query) => store.searchText(query, {}, ALL, signal)));
  const { indexed } = await store.wordCounts([], signal);
  return {
    searches: searches.map(({ hits, docFrequencies, ...rest }) => ({
      ...rest,
      hits: hits.map(({ path, bm25 }) => [path, bm25.toFixed(9)]),
      // Above half of all notes they are inexact.
      docFrequencies: docFrequencies.map((count) => Math.min(count, Math.floor(indexed / 2) + 1)),
    })),
    words: await store.wordsFrom('', 50, signal),
    counts: await store.wordCounts(['tide', '海図', 'gone'], signal),
    mentions: await store.mentions('tide moon', 50, signal),
  };
}

async function ofNewIndex(notes: ReadonlyMap<string, string>) {
  const other = createIndexFolder();
  const { capability: store, close } = await other.open();
  await fill(store, Object.fromEntries(notes));
  const found = await answers(store);
  await close();
  other.remove();
  return found;
}

async function change(store: Store, notes: Map<string, string>, at: number): Promise<void> {
  const paths = [...notes.keys()];
  const path = paths[random.below(paths.length)];
  const isRemoved = random.chance(0.3);
  if (path === undefined || random.chance(0.3)) {
    notes.set(`${at}.md`, randomText());
    await fill(store, { [`${at}.md`]: notes.get(`${at}.md`) ?? '' });
  } else if (isRemoved) {
    notes.delete(path);
    await remove(store, path);
  } else {
    notes.set(path, randomText());
    await rewrite(store, { [path]: notes.get(path) ?? '' });
  }
}

const countOf = (table: string): number => {
  const database = new Database(folder.file, { readonly: true });
  const count = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  database.close();
  return count;
};

describe('the text index', () => {
  it('answers after many changes and merges as a new one, also through a connection that was open before', async () => {
    const { capability: store, close } = await folder.open();
    const { capability: other, close: closeOther } = await folder.open();
    const notes = new Map<string, string>();
    for (let at = 0; at < STEPS; at += 1) {
      await change(store, notes, at);
      if (at % 9 === 0) assert.deepEqual(await answers(other), await answers(store));
      if (at % 50 === 49) await store.completeScan('2026-11-23T00:00:00.000Z', signal);
      if (at % 50 >= 48) assert.deepEqual(await answers(other), await ofNewIndex(notes), String(at));
    }
    assert.deepEqual(await store.integrity(signal), []);
    await closeOther();
    await close();
  });

  it('keeps few segments, and no row of a note that is gone', async () => {
    const { capability: store, close } = await folder.open();
    for (let at = 0; at < 130; at += 1) await fill(store, { [`${at}.md`]: randomText() });
    assert.ok(countOf('text_segments') < 20);
    for (let at = 0; at < 40; at += 1) await rewrite(store, { '1.md': randomText() });
    await store.completeScan('2026-11-23T00:00:00.000Z', signal);
    assert.ok(countOf('text_segments') <= 3);
    const paths = Array.from({ length: 130 }, (_, at) => `${at}.md`);
    await remove(store, ...paths);
    assert.equal((await store.wordsFrom('', 9, signal)).length, 0);
    await store.completeScan('2026-11-23T00:00:01.000Z', signal);
    for (const table of ['text_segments', 'text_rows', 'text_notes', 'text_dead'])
      assert.equal(countOf(table), 0, table);
    assert.equal((await store.searchText({ terms: [term('tide', 'word')], match: 'any' }, {}, ALL, signal)).total, 0);
    await close();
  });

  it('orders hits of the same score by path', async () => {
    const { capability: store, close } = await folder.open();
    for (const path of ['c.md', 'a.md', 'é.md', 'b.md']) await fill(store, { [path]: 'x\ntide' });
    await rewrite(store, { 'a.md': 'x\ntide' });
    const { hits } = await store.searchText(QUERIES[0] as TextQuery, {}, { limit: 3, offset: 1 }, signal);
    assertEach(hits, ({ path }) => path, ['b.md', 'c.md', 'é.md']);
    await close();
  });
});
