// Corrects words that occur in no note, over a real index: similar titles, and words of a run of characters.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { StoreCache } from '../../../src/contracts/session.ts';
import type { TextQuery } from '../../../src/contracts/text-query.ts';
import { parseTextQuery } from '../../../src/tools/search/text-query.ts';
import { correctQuery, withParts } from '../../../src/tools/search/word-search.ts';
import { withIndex } from '../../indexing/index-under-test.ts';

const FILES = {
  'Harbour tools.md': 'ropes and anchors',
  'Tide tables.md': '---\naliases: [Almanac of tides]\n---\nhigh water',
  'Tide tables old.md': '',
  'Café crème.md': 'coffee',
  'slips.md': 'toolz of the harbor',
  'Метеорология.md': '',
  'Chapter 7.md': '',
  '2026-11-20.md': 'ground swell',
  '读书笔记.md': '关于潮汐和计算的方法',
  '氮泵.md': '这种补剂训练前用',
  '東京.md': '海と空',
};
const signal = new AbortController().signal;

/** Asks as many queries as it likes of one index. */
const asking = (check: (near: (query: string, match?: TextQuery['match']) => Promise<unknown>) => Promise<void>) =>
  withIndex(async ({ folder, run, store }) => {
    for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
    await run();
    const storeCache = new StoreCache();
    await check(async (written, match = 'any') => {
      const { query: parsed } = parseTextQuery(written, match);
      // None of the other spellings occurs in these notes.
      const query = { ...parsed, terms: parsed.terms.map(({ forms, ...term }) => term) };
      const { docFrequencies } = await store.searchText(query, {}, { limit: 10, offset: 0 }, signal);
      const near = await correctQuery(query, docFrequencies, store, { signal, storeCache });
      return near?.corrected.map(({ from, to }) => `${from} > ${to}`).join(', ');
    });
  });

suite('a query with unknown words', () => {
  test('is corrected to a similar title or alias, or word by word to words of titles', () =>
    asking(async (near) => {
      assert.equal(await near('Harbor tols'), 'Harbor > Harbour, tols > tools');
      assert.equal(await near('harbuor'), 'harbuor > Harbour');
      assert.equal(await near('tols', 'all'), 'tols > tools');
      assert.equal(await near('almanak of tides'), 'almanak > Almanac');
      assert.equal(await near('harbourtools'), 'harbourtools > Harbour tools');
      assert.equal(await near('Cafe creem'), 'creem > crème');
      assert.equal(await near('метеорлогия'), 'метеорлогия > Метеорология');
      assert.equal(await near('ropes tabels'), 'tabels > tables');
      assert.equal(await near('"harbour tols"'), 'tols > tools');
      assert.equal(await near('water-tabels'), 'tabels > tables');
      assert.equal(await near('tols -ropes'), 'tols > tools');
    }));

  test('is also corrected if a word occurs in a single note with the same typo', () =>
    asking(async (near) => {
      assert.equal(await near('Harbour toolz'), 'toolz > tools');
      assert.equal(await near('harbor tools'), 'harbor > Harbour');
      // One word that occurs somewhere is what was meant, and so is a note that contains all of them.
      assert.equal(await near('toolz'), undefined);
      assert.equal(await near('Harbour toolz', 'all'), undefined);
      assert.equal(await near('toolz ropes'), undefined);
    }));

  test('is corrected to words of texts with the same beginning if no title fits and there are no hits', () =>
    asking(async (near) => {
      assert.equal(await near('anchros'), 'anchros > anchors');
      assert.equal(await near('metal cofee'), 'cofee > coffee');
      assert.equal(await near('high cofee'), undefined);
      assert.equal(await near('high cofee', 'all'), 'cofee > coffee');
      assert.equal(await near('rope'), 'rope > ropes');
      assert.equal(await near('cofee'), 'cofee > coffee');
      assert.equal(await near('ncoffee'), undefined);
    }));

  test('is not corrected if a word is too different, a number, a prefix or known', () =>
    asking(async (near) => {
      for (const query of [
        ...['tide', 'coffee', 'Harbour tools', 'moor', 'xyz tide', 'tols*', '-tols tide', 'ropes -tabels'],
        ...['2026-11-21', 'Chapter 8', 'Chapter Q7', 'harbour.gone.zzz', '"tide zzz"'],
      ]) {
        assert.equal(await near(query), undefined, query);
      }
    }));

  test('has its words as they are until every note is indexed, because they may be in one that is left', () =>
    withIndex(async ({ folder, run, store }) => {
      for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
      const context = { signal, storeCache: new StoreCache() };
      const near = async (written: string) => {
        const { query } = parseTextQuery(written, 'any');
        return (await correctQuery(query, [0], store, context))?.corrected.map(({ to }) => to);
      };
      // Single notes, as in the middle of a first index.
      await run({ kind: 'notes', paths: Object.keys(FILES) });
      assert.equal(await near('harbuor'), undefined);
      await run();
      assert.deepEqual(await near('harbuor'), ['Harbour']);
    }));
});

test('a run of characters that no note has is split into words, which is not a correction', () =>
  withIndex(async ({ folder, run, store }) => {
    for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
    await run();
    const parts = async (written: string) => {
      const { query } = parseTextQuery(written, 'any');
      const { docFrequencies } = await store.searchText(query, {}, { limit: 10, offset: 0 }, signal);
      return (await withParts(query, docFrequencies, store, signal))?.terms.map(({ text }) => text).join(' ');
    };
    assert.equal(await parts('潮汐计算方法'), '潮汐 计算 方法');
    assert.equal(await parts('笔记AI'), '笔记');
    assert.equal(await parts('空と海'), '空 海');
    assert.equal(await parts('补剂什么时候喝'), '补剂');
    assert.equal(await parts('Old/harbour_tools.md'), 'Old harbour tools');
    for (const query of [
      '潮水',
      '東都',
      '計算',
      '京東',
      '潮汐',
      '读书笔记',
      'Harbour/tools',
      'tols',
      '3.14',
      '"harbour gone"',
    ])
      assert.equal(await parts(query), undefined, query);
  }));
