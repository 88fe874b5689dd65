// Contract tests of full-text search.
import assert from 'node:assert/strict';
import type { NoteFilter, PropertyFilter } from '../../../src/contracts/note-filter.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type { TextTerm } from '../../../src/contracts/text-query.ts';
import { ALL, fill, type Law, remove, rewrite, signal } from './law.ts';

type Written = string | TextTerm;

/** `"…"` a phrase, `…*` a prefix, `-…` not, else a word. */
function term(written: Written): TextTerm {
  if (typeof written !== 'string') return written;
  const negated = written.startsWith('-');
  const text = negated ? written.slice(1) : written;
  if (text.startsWith('"')) return { text: text.slice(1, -1), kind: 'phrase', negated };
  return text.endsWith('*') ? { text: text.slice(0, -1), kind: 'prefix', negated } : { text, kind: 'word', negated };
}

const search = (store: Store, terms: readonly Written[], match: 'any' | 'all' = 'any', filter: NoteFilter = {}) =>
  store.searchText({ terms: terms.map(term), match }, filter, ALL, signal);

async function hits(store: Store, terms: readonly Written[], match: 'any' | 'all' = 'any', filter: NoteFilter = {}) {
  const found = await search(store, terms, match, filter);
  assert.equal(found.total, found.hits.length);
  assert.ok(found.hits.every(({ score }, at) => score <= (found.hits[at - 1]?.score ?? Number.POSITIVE_INFINITY)));
  return found.hits.map(({ path }) => path.replace(/\.md$/, ''));
}

const HOSTILE = [
  ...[
    'foo AND',
    '"',
    '""',
    '"foo',
    'nope:x',
    'NEAR(',
    'NEAR(a b, 2)',
    '(',
    ')',
    '*',
    '^foo',
    'foo*',
    '-',
    '--',
    "'",
    '\\',
  ],
  ...[
    'foo-bar',
    'a + b',
    '{title body}: x',
    'title : x',
    'OR',
    'NOT',
    'AND',
    '\0',
    'a\0b',
    '\ud800',
    '🌊',
    '👩‍👩‍👧',
    ';DROP TABLE files',
  ],
  ...['x'.repeat(10_240), '日'.repeat(5_000), 'a '.repeat(3_000), '%_', '#tag', '[[x]]', '\u200d', '\u0301', 'e\u0301'],
];

export function searchingLaws(law: Law): void {
  law('a phrase of many notes is found as of one moment, whatever changes meanwhile', async (store) => {
    const text = 'of the '.repeat(300);
    const paths = Array.from({ length: 400 }, (_, at) => `${at}.md`);
    await fill(store, Object.fromEntries(paths.map((path) => [path, text])));
    const page = { limit: 1, offset: 0 };
    const found = Array.from({ length: 3 }, () =>
      store.searchText({ terms: [term('"of the"')], match: 'any' }, {}, page, signal),
    );
    await remove(store, '0.md', '399.md');
    for (const { total } of await Promise.all(found)) assert.ok([400, 398].includes(total), `${total} notes`);
    assert.equal((await search(store, ['"of the"', 'th*'])).total, 398);
  });

  law('words, phrases, prefixes and their negations find the matching notes', async (store) => {
    await fill(store, {
      'a.md': 'The spring tide is high.',
      'b.md': 'A tide in spring.',
      'c.md': 'Springs and tidings.',
      'd.md': 'Low water.',
    });
    assert.deepEqual((await hits(store, ['tide'])).sort(), ['a', 'b']);
    assert.deepEqual(await hits(store, ['"spring tide"']), ['a']);
    assert.deepEqual((await hits(store, ['tid*'])).sort(), ['a', 'b', 'c']);
    assert.deepEqual(await hits(store, ['tide', '-high']), ['b']);
    assert.deepEqual(await hits(store, ['tid*', '-"spring tide"', '-in']), ['c']);
    assert.deepEqual((await hits(store, ['tide', 'water'])).sort(), ['a', 'b', 'd']);
    assert.deepEqual(await hits(store, ['tide', 'water'], 'all'), []);
    assert.deepEqual((await hits(store, ['SPRING', 'tide'], 'all')).sort(), ['a', 'b']);
    assert.deepEqual(await hits(store, ['absent']), []);
  });

  law('a word in the title ranks above an alias, a heading, a tag and the text, in this order', async (store) => {
    const filling = 'words that fill the line so that all are about as long';
    await fill(store, {
      'body.md': `${filling} tide`,
      'tag.md': `${filling} #tide`,
      'heading.md': `# tide\n${filling}`,
      'alias.md': `---\naliases: [tide]\n---\n${filling}`,
      'tide.md': filling,
    });
    const order = await hits(store, ['tide']);
    assert.equal(order[0], 'tide');
    assert.equal(order[1], 'alias');
    assert.equal(order.at(-1), 'body');
    const { hits: found } = await search(store, ['tide']);
    assert.deepEqual([found[0]?.title, found[0]?.modifiedMs], ['tide', 1_000]);
  });

  law('a note whose name equals the query comes first, file names before other names', async (store) => {
    await fill(store, {
      'tools.md': 'harbour tools, harbour tools, harbour tools and more of them',
      'a.md': '---\naliases: [Harbour Tools, C++]\n---\nlong '.concat('and no word of it '.repeat(50)),
      'b.md': `# harbour TOOLS\n${'nothing '.repeat(50)}`,
      'x/Harbour tools.md': 'nothing '.repeat(50),
      'y/harbour tools.md': 'nothing '.repeat(100),
      'c.md': 'c c c c',
    });
    const called = async (name: string, terms: readonly Written[], filter: NoteFilter = {}) => {
      const query = { terms: terms.map(term), match: 'any', called: name } as const;
      const pages = [];
      for (const offset of [0, 1, 2, 3, 4, 5]) {
        pages.push(...(await store.searchText(query, filter, { limit: 1, offset }, signal)).hits);
      }
      const { hits: whole } = await store.searchText(query, filter, ALL, signal);
      assert.deepEqual(pages, whole);
      return whole.map(({ path, named = false }) => `${path} ${named}`);
    };
    const order = await called('harbour tools', ['harbour', 'tools']);
    assert.deepEqual(order.slice(0, 2), ['y/harbour tools.md true', 'x/Harbour tools.md true']);
    assert.deepEqual(order.slice(2, 4).sort(), ['a.md true', 'b.md true']);
    assert.deepEqual(order.slice(4), ['tools.md false']);
    assert.equal((await called('Harbour tools', ['harbour', 'tools']))[0], 'x/Harbour tools.md true');
    assert.equal((await called('Harbour tools', ['harbour', 'tools'], { sinceMs: 0 }))[0], 'x/Harbour tools.md true');
    assert.deepEqual(await called('harbour tools', ['harbour'], { folder: 'y' }), ['y/harbour tools.md true']);
    assert.equal((await called('c++', ['c++']))[0], 'a.md true');
    assert.equal((await called('nobody', ['c']))[0], 'c.md false');
    assert.equal((await called('harbour tools', ['nothing', '-tools'])).length, 0);
  });

  law(
    'an inflected form counts less than the word itself, and is not counted in its document frequency',
    async (store) => {
      await fill(store, {
        'a.md': 'sails sails of the boats',
        'b.md': 'sail by the boats now',
        'c.md': 'oars of the boats now',
      });
      const sail: TextTerm = { text: 'sail', kind: 'word', negated: false, forms: ['sails', 'sailing'] };
      const found = await search(store, [sail]);
      assert.deepEqual(
        found.hits.map(({ path }) => path),
        ['b.md', 'a.md'],
      );
      assert.deepEqual(found.docFrequencies, [1]);
      assert.deepEqual((await search(store, [sail, 'oars'])).docFrequencies, [1, 1]);
      assert.deepEqual(await hits(store, [sail], 'all'), ['b']);
    },
  );

  law('of long notes, one with the words of a question in one place ranks above one with them apart', async (store) => {
    const filler = 'boats sail by the quay at noon '.repeat(100);
    await fill(store, {
      'a.md': `${filler} keeper ${filler} lamp ${filler} storm ${filler}`,
      'b.md': `${filler} ${filler} keeper lamp storm ${filler} ${filler}`,
      'c.md': `${filler} keeper ${filler} ${filler} ${filler}`,
    });
    assert.deepEqual(await hits(store, ['keeper', 'lamp', 'storm'].map(term)), ['b', 'a', 'c']);
    assert.deepEqual(await hits(store, ['keeper', 'lamp'].map(term)), ['b', 'a', 'c']);
    assert.deepEqual(await hits(store, ['lamp'].map(term)), ['a', 'b']);
  });

  law(
    'of long notes, one with words of a question one after the other ranks above one with them near',
    async (store) => {
      const filler = 'boats sail by the quay at noon '.repeat(100);
      await fill(store, {
        'a.md': `${filler} lamp of some sort for a keeper ${filler}`,
        'b.md': `${filler} for some sort of a keeper lamp ${filler}`,
      });
      assert.deepEqual(await hits(store, ['keeper', 'lamp'].map(term)), ['b', 'a']);
      assert.deepEqual(await hits(store, ['lamp', 'keeper'].map(term)), ['a', 'b']);
    },
  );

  law('a note whose name is in the query ranks higher, and so does one that a better hit names', async (store) => {
    await fill(store, {
      'Hello Moon (song).md': 'A song by Ann Reed.',
      'Ann Reed.md': 'A singer. She wrote a song and lived in a harbour town.',
      'Bo Lind.md': 'A singer. She wrote a song and lived in a harbour town.',
      'Other song.md': 'hello moon moon moon',
    });
    const terms = ['hello', 'moon', 'singer', 'lived'].map(term);
    const ask = async (called?: string) =>
      (await store.searchText({ terms, match: 'any', ...(called && { called }) }, {}, ALL, signal)).hits;
    const called = 'where has the singer of hello moon lived';
    const hits = new Map((await ask(called)).map((hit) => [hit.path as string, hit]));
    assert.deepEqual([...hits.keys()][0], 'Hello Moon (song).md');
    const [song, named, other] = ['Hello Moon (song).md', 'Ann Reed.md', 'Bo Lind.md'].map((path) => hits.get(path));
    assert.ok((song?.nameInQuery ?? 0) > 0);
    assert.equal(song?.score, (song?.bm25 ?? 0) + (song?.nameInQuery ?? 0));
    assert.equal(named?.namedBy?.path, 'Hello Moon (song).md');
    assert.equal(named?.score, (named?.bm25 ?? 0) + (named?.namedBy?.share ?? 0));
    assert.equal(named?.bm25, other?.bm25);
    assert.deepEqual([other?.nameInQuery, other?.namedBy], [undefined, undefined]);
    for (const { bm25, score } of await ask()) assert.equal(score, bm25);
  });

  law('a note with a title property is still found by its file name', async (store) => {
    await fill(store, { 'port.md': '---\ntitle: Harbour\n---\nwater', 'port facts.md': 'water' });
    assert.deepEqual((await hits(store, ['port'])).sort(), ['port', 'port facts']);
    await rewrite(store, { 'port.md': '---\ntitle: Port\n---\nwater' });
    assert.deepEqual((await hits(store, ['port'])).sort(), ['port', 'port facts']);
    assert.deepEqual(await hits(store, ['harbour']), []);
  });

  law('the document frequency of each term ignores the filter', async (store) => {
    await fill(store, { 'a.md': 'tide moon', 'd/b.md': 'tide', 'd/c.md': '潮汐', 'e.md': 'moons', 'f.md': '' });
    const docFrequencies = async (terms: readonly Written[], filter: NoteFilter = {}) =>
      (await search(store, terms, 'any', filter)).docFrequencies;
    assert.deepEqual(await docFrequencies(['tide', 'moon', 'gone', '-e', '"tide moon"', 'moon*', '潮汐', '!?']), [
      ...[2, 1, 0, 1, 1, 2, 1, 0],
    ]);
    assert.deepEqual(await docFrequencies(['tide']), [2]);
    assert.deepEqual(await docFrequencies(['moon'], { folder: 'd' }), [1]);
    assert.deepEqual(await docFrequencies(['gone'], { folder: 'd' }), [0]);
    assert.deepEqual(await docFrequencies(['moon'], { exceptFolders: ['d'] }), await docFrequencies(['moon'], {}));
    await rewrite(store, { 'e.md': 'gone' });
    assert.deepEqual(await docFrequencies(['tide', 'gone']), [2, 1]);
  });

  law('two characters of a script without spaces find their note', async (store) => {
    await fill(store, {
      'ja.md': '朝の海はまだ静かで、灯台だけが光っている。日本語のノート',
      'zh.md': '# 潮汐表\n今天的潮水很高',
      'ko.md': '오늘은바다가잔잔하다',
      'th.md': 'ทะเลสงบมากวันนี้',
      'jamo.md': '파도'.normalize('NFD'),
    });
    assert.deepEqual(await hits(store, ['灯台']), ['ja']);
    assert.deepEqual(await hits(store, ['日本']), ['ja']);
    assert.deepEqual(await hits(store, ['ノート']), ['ja']);
    assert.deepEqual(await hits(store, ['台灯']), []);
    assert.deepEqual(await hits(store, ['潮汐']), ['zh']);
    assert.deepEqual(await hits(store, ['潮']), ['zh']);
    assert.deepEqual(await hits(store, ['潮水*']), ['zh']);
    assert.deepEqual(await hits(store, ['바다']), ['ko']);
    assert.deepEqual(await hits(store, ['สงบ']), ['th']);
    assert.deepEqual(await hits(store, ['파도']), ['jamo']);
  });

  law('words of several scripts, with hyphens and symbols, in URLs and tags are found', async (store) => {
    await fill(store, {
      'mixed.md': '关于AI的笔记，和 Obsidian插件',
      'hyphen.md': 'The high-water mark, and https://example.test/tide/tables?x=1#top',
      'tag.md': '#sea/coast and C# and C++ 🌊',
      'apart.md': 'high mark of water, 记笔',
    });
    assert.deepEqual(await hits(store, ['AI', '笔记'], 'all'), ['mixed']);
    assert.deepEqual(await hits(store, ['AI的笔记']), ['mixed']);
    assert.deepEqual(await hits(store, ['插件']), ['mixed']);
    assert.deepEqual(await hits(store, ['high-water']), ['hyphen']);
    assert.deepEqual(await hits(store, ['"high water"']), ['hyphen']);
    assert.deepEqual(await hits(store, ['https://example.test/tide']), ['hyphen']);
    assert.deepEqual(await hits(store, ['#sea']), ['tag']);
    assert.deepEqual(await hits(store, ['#sea/coast']), ['tag']);
    assert.deepEqual(await hits(store, ['c++']), ['tag']);
  });

  law('accents and normal forms are ignored', async (store) => {
    await fill(store, { 'a.md': 'Café über Ångström', 'b.md': 'Cafe\u0301'.normalize('NFD') });
    assert.deepEqual((await hits(store, ['cafe'])).sort(), ['a', 'b']);
    assert.deepEqual((await hits(store, ['CAFÉ'])).sort(), ['a', 'b']);
    assert.deepEqual(await hits(store, ['uber']), ['a']);
  });

  law('no query text is interpreted as syntax', async (store) => {
    await fill(store, { 'a.md': 'foo bar AND title: x "quoted"', 'b.md': 'other' });
    for (const text of HOSTILE) {
      for (const kind of ['word', 'phrase', 'prefix'] as const) {
        for (const match of ['any', 'all'] as const) {
          const only = await search(store, [{ text, kind, negated: false }], match);
          assert.ok(only.total <= 2);
          await search(store, ['foo', { text, kind, negated: true }], match);
          await store.mentions(text, 5, signal);
        }
      }
    }
    assert.deepEqual(await hits(store, ['"foo bar and"']), ['a']);
    assert.deepEqual(await hits(store, ['nope:x']), []);
  });

  law('a term without a word is ignored and reported', async (store) => {
    await fill(store, { 'a.md': 'tide' });
    const nothing = { hits: [], total: 0, dropped: ['!?', '🌊'], indexed: 1, docFrequencies: [0, 0] };
    assert.deepEqual(await search(store, ['!?', '🌊']), nothing);
    for (const match of ['any', 'all'] as const) {
      const found = await search(store, ['tide', '…', '-()'], match);
      assert.deepEqual([found.total, found.dropped], [1, ['…', '()']]);
    }
  });

  law('in an `any` query, terms that most notes contain find no note, and are reported', async (store) => {
    const paths = Array.from({ length: 60 }, (_, i) => `n${i}.md`);
    await fill(store, Object.fromEntries(paths.map((path, i) => [path, i < 40 ? `the sea n${i}` : `still n${i}`])));
    const found = await search(store, ['the', 'n3', 'n50']);
    assert.deepEqual([found.total, found.dropped], [2, ['the']]);
    assert.deepEqual((await search(store, ['the', 'sea'])).dropped, []);
    assert.equal((await search(store, ['the'])).total, 40);
    await fill(store, { 'b.md': 'rare word', 'c.md': 'rare the', 'd.md': 'rare text' });
    const rare = await search(store, ['the', 'rare']);
    assert.deepEqual(
      [rare.dropped, rare.hits.map(({ path }) => path)],
      [['the'], ['c.md', 'b.md', 'd.md']],
      'but they count in the notes that others find',
    );
    const all = await search(store, ['the', 'n3'], 'all');
    assert.deepEqual([all.total, all.dropped], [1, []]);
    await rewrite(store, Object.fromEntries(paths.slice(0, 30).map((path, i) => [path, `gone n${i}`])));
    assert.deepEqual((await search(store, ['the', 'n35'])).dropped, []);
  });

  law('filters and pages limit the hits, and the total counts all', async (store) => {
    const texts = Array.from({ length: 30 }, (_, i) => [
      `${i % 2 ? 'odd' : 'even'}/n${i}.md`,
      `tide #t${i % 3} ${'x '.repeat(i)}`,
    ]);
    await fill(store, Object.fromEntries(texts));
    const filter = { folder: 'odd', tags: ['#t0'] };
    const all = await search(store, ['tide'], 'any', filter);
    assert.deepEqual([all.total, all.hits.length], [5, 5]);
    assert.ok(all.hits.every(({ path }) => path.startsWith('odd/')));
    const query = { terms: [term('tide')], match: 'any' } as const;
    for (const [given, whole] of [
      [filter, all],
      [{}, await search(store, ['tide'])],
    ] as const) {
      const pages = [];
      for (let offset = 0; offset < whole.total; offset += 2) {
        pages.push(...(await store.searchText(query, given, { limit: 2, offset }, signal)).hits);
      }
      assert.deepEqual(pages, whole.hits);
    }
  });

  law('a filtered search finds what a list with the filter has, whether few notes match or most', async (store) => {
    const note = (i: number): string => {
      const properties = [`rank: ${i % 7}`, ...(i % 3 === 0 ? ['status: [open, "late 5"]'] : ['status: done'])];
      const tags = [...(i % 5 === 0 ? ['#Tide/low'] : []), ...(i % 4 === 0 ? ['#sea'] : []), '#all'];
      return `---\n${properties.join('\n')}\n---\nkelp ${i % 10 === 0 ? 'rare' : 'usual'} ${tags.join(' ')}\n`;
    };
    const texts = Array.from({ length: 60 }, (_, i) => [`${i % 2 ? 'odd' : 'even'}/n${i}.md`, note(i)]);
    await fill(store, Object.fromEntries(texts));
    const where = (operator: PropertyFilter['operator'], name: string, value: PropertyFilter['value']) => ({
      where: [{ name, operator, value }],
    });
    const filters: readonly NoteFilter[] = [
      { tags: ['tide'] },
      { tags: ['tide', 'sea'] },
      { tags: ['tide', 'sea'], tagMode: 'all' },
      { tags: ['all'], folder: 'odd' },
      { exceptFolders: ['even'] },
      { exceptFolders: ['even'], tags: ['all'] },
      where('eq', 'status', 'done'),
      where('ne', 'status', 'done'),
      where('exists', 'rank', true),
      where('exists', 'rank', false),
      where('contains', 'status', 'late'),
      where('gte', 'rank', 3),
      where('lt', 'rank', 1),
      { ...where('ne', 'rank', 0), tags: ['sea'] },
    ];
    for (const word of ['rare', 'kelp']) {
      const found = new Set(await hits(store, [word]));
      assert.equal(found.size, word === 'rare' ? 6 : 60);
      for (const filter of filters) {
        const { notes } = await store.listNotes(filter, 'path', 'asc', ALL, signal);
        const wanted = notes.map(({ path }) => path.replace(/\.md$/, '')).filter((name) => found.has(name));
        assert.deepEqual((await hits(store, [word], 'any', filter)).sort(), wanted.sort(), JSON.stringify(filter));
      }
    }
  });

  law('notes of a sought date rank higher, in any year where it names none, and are found by it', async (store) => {
    await fill(store, {
      '2023-10-13.md': 'tide',
      'property.md': '---\ndate: 2022-10-13\n---\ntide',
      'heading.md': '## 13 October 2023\n\ntide',
      'around.md': '---\ndate: 2023-10-15\n---\ntide',
      'alone.md': '---\ndate: 2023-10-13\n---\nquay',
      'plain.md': 'tide tide tide',
    });
    const dated = { days: ['2023-10-13'], around: ['2023-10-15'], written: ['13 October 2023'], isFound: true };
    const scored = async (date: Partial<typeof dated>, match: 'any' | 'all' = 'any') => {
      const query = { terms: [term('tide')], match, dated: [{ ...dated, ...date }] };
      const { hits: found } = await store.searchText(query, {}, ALL, signal);
      return new Map(found.map(({ path, score }) => [path.replace(/\.md$/, ''), score]));
    };
    const day = await scored({});
    assert.deepEqual([...day.keys()].sort(), ['2023-10-13', 'alone', 'around', 'heading', 'plain', 'property']);
    const plain = await scored({}, 'all');
    const gains = [...day].map(([name, score]) => [name, score > (plain.get(name) ?? 0)]);
    assert.deepEqual(Object.fromEntries(gains), {
      '2023-10-13': true,
      around: true,
      heading: true,
      alone: true,
      plain: false,
      property: false,
    });
    const each = await scored({ days: ['____-10-13'], around: [], written: [], isFound: false });
    assert.equal(each.has('alone'), false);
    assert.equal((each.get('property') ?? 0) > (plain.get('property') ?? 0), true);
    await rewrite(store, { 'property.md': 'tide' });
    assert.equal(
      (await scored({ days: ['2022'], isFound: false })).get('property'),
      (await scored({}, 'all')).get('property'),
    );
  });

  law('mentions are adjacent words in the text, sorted by path', async (store) => {
    await fill(store, {
      'b.md': 'the spring-tide came',
      'a.md': '# Spring tide\n',
      'c.md': 'spring and tide',
      'd.md': '---\naliases: [spring tide]\n---',
      '灯.md': '朝の灯台',
    });
    assert.deepEqual(await store.mentions('Spring Tide', 10, signal), ['a.md', 'b.md']);
    assert.deepEqual(await store.mentions('Spring Tide', 1, signal), ['a.md']);
    assert.deepEqual(await store.mentions('灯台', 10, signal), ['灯.md']);
    assert.deepEqual(await store.mentions('!', 10, signal), []);
  });

  law('word counts are the numbers of notes with each word or character sequence, and of all notes', async (store) => {
    await fill(store, {
      'tide.md': 'Café moon moon',
      'b.md': '---\ntags: [moon]\naliases: [tide]\n---\ncafe',
      'c.md': '# 潮汐表\n海の潮',
      'd.canvas': '{"nodes":[{"id":"1","type":"text","text":"tide","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
      'e.png': null,
    });
    const words = ['tide', 'moon', 'cafe', '潮汐', '汐潮', '潮', 'nothing', '!', 'a"b', "don't", ''];
    assert.deepEqual(await store.wordCounts(words, signal), {
      indexed: 4,
      docFrequencies: [3, 2, 2, 1, 0, 1, 0, 0, 0, 0, 0],
    });
    await rewrite(store, { 'b.md': 'moon' });
    assert.deepEqual((await store.wordCounts(['tide', 'moon', 'cafe'], signal)).docFrequencies, [2, 2, 1]);
    assert.deepEqual(await store.wordCounts([], signal), { indexed: 4, docFrequencies: [] });
  });

  law('words with a prefix are listed with their document frequency', async (store) => {
    await fill(store, {
      'tide.md': 'Tidal tides TIDES',
      'b.md': '---\naliases: [Tidings]\n---\ntidé',
      'c.md': 'tie 潮汐',
    });
    const from = async (start: string, limit = 10) =>
      (await store.wordsFrom(start, limit, signal)).map(({ word, docFrequency }) => `${word} ${docFrequency}`);
    assert.deepEqual(await from('tid'), ['tidal 1', 'tide 2', 'tides 1', 'tidings 1']);
    assert.deepEqual(await from('tid', 2), ['tidal 1', 'tide 2']);
    assert.deepEqual(await from('潮'), ['潮 1']);
    assert.deepEqual(await from('x"*'), []);
    await rewrite(store, { 'tide.md': 'gone' });
    assert.deepEqual(await from('tid'), ['tide 2', 'tidings 1']);
    await assert.rejects(store.wordsFrom('t', -1, signal), { code: 'LIMIT_EXCEEDED' });
  });

  law('words are listed by their last part, with what is before it and their document frequency', async (store) => {
    await fill(store, {
      'a.md': 'Lighthouse lighthouses',
      'b.md': '---\naliases: [Greenhouse]\n---\nlighthouse',
      'c.md': 'house houses 潮汐 лайтхаус',
    });
    const of = async (word: string, limit = 10) =>
      (await store.compoundsOf(word, limit, signal)).map((one) => `${one.first} ${one.word} ${one.docFrequency}`);
    assert.deepEqual(await of('house'), ['green greenhouse 1', 'light lighthouse 2', 'light lighthouses 1']);
    assert.deepEqual(await of('house', 1), ['green greenhouse 1']);
    for (const word of ['lighthouse', 'use', 'хаус', 'x"*', '']) assert.deepEqual(await of(word), []);
    await rewrite(store, { 'b.md': 'gone' });
    assert.deepEqual(await of('house'), ['light lighthouse 1', 'light lighthouses 1']);
    await assert.rejects(store.compoundsOf('house', -1, signal), { code: 'LIMIT_EXCEEDED' });
  });
}
