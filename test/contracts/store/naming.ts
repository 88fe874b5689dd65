// Contract tests of note names and lookups by name.
import assert from 'node:assert/strict';
import type { NotePath } from '../../../src/base/note.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { ALL, asPaths, fill, indexed, type Law, remove, signal } from './law.ts';

async function candidates(store: Store, name: string): Promise<string[]> {
  const found = await store.candidates(name, signal);
  return found.map(({ path, by, exact }) => `${path} ${by}${exact ? '' : ' folded'}`);
}

async function titleOf(store: Store, path: string): Promise<string | undefined> {
  return (await store.notes(asPaths(path), signal))[0]?.title;
}

export function namingLaws(law: Law): void {
  law('a record has the title, aliases and other properties of the note', async (store) => {
    const text =
      '---\ntitle: Low water\naliases: [Ebb tide, Neap]\nrating: 5\nat: { port: Dover }\n"1": x\n---\n# One\ntext ^b1\n## Two\n#Tide #tide #a/b';
    await fill(store, { 'p/Ebb.md': text });
    const [record, ...rest] = await store.notes(asPaths('Nobody.md', 'p/Ebb.md'), signal);
    assert.deepEqual(rest, []);
    assert.deepEqual(
      [record?.path, record?.title, record?.kind, record?.encoding, record?.aliases, record?.tags, record?.bodyOffset],
      ['p/Ebb.md', 'Low water', 'note', 'utf-8', ['Ebb tide', 'Neap'], ['#Tide', '#a/b'], text.indexOf('# One')],
    );
    const properties = { 1: 'x', title: 'Low water', aliases: ['Ebb tide', 'Neap'], rating: 5, at: { port: 'Dover' } };
    assert.deepEqual(record?.properties, properties);
    assertEach(record?.headings, ({ text, level, line }) => [text, level, line], [
      ['One', 1, 8],
      ['Two', 2, 10],
    ]);
    assert.deepEqual(record?.tagPlaces, indexed('p/Ebb.md', text).parsed.tags);
    assert.deepEqual(record?.blocks, [{ id: 'b1', line: 9, endLine: 9 }]);
  });

  law('records are in the order of the request, without unknown paths', async (store) => {
    await fill(store, { 'a.md': '', 'b.md': '' });
    const records = await store.notes(asPaths('b.md', 'x.md', 'a.md'), signal);
    assertEach(records, ({ path }) => path, ['b.md', 'a.md']);
  });

  law('the title is the title property if it is text, else the name', async (store) => {
    await fill(store, {
      'a/Ebb.md': '---\nTitle: " Low water "\n---\n# Heading',
      'Flow.md': '---\ntitle: ""\n---\n# Heading',
      'Calm.md': '---\ntitle: [x]\n---',
      'Board.canvas': '{}',
      'pic.png': null,
    });
    const titles = await Promise.all(
      ['a/Ebb.md', 'Flow.md', 'Calm.md', 'Board.canvas', 'pic.png'].map((path) => titleOf(store, path)),
    );
    assert.deepEqual(titles, ['Low water', 'Flow', 'Calm', 'Board.canvas', 'pic.png']);
  });

  law('a name is looked up as path, name, alias and title, in this order, exact before folded', async (store) => {
    await fill(store, {
      'Harbour.md': '',
      'Ports/Harbour.md': '',
      'Ports/harbour.md': '',
      'Dover.md': '---\naliases: [Harbour]\n---',
      'Calais.md': '---\ntitle: harbour\n---',
      'Log.md': '# Harbour',
      'Harbour.png': null,
    });
    assert.deepEqual(await candidates(store, 'Harbour'), [
      'Harbour.md path',
      'Ports/Harbour.md name',
      'Ports/harbour.md name folded',
      'Dover.md alias',
      'Log.md title',
      'Calais.md title folded',
    ]);
    assert.deepEqual(await candidates(store, 'ports/harbour.md'), [
      'Ports/Harbour.md path folded',
      'Ports/harbour.md path folded',
    ]);
    assert.deepEqual(await candidates(store, 'Ports/harbour'), [
      'Ports/harbour.md path',
      'Ports/Harbour.md path folded',
    ]);
    assert.deepEqual(await candidates(store, 'rts/Harbour'), []);
    assert.deepEqual(await candidates(store, 'Harbour.png'), []);
    assert.deepEqual(await candidates(store, ''), []);
  });

  law('names are case-folded in every script and both normal forms', async (store) => {
    await fill(store, { 'Маяк.md': '', 'ΔΡΟΜΟΣ.md': '', 'Café.md': '---\naliases: [ÉTÉ]\n---', 'a\u00a0b.md': '' });
    assert.deepEqual(await candidates(store, 'маяк'), ['Маяк.md path folded']);
    assert.deepEqual(await candidates(store, 'Δρομοσ'), ['ΔΡΟΜΟΣ.md path folded']);
    assert.deepEqual(await candidates(store, 'Cafe\u0301'), ['Café.md path']);
    assert.deepEqual(await candidates(store, 'été'), ['Café.md alias folded']);
    assert.deepEqual(await candidates(store, 'a b'), ['a\u00a0b.md path folded']);
  });

  law('a full path matches its file before one that needs an extension added', async (store) => {
    await fill(store, { 'Deck.base': '', 'Deck.base.md': '' });
    assert.deepEqual(await candidates(store, 'Deck.base'), ['Deck.base path', 'Deck.base.md name']);
  });

  law('all names are sorted by path, without attachments', async (store) => {
    await fill(store, { 'b.md': '---\naliases: [B2, B1]\n---', 'a.md': '---\ntitle: A\n---', 'pic.png': null });
    assert.deepEqual(await store.names(signal), [
      { path: 'a.md', title: 'A', aliases: [] },
      { path: 'b.md', title: 'b', aliases: ['B2', 'B1'] },
    ]);
  });

  law('the names that changed since an earlier answer, and those of all notes where that is unknown', async (store) => {
    await fill(store, {
      'b.md': '---\naliases: [B2]\n---\n# One',
      'a.md': '---\ntitle: A\n---',
      'c.md': '',
      'pic.png': null,
    });
    const first = await store.changedNames(undefined, signal);
    assert.deepEqual([first.isWhole, first.notes], [true, await store.names(signal)]);
    const nothing = { isWhole: false, notes: [], removed: [] };
    assert.deepEqual(await store.changedNames(first.mark, signal), { mark: first.mark, ...nothing });
    await fill(store, { 'b.md': '---\naliases: [B2]\n---\n# Two\n[[a]] text', 'a.md': '---\ntitle: A\n---\nmore' });
    assert.deepEqual(await store.changedNames(first.mark, signal), { mark: first.mark, ...nothing });
    await fill(store, { 'b.md': '---\naliases: [B1]\n---', 'a.md': '', 'new.md': '' });
    await remove(store, 'c.md');
    const { mark, ...changed } = await store.changedNames(first.mark, signal);
    assert.deepEqual(
      { ...changed, notes: changed.notes.toSorted((one, other) => (one.path < other.path ? -1 : 1)) },
      {
        isWhole: false,
        notes: [
          { path: 'a.md', title: 'a', aliases: [] },
          { path: 'b.md', title: 'b', aliases: ['B1'] },
          { path: 'new.md', title: 'new', aliases: [] },
        ],
        removed: ['c.md'],
      },
    );
    await store.reset(signal);
    assert.deepEqual((await store.changedNames(mark, signal)).isWhole, true);
  });

  law('names of which too many changed are all read again', async (store) => {
    await fill(store, { 'a.md': '' });
    const { mark } = await store.changedNames(undefined, signal);
    for (let change = 0; change < 102; change++) await fill(store, { 'a.md': `---\ntitle: T${change}\n---` });
    const { isWhole, notes } = await store.changedNames(mark, signal);
    assert.deepEqual([isWhole, notes], [true, [{ path: 'a.md', title: 'T101', aliases: [] }]]);
  });

  law('names and tasks of many notes are those of one moment, whatever changes meanwhile', async (store) => {
    const pathAt = (at: number): string => `${String(at).padStart(4, '0')}.md`;
    const notes = Array.from({ length: 1_200 }, (_, at) => [pathAt(at), `---\naliases: [Note ${at}]\n---\n- [ ] task`]);
    await fill(store, Object.fromEntries(notes) as Record<string, string>);
    const names = store.names(signal);
    const tasks = store.listTasks({ status: 'any' }, { limit: 2_000, offset: 0 }, signal);
    await remove(store, pathAt(0), pathAt(1_199));
    const after = notes.slice(1, -1).map(([path]) => path);
    const either = [notes.map(([path]) => path), after].map((paths) => paths.join());
    assert.ok(either.includes((await names).map(({ path }) => path).join()));
    assert.ok(either.includes((await tasks).tasks.map(({ path }) => path).join()));
    const renamed = await store.names(signal);
    assert.deepEqual(renamed[600], { path: '0601.md', title: '0601', aliases: ['Note 601'] });
    assert.deepEqual([renamed.length, (await store.listTasks({ status: 'open' }, ALL, signal)).total], [1_198, 1_198]);
  });

  law('titles of known paths, which are the file name unless the note has another', async (store) => {
    await fill(store, { 'a.md': '---\ntitle: A\n---', 'b.md': '', 'pic.png': null });
    const paths = ['b.md', 'none.md', 'a.md', 'pic.png'] as NotePath[];
    assert.deepEqual(
      [...(await store.titles(paths, signal))],
      [
        ['b.md', 'b'],
        ['a.md', 'A'],
        ['pic.png', 'pic.png'],
      ],
    );
  });

  law('a name can be that of a built-in object property', async (store) => {
    await fill(store, { 'constructor.md': '---\n__proto__: 1\ntoString: x\n---\n[[toString]] #constructor' });
    assert.deepEqual(await candidates(store, 'constructor'), ['constructor.md path']);
    assert.deepEqual(await candidates(store, 'toString'), []);
    const where = [{ name: '__proto__', operator: 'eq', value: 1 } as const];
    assert.equal((await store.listNotes({ where }, 'name', 'asc', ALL, signal)).total, 1);
  });
}
