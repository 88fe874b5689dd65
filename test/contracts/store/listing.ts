// Contract tests of lists: filters, sort orders and pages.
import assert from 'node:assert/strict';
import type { NoteFilter, PropertyFilter } from '../../../src/contracts/note-filter.ts';
import type { NoteSort, Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { ALL, asPath, changes, fill, found, indexed, type Law, remove, signal } from './law.ts';

async function listed(store: Store, filter: NoteFilter, sort: NoteSort = 'name', order: 'asc' | 'desc' = 'asc') {
  const { notes, total } = await store.listNotes(filter, sort, order, ALL, signal);
  assert.equal(total, notes.length);
  return notes.map(({ path }) => path.replace(/\.md$/, ''));
}

const PROPERTIES = {
  'number.md': '---\nvalue: 5\n---',
  'bigger.md': '---\nVALUE: 10\n---',
  'text.md': '---\nvalue: "5"\n---',
  'day.md': '---\nvalue: 2026-03-01\n---',
  'moment.md': '---\nvalue: 2026-03-01 09:30\n---',
  'daily.md': '---\nvalue: "[[2026-03-02]]"\n---',
  'link.md': '---\nvalue: "[[Ebb tide|ebb]]"\n---',
  'list.md': '---\nvalue: [Ebb, 7, Flow tide]\n---',
  'yes.md': '---\nvalue: true\n---',
  'yesText.md': '---\nvalue: "True"\n---',
  'empty.md': '---\nvalue:\n---',
  'blank.md': '---\nvalue: ""\n---',
  'bare.md': '---\nvalue: []\n---',
  'nested.md': '---\nvalue: { depth: 3 }\n---',
  'none.md': '---\nother: 5\n---',
};
const EMPTY = ['bare', 'blank', 'empty'];
const FULL = ['bigger', 'daily', 'day', 'link', 'list', 'moment', 'nested', 'number', 'text', 'yes', 'yesText'];
const without = (...names: string[]) => [...EMPTY, ...FULL, 'none'].filter((name) => !names.includes(name)).toSorted();

const WHERE: readonly [PropertyFilter['operator'], PropertyFilter['value'], string[]][] = [
  ['eq', 5, ['number', 'text']],
  ['eq', '5', ['number', 'text']],
  ['eq', '5.0', ['number']],
  ['eq', 'ebb', ['list']],
  ['eq', '7', ['list']],
  ['eq', true, ['yes', 'yesText']],
  ['eq', 'TRUE', ['yes', 'yesText']],
  ['eq', false, []],
  ['eq', 1, []],
  ['eq', null, EMPTY],
  ['eq', '', EMPTY],
  ['eq', '2026-03-01T00:00:00', ['day']],
  ['eq', '2026-03-01T09:30', ['moment']],
  ['eq', '2026-03-02', ['daily']],
  ['eq', 'ebb tide', ['link']],
  ['eq', '[[Ebb tide]]', ['link']],
  ['ne', 5, without('number', 'text')],
  ['ne', '5', without('number', 'text')],
  ['ne', 'true', without('yes', 'yesText')],
  ['ne', null, without(...EMPTY)],
  ['gt', 5, ['bigger', 'list']],
  ['gt', '5', ['bigger', 'daily', 'link', 'list', 'yesText']],
  ['gte', 5, ['bigger', 'list', 'number', 'text']],
  ['lt', 7, ['number', 'text']],
  ['lte', '7', ['day', 'list', 'moment', 'number', 'text']],
  ['gte', '2026-01-01', ['daily', 'day', 'moment']],
  ['lt', '2026-03-02', ['day', 'moment']],
  ['gte', '2026-03-01T09:00', ['daily', 'moment']],
  ['gt', null, []],
  ['contains', 'TIDE', ['link', 'list']],
  ['contains', '03', ['daily', 'day', 'moment']],
  ['contains', 7, ['list']],
  ['contains', '7', ['list']],
  ['contains', true, ['yes', 'yesText']],
  ['exists', null, without('none')],
  ['exists', true, without('none')],
  ['exists', false, ['none']],
];

export function listingLaws(law: Law): void {
  law('a folder filter matches everything below the folder and nothing else', async (store) => {
    await fill(store, { 'a/x.md': '', 'a/b/y.md': '', 'a.md': '', 'ab/z.md': '', 'a-b/q.md': '', 'a/pic.png': null });
    assert.deepEqual(await listed(store, { folder: 'a' }), ['a/x', 'a/b/y']);
    assert.deepEqual(await listed(store, { folder: 'a/b' }), ['a/b/y']);
    assert.deepEqual(await listed(store, { folder: 'none' }), []);
    assert.deepEqual(await listed(store, { folder: 'a', exceptFolders: ['a/b'] }), ['a/x']);
    assert.deepEqual(await listed(store, { folder: 'a', exceptFolders: ['a/b', 'a'] }), []);
    assert.equal((await listed(store, {})).length, 5);
  });

  law('attachments are listed instead of notes, all or those without a link', async (store) => {
    const notes = {
      'a.md': '![[used.png]] [[named.pdf#page=2]]',
      'b.md': '[[nothing.png]] ![](sub/In%20a%20folder.jpg)',
    };
    const files = {
      'used.png': null,
      'named.pdf': null,
      'alone.png': null,
      'sub/alone.pdf': null,
      'sub/In a folder.jpg': null,
    };
    await fill(store, { ...notes, ...files, 'nothing.png.md': '' });
    const all = ['alone.png', 'sub/alone.pdf', 'sub/In a folder.jpg', 'named.pdf', 'used.png'];
    assert.deepEqual((await listed(store, { attachments: 'all' })).toSorted(), all.toSorted());
    assert.deepEqual(await listed(store, { attachments: 'unused' }, 'path'), ['alone.png', 'sub/alone.pdf']);
    assert.deepEqual(await listed(store, { attachments: 'unused', folder: 'sub' }), ['sub/alone.pdf']);
  });

  law('a tag filter matches the tag and its nested tags, in any case', async (store) => {
    await fill(store, {
      'a.md': '#Tide',
      'b.md': '#tide/low/neap',
      'c.md': '#tides #sea',
      'd.md': '#TIDE/low #sea',
      'e.md': '',
    });
    assert.deepEqual(await listed(store, { tags: ['#tide'] }), ['a', 'b', 'd']);
    assert.deepEqual(await listed(store, { tags: ['#tide/LOW'] }), ['b', 'd']);
    assert.deepEqual(await listed(store, { tags: ['#tide', '#sea'] }), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await listed(store, { tags: ['#tide', '#sea'], tagMode: 'all' }), ['d']);
  });

  law('property filters compare a value with its text, numbers as numbers and dates as dates', async (store) => {
    await fill(store, PROPERTIES);
    for (const [operator, value, expected] of WHERE) {
      const where = [{ name: 'Value', operator, value }];
      assert.deepEqual(await listed(store, { where }), expected, `${operator} ${JSON.stringify(value)}`);
    }
    const nested = [{ name: 'value.Depth', operator: 'gte', value: 3 } as const];
    assert.deepEqual(await listed(store, { where: nested }), ['nested']);
    const both = [
      { name: 'value', operator: 'gt', value: 1 } as const,
      { name: 'value', operator: 'lt', value: 6 } as const,
    ];
    assert.deepEqual(await listed(store, { where: both }), ['number', 'text']);
  });

  law(
    'the date of a note comes from a property, then its name, then its file, and the source is reported',
    async (store) => {
      const at = (path: string, text: string, day: number) =>
        indexed(path, text, { modifiedMs: new Date(2026, 10, day).getTime() });
      const notes = [
        at('2026-11-03.md', '---\ncreated: 2026-11-01 08:15\n---', 9),
        at('2026-11-03 1530.md', '', 9),
        at('plain.md', '---\ncreated: soon\n---', 9),
        at('2026-11-03.canvas', '{}', 9),
      ];
      const unread = found('2026-11-04 far away.md', { evicted: true });
      await store.apply(
        changes({ added: [...notes.map(({ path }) => found(path)), unread, found('2026-11-03.png')], indexed: notes }),
        signal,
      );
      const dates = async () => {
        const { notes: all } = await store.listNotes({}, 'name', 'asc', ALL, signal);
        const records = await store.notes(
          all.map(({ path }) => path),
          signal,
        );
        assert.deepEqual(
          records.map(({ path, date, datedBy }) => [path, date, datedBy]),
          all.map(({ path, date, datedBy }) => [path, date, datedBy]),
        );
        return all.map(({ path, date, datedBy }) => `${path}: ${date} ${datedBy}`);
      };
      assert.deepEqual(await dates(), [
        '2026-11-03 1530.md: 2026-11-03T15:30 name',
        '2026-11-03.canvas: 2026-11-03 name',
        '2026-11-03.md: 2026-11-01T08:15 property',
        '2026-11-04 far away.md: 2026-11-04 name',
        `plain.md: ${new Date(2026, 10, 9).toISOString()} modified`,
      ]);
      const between = (from: number, to: number) => ({
        sinceMs: new Date(2026, 10, from).getTime(),
        untilMs: new Date(2026, 10, to).getTime(),
      });
      assert.deepEqual(await listed(store, between(1, 2)), ['2026-11-03']);
      assert.deepEqual(await listed(store, between(3, 4)), ['2026-11-03 1530', '2026-11-03.canvas']);
      assert.deepEqual(await listed(store, between(4, 5)), ['2026-11-04 far away']);
      assert.deepEqual(await listed(store, between(9, 10)), ['plain']);
      assert.deepEqual(await listed(store, { ...between(1, 2), sinceMs: new Date(2026, 10, 1, 8, 15).getTime() }), [
        '2026-11-03',
      ]);
      assert.deepEqual(await listed(store, { untilMs: new Date(2026, 10, 1, 8, 15).getTime() }), []);
      await store.apply(
        changes({ indexed: [at('2026-11-03.md', '', 9), at('plain.md', '---\nday: 2020-01-01\n---', 9)] }),
        signal,
      );
      assert.deepEqual(
        (await dates()).filter((line) => /03.md|plain/.test(line)),
        ['2026-11-03.md: 2026-11-03 name', 'plain.md: 2020-01-01 property'],
      );
    },
  );

  law(
    'without its own date a note has the modification time of its file, and the later bound is excluded',
    async (store) => {
      const at = (path: string, modifiedMs: number) => indexed(path, '', { modifiedMs });
      const notes = [at('a.md', 1_000), at('b.md', 2_000.5), at('c.md', 3_000)];
      await store.apply(changes({ added: notes.map(({ path }) => found(path)), indexed: notes }), signal);
      assert.deepEqual(await listed(store, { sinceMs: 2_000 }), ['b', 'c']);
      assert.deepEqual(await listed(store, { sinceMs: 1_000, untilMs: 3_000 }), ['a', 'b']);
      assert.deepEqual(await listed(store, { sinceMs: 2_000, folder: 'x' }), []);
    },
  );

  law('every sort order is total, in both directions', async (store) => {
    const file = (path: string, modifiedMs: number, createdMs: number) => found(path, { modifiedMs, createdMs });
    await store.apply(
      changes({
        added: [file('d/b.md', 3, 1), file('C.md', 1, 3), file('a.md', 2, 2), file('e.md', 2, 2), file('p.png', 1, 1)],
      }),
      signal,
    );
    const links = { 'a.md': '[[b]]', 'd/b.md': '[[a]] [[gone]]', 'C.md': '[[b]]', 'e.md': '' };
    const notes = Object.entries(links).map(([path, text]) =>
      indexed(path, text, { modifiedMs: path.charCodeAt(0) % 3 }),
    );
    assert.deepEqual(await listed(store, {}, 'name'), ['a', 'd/b', 'C', 'e']);
    assert.deepEqual(await listed(store, {}, 'name', 'desc'), ['e', 'C', 'd/b', 'a']);
    assert.deepEqual(await listed(store, {}, 'path'), ['C', 'a', 'd/b', 'e']);
    assert.deepEqual(await listed(store, {}, 'path', 'desc'), ['e', 'd/b', 'a', 'C']);
    assert.deepEqual(await listed(store, {}, 'modified'), ['C', 'a', 'e', 'd/b']);
    assert.deepEqual(await listed(store, {}, 'modified', 'desc'), ['d/b', 'a', 'e', 'C']);
    assert.deepEqual(await listed(store, {}, 'created', 'desc'), ['C', 'a', 'e', 'd/b']);
    await store.apply(changes({ indexed: notes }), signal);
    assert.deepEqual(await listed(store, {}, 'links', 'desc'), ['d/b', 'a', 'C', 'e']);
    assert.deepEqual(await listed(store, {}, 'links'), ['e', 'C', 'a', 'd/b']);
    assert.deepEqual(await listed(store, { folder: 'd' }, 'links'), ['d/b']);
    await store.apply(changes({ indexed: [indexed('e.md', '[[x]] [[y]] [[C]] [[C]]')] }), signal);
    assert.deepEqual(await listed(store, {}, 'links', 'desc'), ['d/b', 'e', 'C', 'a']);
    await remove(store, 'd/b.md');
    assert.deepEqual(await listed(store, {}, 'links', 'desc'), ['e', 'C', 'a']);
    assert.deepEqual((await listed(store, {}, 'random')).sort(), ['C', 'a', 'e']);
  });

  law('pages add up to the whole', async (store) => {
    const paths = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}.md`);
    await fill(store, Object.fromEntries(paths.map((path) => [path, 'tide'])));
    const pages = [];
    for (const offset of [0, 10, 20, 30]) {
      const { notes, total } = await store.listNotes({}, 'name', 'asc', { limit: 10, offset }, signal);
      assert.equal(total, 25);
      pages.push(...notes.map(({ path }) => path));
    }
    assert.deepEqual(pages, paths);
    const none = await store.listNotes({}, 'name', 'asc', { limit: 0, offset: 0 }, signal);
    assert.deepEqual(none, { notes: [], total: 25 });
  });

  law(
    'tags are counted by note, parents include nested tags, spelled like the first, by prefix and filter',
    async (store) => {
      await fill(store, { 'a.md': '#Tide #tide #sea/North', 'b.md': '#tide #sea', 'd/c.md': '#TIDE/low', 'e.md': '' });
      const tags = async (prefix?: string, filter: NoteFilter = {}) =>
        (await store.listTags(prefix, filter, signal)).map(({ tag, count }) => `${tag} ${count}`);
      assert.deepEqual(await tags(), ['#sea 2', '#sea/North 1', '#Tide 3', '#TIDE/low 1']);
      assert.deepEqual(await tags('#TI'), ['#Tide 3', '#TIDE/low 1']);
      assert.deepEqual(await tags('#sea/n'), ['#sea/North 1']);
      assert.deepEqual(await tags(undefined, { folder: 'd' }), ['#TIDE 1', '#TIDE/low 1']);
      assert.deepEqual(await tags('#x'), []);
    },
  );

  law('thousands of tags and parents are each counted once, in two spellings or one', async (store) => {
    const number = (at: number): string => String(at).padStart(4, '0');
    const names = Array.from({ length: 2_500 }, (_, at) => `#Sea${number(Math.floor(at / 5))}/${number(at)}`);
    await fill(store, { 'a.md': names.join(' '), 'b.md': names.join(' ').toLowerCase(), 'c.md': '#sea0007' });
    const parents = Array.from(
      { length: 500 },
      (_, at) => `#${at === 7 ? 's' : 'S'}ea${number(at)} ${at === 7 ? 3 : 2}`,
    );
    const all = parents.flatMap((parent, at) => [
      parent,
      ...names.slice(5 * at, 5 * at + 5).map((name) => `${name} 2`),
    ]);
    for (const prefix of [undefined, '#sea', '#Sea'])
      assert.deepEqual(
        (await store.listTags(prefix, {}, signal)).map(({ tag, count }) => `${tag} ${count}`),
        all,
      );
  });

  law(
    'inline fields are properties for filters, counted apart, by the names of Dataview too, and kept with their lines',
    async (store) => {
      const texts = {
        'a.md': '---\nstatus: open\n---\nStatus:: done\nDue Date:: 2026-01-02\n[rating:: 5] [rating:: 7]',
        'b.md': '---\ndue date: x\nrating: 5\n---\n',
        'c.md': 'up:: [[a]], [[b]]\nlast:: \n',
      };
      await fill(store, texts);
      const where = (name: string, operator: PropertyFilter['operator'], value: PropertyFilter['value']) =>
        listed(store, { where: [{ name, operator, value }] });
      assert.deepEqual(await where('status', 'eq', 'open'), ['a']);
      assert.deepEqual(await where('STATUS', 'eq', 'Done'), ['a']);
      assert.deepEqual(await where('due-date', 'gt', '2026-01-01'), ['a']);
      assert.deepEqual(await where('Due Date', 'exists', true), ['a', 'b']);
      assert.deepEqual(await where('Due Date', 'exists', false), ['c']);
      assert.deepEqual(await where('rating', 'gte', 6), ['a']);
      assert.deepEqual(await where('up', 'eq', 'b'), ['c']);
      assert.deepEqual(await where('last', 'eq', null), ['c']);
      const { count, inline, types } = await store.propertyUse('rating', 5, signal);
      assert.deepEqual([count, inline, types], [2, 1, ['number', 'list']]);
      const names = ['due date', 'due-date', 'last', 'rating', 'Status', 'status', 'up'];
      assert.deepEqual(await store.propertyNames(signal), names);
      const [a, b] = await store.notes(['a.md', 'b.md'].map(asPath), signal);
      const rows = [
        ['Status', 'done', 4],
        ['Due Date', '2026-01-02', 5],
        ['rating', 5, 6],
        ['rating', 7, 6],
      ] as const;
      assert.deepEqual(
        [a?.properties, a?.fields, b?.fields],
        [{ status: 'open' }, rows.map(([name, value, line]) => ({ name, value, line })), undefined],
      );
      const paths = ['b.md', 'gone.md', 'a.md'].map(asPath);
      const expected = (await store.notes(paths, signal)).map(
        ({ path, kind, sizeBytes, modifiedMs, createdMs, hash, tags, properties }) => {
          const created = createdMs === undefined ? {} : { createdMs };
          return { path, kind, sizeBytes, modifiedMs, ...created, hash, tags, properties };
        },
      );
      assert.deepEqual(await store.fileProperties(paths, signal), expected);
      assertEach(await store.links(asPath('c.md'), 'out', ALL, signal), ({ key }) => key, ['up', 'up']);
      await fill(store, { 'a.md': 'Status:: new', 'c.md': '' });
      assert.deepEqual((await store.propertyNames(signal)).toSorted(), ['Status', 'due date', 'rating']);
      await fill(store, { 'z.md': '---\nstatus: new\nphase: Low\n---', 'b.md': '---\nphase: low\n---' });
      const spellings = (await store.propertyNames(signal)).filter((name) => name.toLowerCase() === 'status');
      assert.deepEqual(spellings, ['Status', 'status']);
      const values = async (name: string) => (await store.propertyUse(name, 5, signal)).values;
      assert.deepEqual(await values('phase'), [{ value: 'low', count: 2, path: 'b.md' }]);
      assert.deepEqual((await values('status')).find(({ value }) => value === 'new')?.path, 'a.md');
      assert.deepEqual(await where('status', 'eq', 'done'), []);
    },
  );

  law(
    'an excluded file is in no list, search, count of tags or suggestion; it can be named, and its links lead on',
    async (store) => {
      const texts = {
        'a.md': 'tide [[Secret]] #tide',
        'b.md': 'ebb',
        'p/Secret.md':
          '---\naliases: [Hidden]\nowner: me\n---\nmystery tide [[a]] [[gone]] [[a#part]] #tide #secret\n- [ ] buy',
        'p/x.png': null,
      };
      await fill(store, texts);
      const set = (excluded: boolean) =>
        store.apply(changes({ added: ['p/Secret.md', 'p/x.png'].map((path) => found(path, { excluded })) }), signal);
      const seen = async (filter: NoteFilter = {}) => {
        const query = { terms: [{ text: 'tide', kind: 'word', negated: false }], match: 'any' } as const;
        return {
          notes: await listed(store, filter, 'path'),
          byLinks: (await listed(store, filter, 'links')).toSorted(),
          files: (await store.listNotes({ ...filter, attachments: 'all' }, 'path', 'asc', ALL, signal)).total,
          hits: (await store.searchText(query, filter, ALL, signal)).hits.map(({ path }) => path).toSorted(),
          tags: (await store.listTags(undefined, filter, signal)).map(({ tag, count }) => `${tag} ${count}`),
          tasks: (await store.listTasks({ ...filter, status: 'any' }, ALL, signal)).total,
          unresolved: (await store.unresolved(filter, 5, ALL, signal)).total,
          parts: (await store.linkedParts(filter, signal)).length,
        };
      };
      const names = async () => (await store.names(signal)).map(({ path }) => path);
      const whole = await seen();
      assert.deepEqual([whole.notes, whole.files, whole.tags], [['a', 'b', 'p/Secret'], 1, ['#secret 1', '#tide 2']]);
      const { mark } = await store.changedNames(undefined, signal);
      await set(true);
      assert.deepEqual(await seen(), {
        ...{ notes: ['a', 'b'], byLinks: ['a', 'b'], files: 0, hits: ['a.md'], tags: ['#tide 1'] },
        ...{ tasks: 0, unresolved: 0, parts: 0 },
      });
      assert.deepEqual(await seen({ exceptFolders: ['q'] }), await seen());
      assert.deepEqual(await seen({ excluded: 'include' }), whole);
      assert.deepEqual((await seen({ excluded: 'only' })).notes, ['p/Secret']);
      assert.deepEqual([await names(), await store.propertyNames(signal)], [['a.md', 'b.md'], []]);
      assert.deepEqual((await store.changedNames(mark, signal)).removed, ['p/Secret.md']);
      assert.deepEqual((await store.propertyUse('owner', 5, signal)).count, 0);
      assert.deepEqual(await store.wordsFrom('myst', 5, signal), []);
      assertEach(await store.candidates('hidden', signal), ({ path }) => path, ['p/Secret.md']);
      assertEach(await store.links(asPath('a.md'), 'out', ALL, signal), ({ target }) => target, ['p/Secret.md']);
      assertEach(await store.linkingNotes(asPath('a.md'), signal), ({ path }) => path, ['p/Secret.md']);
      assert.equal((await store.unresolved({ source: asPath('p/Secret.md') }, 5, ALL, signal)).total, 1);
      assert.deepEqual((await store.notes([asPath('p/Secret.md')], signal))[0]?.excluded, true);
      assert.deepEqual([...((await store.graph(signal)).excluded ?? [])], ['p/Secret.md']);
      const states = await store.fileStates(signal);
      assert.deepEqual(
        states.flatMap(({ path, excluded }) => (excluded ? [path] : [])),
        ['p/Secret.md', 'p/x.png'],
      );
      await set(false);
      assert.deepEqual([await seen(), (await names()).length], [whole, 3]);
      assert.equal((await store.graph(signal)).excluded, undefined);
    },
  );
}
