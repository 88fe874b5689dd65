// list_tasks over a real vault: fields, filters, order, pages, and external edits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTasks } from '../../../src/tools/tasks/list_tasks.ts';
import { assertEach } from '../../assert-each.ts';
import { publicVault, readVault } from '../../markdown/links/vault-folder.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'Boat.md':
    '---\ntags: [boat]\nplace: Kiel\n---\n- [ ] rig ⏫ ⏳ 2026-11-18 📅 2026-11-20\n## Hull\n- [x] scrape ✅ 2026-11-01\n- [/] paint #today [due:: 2026-11-19]\n',
  'sub/Sea.md': '> [!todo]\n> 1. [-] sail\n\n- [ ] tide table\n\n```\n- [ ] none\n```\n',
  'No tasks.md': '- item\n',
};
const texts = (answer: { tasks: { text: string }[] }) => answer.tasks.map(({ text }) => text.split(' ')[0]);

test('open tasks by due date, each with its place and status', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    assert.deepEqual(await ask(listTasks), {
      tasks: [
        {
          ...{ path: 'Boat.md', line: 8, text: 'paint #today [due:: 2026-11-19]', status: 'open', mark: '/' },
          ...{ due: '2026-11-19', heading: 'Hull' },
        },
        {
          ...{ path: 'Boat.md', line: 5, text: 'rig ⏫ ⏳ 2026-11-18 📅 2026-11-20', status: 'open', mark: undefined },
          ...{ due: '2026-11-20', heading: undefined },
        },
        {
          ...{ path: 'sub/Sea.md', line: 4, text: 'tide table', status: 'open', mark: undefined },
          ...{ due: undefined, heading: undefined },
        },
      ],
      total: 3,
    });
    const { tasks } = await ask(listTasks, { status: 'any', detail: 'full' });
    assert.equal(tasks.length, 5);
    const rig = tasks.find(({ line }: { line: number }) => line === 5);
    assert.deepEqual([rig.priority, rig.scheduled, rig.due], ['high', '2026-11-18', '2026-11-20']);
    const done = await ask(listTasks, { status: 'done', detail: 'full' });
    assert.deepEqual(
      done.tasks.map(({ status, done }: { status: string; done?: string }) => [status, done]),
      [
        ['done', '2026-11-01'],
        ['cancelled', undefined],
      ],
    );
    assert.deepEqual(warnings, []);
  }));

test('filters on tasks and on notes', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    const cases: [object, string[]][] = [
      [{ status: 'any', folder: 'sub' }, ['sail', 'tide']],
      [{ tags: ['today'] }, ['paint']],
      [{ tags: ['#boat'] }, ['paint', 'rig']],
      [{ tags: ['boat', 'today'], tag_mode: 'all' }, ['paint']],
      [{ heading: '## hull', status: 'any' }, ['paint', 'scrape']],
      [{ where: { place: 'kiel' } }, ['paint', 'rig']],
      [{ due_before: '2026-11-20' }, ['paint']],
      [{ due_after: '2026-11-19' }, ['rig']],
      [{ due_after: '2026-11', status: 'any' }, []],
      [{ since: '2020' }, ['paint', 'rig', 'tide']],
      [{ until: '2001' }, []],
    ];
    for (const [given, expected] of cases) {
      const answer = await ask(listTasks, given);
      assert.deepEqual(texts(answer), expected, JSON.stringify(given));
      assert.equal(answer.total, expected.length);
    }
    await ask(listTasks, { heading: 'Keel', folder: 'nowhere' });
    assertEach(warnings, ({ code }) => code, ['FILTER_MATCHES_NOTHING', 'FILTER_MATCHES_NOTHING']);
    assert.match(warnings[1]?.message ?? '', /heading "Keel"/);
    await ask(listTasks, { heading: '## Hul' });
    assert.match(warnings.at(-1)?.message ?? '', /heading "## Hul"; similar: "Hull"/);
  }));

test('tasks follow their note when it is edited, moved or deleted', () =>
  withTools(FILES, async ({ ask, folder, run }) => {
    folder.put('sub/Sea.md', '# Now\n- [x] tide table\n- [ ] new one 📅 2026-01-01\n');
    await run();
    assert.deepEqual(texts(await ask(listTasks, { folder: 'sub' })), ['new']);
    const [task] = (await ask(listTasks, { folder: 'sub' })).tasks;
    assert.deepEqual([task.line, task.heading, task.due], [3, 'Now', '2026-01-01']);
    folder.put('moved.md', '- [ ] moved\n');
    folder.remove('sub/Sea.md');
    await run();
    assert.deepEqual(texts(await ask(listTasks, { status: 'any' })), ['paint', 'rig', 'scrape', 'moved']);
  }));

test('tasks come from the current text, and tasks that are gone are counted', () =>
  withTools(FILES, async ({ ask, folder, warnings }) => {
    folder.put('Boat.md', FILES['Boat.md'].replace('rig', 'rigging').replace('- [/] paint', 'paint'));
    const answer = await ask(listTasks, { folder: '/' });
    assert.deepEqual(texts(answer), ['rigging', 'tide']);
    assert.equal(answer.total, 3);
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('paging returns every task once, in one order', () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`n${at}.md`, `- [ ] a${at} 📅 2026-01-0${(at % 4) + 1}\n- [ ] b${at}\n`]),
  );
  return withTools(many, async (under) => {
    const tasks = await everyPage(under, listTasks, {}, 'tasks', 4);
    assert.deepEqual(tasks, (await under.ask(listTasks, { limit: 100 })).tasks);
    assert.equal(new Set(texts({ tasks })).size, 18);
  });
});

test('refusals', () =>
  withTools(FILES, async ({ ask, refusal }) => {
    await refusal(listTasks, { folder: '..' }, 'PATH_NOT_ALLOWED');
    await refusal(listTasks, { due_before: 'soonish' }, 'INVALID_QUERY');
    await refusal(listTasks, { due_after: '2026-02-30' }, 'INVALID_QUERY');
    const { next_cursor: cursor } = await ask(listTasks, { limit: 1 });
    await refusal(listTasks, { status: 'any', cursor }, 'INVALID_INPUT');
    for (const wrong of [{ status: 'closed' }, { heading: '' }, { limit: 101 }]) {
      assert.equal(listTasks.input.safeParse(wrong).success, false);
    }
  }));

const { folder: demo, skip } = publicVault('tasks-demo');

test('every task of a public vault is on the given line', { skip }, () => {
  const files = Object.fromEntries(readVault(demo));
  return withTools(files, async (under) => {
    const tasks = await everyPage(under, listTasks, { status: 'any' }, 'tasks', 100);
    assert.ok(tasks.length > 500, String(tasks.length));
    const notes = new Map<string, readonly string[]>();
    for (const { path, line, text } of tasks) {
      const lines = notes.get(path) ?? String(files[path]).split(/\r\n?|\n/);
      notes.set(path, lines);
      assert.ok(lines[line - 1]?.includes(text), `${path}:${line}`);
    }
  });
});
