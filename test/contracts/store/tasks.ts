// Contract tests of task lists and their filters.
import assert from 'node:assert/strict';
import type { Store, TaskFilter } from '../../../src/contracts/store.ts';
import { ALL, changes, fill, found, indexed, type Law, remove, rewrite, signal } from './law.ts';

const BOAT = `---
tags: [boat]
---
- [ ] loose
# Hull
#winter
- [ ] scrape 📅 2026-11-20
- [x] wash #Today ✅ 2026-11-01
## Paint
- [-] varnish 📅 2026-11-19
- [/] antifouling #stern/left [due:: 2026-11-21]
# Rig ^top
1. [ ] mast (due:: 2026-11-20)
`;
const SEA = '> - [ ] tide table #today\n\n- [ ] sail 📅 2026-02-30';

/** The first word of what is at a place: of `a/boat.md:7`, `scrape`. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ 'a/boat.md:4': 'loose', 'a/boat.md:7': 'scrape', 'a/boat.md:8': 'wash', 'a/boat.md:10': 'varnish' },
  ...{ 'a/boat.md:11': 'antifouling', 'a/boat.md:13': 'mast', 'b/sea.md:1': 'tide', 'b/sea.md:3': 'sail' },
};

async function places(store: Store, filter: Partial<TaskFilter> = {}): Promise<string[]> {
  const { tasks, total } = await store.listTasks({ status: 'any', ...filter }, ALL, signal);
  assert.equal(total, tasks.length);
  return tasks.map(({ path, line }) => WORDS[`${path}:${line}`] ?? `${path}:${line}`);
}

const boat = (store: Store) =>
  fill(store, { 'a/boat.md': BOAT, 'b/sea.md': SEA, 'b/none.md': 'no task', 'p.png': null });

export function taskLaws(law: Law): void {
  law('tasks are sorted by due date, then by note and line, with all fields', async (store) => {
    await boat(store);
    const { tasks, total } = await store.listTasks({ status: 'any' }, ALL, signal);
    assert.equal(total, 8);
    assert.deepEqual(tasks, [
      { path: 'a/boat.md', line: 10, mark: '-', due: '2026-11-19', heading: 'Paint' },
      { path: 'a/boat.md', line: 7, mark: ' ', due: '2026-11-20', heading: 'Hull' },
      {
        path: 'a/boat.md',
        line: 13,
        mark: ' ',

        due: '2026-11-20',
        heading: 'Rig ^top',
      },
      {
        ...{ path: 'a/boat.md', line: 11, mark: '/' },
        ...{ due: '2026-11-21', heading: 'Paint' },
      },
      { path: 'a/boat.md', line: 4, mark: ' ' },
      { path: 'a/boat.md', line: 8, mark: 'x', heading: 'Hull' },
      { path: 'b/sea.md', line: 1, mark: ' ' },
      { path: 'b/sea.md', line: 3, mark: ' ' },
    ]);
  });

  law('status filter: done and cancelled are done, any other mark is open', async (store) => {
    await boat(store);
    assert.deepEqual(await places(store, { status: 'done' }), ['varnish', 'wash']);
    const open = ['scrape', 'mast', 'antifouling', 'loose', 'tide', 'sail'];
    assert.deepEqual(await places(store, { status: 'open' }), open);
  });

  law(
    'filters by days: the first day is included, the end is not, and tasks without the date do not match',
    async (store) => {
      await boat(store);
      assert.deepEqual(await places(store, { days: { due: { before: '2026-11-20' } } }), ['varnish']);
      assert.deepEqual(await places(store, { days: { due: { from: '2026-11-21' } } }), ['antifouling']);
      const due = { from: '2026-11-20', before: '2026-11-21' };
      assert.deepEqual(await places(store, { days: { due } }), ['scrape', 'mast']);
      await fill(store, {
        'c.md': '- [ ] a ⏳ 2026-11-20 📅 2026-11-22\n- [ ] b 🛫 2026-11-20\n- [ ] c ⏳ 2026-11-19',
      });
      assert.deepEqual(await places(store, { days: { scheduled: due } }), ['c.md:1']);
      assert.deepEqual(await places(store, { days: { start: due } }), ['c.md:2']);
      assert.deepEqual(await places(store, { days: { scheduled: {} } }), ['c.md:1', 'c.md:3']);
      assert.deepEqual(await places(store, { days: { scheduled: due, start: due } }), []);
    },
  );

  law(
    'a heading filter matches the tasks of its section at any depth, and compares headings like links do',
    async (store) => {
      await boat(store);
      assert.deepEqual(await places(store, { heading: 'hull' }), ['varnish', 'scrape', 'antifouling', 'wash']);
      assert.deepEqual(await places(store, { heading: '## Paint' }), ['varnish', 'antifouling']);
      assert.deepEqual(await places(store, { heading: 'Pai' }), []);
      assert.deepEqual(await places(store, { heading: 'Rig top' }), ['mast']);
    },
  );

  law('a tag filter matches the tags of a task, or a tag of its note that is on no task', async (store) => {
    await boat(store);
    assert.deepEqual(await places(store, { tags: ['#today'] }), ['wash', 'tide']);
    assert.deepEqual(await places(store, { tags: ['#Stern'] }), ['antifouling']);
    assert.equal((await places(store, { tags: ['#boat'] })).length, 6);
    assert.equal((await places(store, { tags: ['#winter', '#boat'], tagMode: 'all' })).length, 6);
    assert.deepEqual(await places(store, { tags: ['#boat', '#today'], tagMode: 'all' }), ['wash']);
    assert.deepEqual(await places(store, { tags: ['#stern', '#today'], tagMode: 'any' }), [
      'antifouling',
      'wash',
      'tide',
    ]);
    assert.deepEqual(await places(store, { tags: ['#ste'] }), []);
  });

  law('tasks are filtered like notes by folder and property, and filters combine', async (store) => {
    await boat(store);
    await fill(store, { 'c.md': '---\nplace: Kiel\n---\n- [ ] berth' });
    assert.deepEqual(await places(store, { folder: 'b' }), ['tide', 'sail']);
    assert.deepEqual(await places(store, { where: [{ name: 'place', operator: 'eq', value: 'kiel' }] }), ['c.md:4']);
    const all = {
      folder: 'a',
      tags: ['#boat'],
      heading: 'Hull',
      days: { due: { from: '2026-11-20' } },
      status: 'open',
    } as const;
    assert.deepEqual(await places(store, all), ['scrape', 'antifouling']);
    assert.deepEqual(await places(store, { ...all, folder: 'b' }), []);
  });

  law('tasks change with their note: indexed again, moved, removed, reset', async (store) => {
    await boat(store);
    await rewrite(store, { 'b/sea.md': '\n- [x] tide table', 'b/none.md': '- [ ] now one' });
    assert.deepEqual(await places(store, { folder: 'b' }), ['b/none.md:1', 'b/sea.md:2']);
    await rewrite(store, { 'b/sea.md': 'nothing left' });
    assert.deepEqual(await places(store, { folder: 'b' }), ['b/none.md:1']);
    await remove(store, 'a/boat.md', 'b/none.md');
    assert.deepEqual(await places(store), []);
    const added = indexed('a/boat.md', '\n- [ ] again');
    await store.apply(changes({ added: [found('a/boat.md')], indexed: [added] }), signal);
    assert.deepEqual(await places(store), ['a/boat.md:2']);
    await store.reset(signal);
    assert.deepEqual(await places(store), []);
  });

  law('pages of tasks add up to the whole', async (store) => {
    const lines = Array.from({ length: 23 }, (_, at) => `- [ ] t${at} ${at % 3 === 0 ? `📅 2026-01-${10 + at}` : ''}`);
    await fill(store, { 'a.md': lines.slice(0, 9).join('\n'), 'b.md': lines.slice(9).join('\n') });
    const whole = await places(store);
    const pages: string[] = [];
    for (const offset of [0, 10, 20, 30]) {
      const { tasks, total } = await store.listTasks({ status: 'any' }, { limit: 10, offset }, signal);
      assert.equal(total, 23);
      pages.push(...tasks.map(({ path, line }) => `${path}:${line}`));
    }
    assert.deepEqual(pages, whole);
    assert.equal(new Set(pages).size, 23);
  });
}
