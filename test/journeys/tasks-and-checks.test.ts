// Runs list_tasks and check_note over stdio: tasks follow edits by other programs, and check_note reports every reason.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { embeddedSession, ollamaFor } from './embedding-session.ts';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

const FILES: Readonly<Record<string, string>> = {
  'Boat.md':
    '---\ntags: [boat]\n---\n- [ ] rig 📅 2026-11-20\n## Hull\n- [/] paint #spring [due:: 2026-11-19]\n- [x] scrape\n',
  'Sea/Tide.md': '# Tide\nThe neap tide is low.\n\n> - [ ] read the table\n\n%%\n- [ ] hidden\n%%\n',
  'Archive/Old.md': '- [ ] old\n',
  'Broken.md': '---\na: b: c\n---\ntide\n',
};

function vaultOf(context: TestContext): string {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(FILES)) put(vault, path, text);
  return vault;
}

function put(vault: string, path: string, text: string): void {
  mkdirSync(join(vault, path, '..'), { recursive: true });
  writeFileSync(join(vault, path), text);
}

interface Task {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

async function tasks(session: Session, given: Record<string, unknown> = {}): Promise<string[]> {
  const { structured, text } = await session.call('list_tasks', { require_fresh: true, ...given });
  assert.equal(structured.ok, true, text);
  for (const { path, line } of structured.data.tasks as Task[]) assert.ok(text.includes(`${path}:${line}`), text);
  return structured.data.tasks.map(({ path, line, text: task }: Task) => `${path}:${line} ${task.split(' ')[0]}`);
}

const dayIn = (days: number): string => {
  const day = new Date();
  day.setDate(day.getDate() + days);
  return day.toLocaleDateString('sv');
};

test('tasks are found by the period of a date, and the answer says which days it has', async (context) => {
  const vault = temporaryFolder(context);
  const lines = [-2, 0, 3, 12].map((days) => `- [ ] at${days} 📅 ${dayIn(days)}`);
  put(
    vault,
    'T.md',
    `---\ndeadline: ${dayIn(3)}\n---\n${lines.join('\n')}\n- [ ] plan ⏳ ${dayIn(1)} 🛫 ${dayIn(0)}\n`,
  );
  const session = await openSession(context, { vault });
  await session.indexed();
  const cases: readonly [args: object, found: string, period: object][] = [
    [{ due: 'overdue' }, 'at-2', { due_until: dayIn(-1) }],
    [{ due: 'next 7 days' }, 'at0 at3', { due_from: dayIn(0), due_until: dayIn(6) }],
    [{ due: '7d' }, 'at0 at3', { due_from: dayIn(0), due_until: dayIn(6) }],
    [{ due_before: '7d', due_after: 'yesterday' }, 'at0 at3', { due_from: dayIn(0), due_until: dayIn(6) }],
    [{ due: 'in 3 days' }, 'at3', { due_from: dayIn(3), due_until: dayIn(3) }],
    [{ scheduled: 'tomorrow' }, 'plan', { scheduled_from: dayIn(1), scheduled_until: dayIn(1) }],
    [{ start: '@today' }, 'plan', { start_from: dayIn(0), start_until: dayIn(0) }],
  ];
  for (const [args, expected, period] of cases) {
    const { structured, text } = await session.call('list_tasks', { ...args });
    const words = structured.data.tasks.map(({ text: task }: Task) => task.split(' ')[0]);
    assert.deepEqual([words.join(' '), structured.data.period], [expected, period], JSON.stringify(args));
    for (const day of Object.values(period)) assert.ok(text.includes(day), text);
  }
  const empty = await session.call('list_tasks', { due_after: 'this week', due_before: 'next week' });
  assert.match(empty.text, /due: "this week"/);
  const where = { deadline: { gte: 'today', lte: 'in 3 days' } };
  const listed = await session.call('list_notes', { where });
  assert.equal(listed.structured.data.total, 1);
  assert.deepEqual(listed.structured.data.period.where.deadline.until, dayIn(3));
  const refused = await session.call('list_notes', { where: { deadline: { lt: '7d' } } });
  assert.match(refused.text, /INVALID_QUERY.*where\.deadline.*`7d ago` or `in 7d`/);
});

test('open tasks sorted by date, filtered and paged, and updated after edits by other programs', async (context) => {
  const vault = vaultOf(context);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, exclude: ["Archive/**"] }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  assert.deepEqual(await tasks(session), ['Boat.md:6 paint', 'Boat.md:4 rig', 'Sea/Tide.md:4 read']);
  assert.deepEqual(await tasks(session, { status: 'done' }), ['Boat.md:7 scrape']);
  assert.deepEqual(await tasks(session, { due_before: '2026-11-20' }), ['Boat.md:6 paint']);
  assert.deepEqual(await tasks(session, { due_after: '2026-11-19', tags: ['boat'] }), ['Boat.md:4 rig']);
  assert.deepEqual(await tasks(session, { heading: 'hull', status: 'any' }), ['Boat.md:6 paint', 'Boat.md:7 scrape']);
  const first = await session.call('list_tasks', { limit: 2 });
  const { next_cursor: cursor, total } = first.structured.data;
  assert.equal(total, 3);
  assert.deepEqual(await tasks(session, { limit: 2, cursor }), ['Sea/Tide.md:4 read']);

  put(vault, 'Boat.md', '# Log\n\n- [x] rig 📅 2026-11-20\n- [ ] launch 📅 2026-12-01\n');
  put(vault, 'Sea/New.md', '* [ ] new 📅 2026-11-01\n');
  rmSync(join(vault, 'Sea/Tide.md'));
  assert.deepEqual(await tasks(session), ['Sea/New.md:1 new', 'Boat.md:4 launch']);
  assert.equal((await session.call('list_tasks', { status: 'closed' })).structured.error.code, 'INVALID_INPUT');
});

test('check_note reports why a note is not found, from the index, the disk and the config', async (context) => {
  const vault = vaultOf(context);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, exclude: ["Archive/**"] }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const check = async (note: string, query?: string) => {
    const { structured, text } = await session.call('check_note', { note, ...(query === undefined ? {} : { query }) });
    assert.equal(structured.ok, true, text);
    assert.ok(text.includes(structured.data.verdict), text);
    assert.doesNotMatch(text, new RegExp(vault), 'no path of this machine');
    return structured.data;
  };
  const tide = await check('Tide', 'tide -salt');
  assert.deepEqual([tide.state, tide.query.rank, tide.embedding], ['indexed', 1, undefined]);
  assert.deepEqual(tide.query.terms[0].fields, ['title', 'body']);
  const old = await check('Archive/Old');
  assert.deepEqual([old.state, old.rule], ['ignored', 'it is excluded by vault.exclude: "Archive/**"']);
  assert.equal((await check('.obsidian/app.json')).state, 'ignored');
  assert.equal((await check('Broken')).quarantine[0].code, 'PROPERTIES_INVALID');
  const { structured } = await session.call('check_note', { note: 'Tidee' });
  assert.equal(structured.error.code, 'NOTE_NOT_FOUND');
  assert.ok(structured.error.details.suggestions.includes('Sea/Tide.md'));
});

test('with embeddings check_note reports the semantic rank; if the provider is down it reports everything else', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { vault: vaultOf(context) });
  const well = (await session.call('check_note', { note: 'Tide', query: 'neap tide' })).structured;
  assert.deepEqual(well.data.embedding, { embedded: true });
  assert.equal(typeof well.data.query.search.meaning.rank, 'number');
  assert.equal(well.meta.provider.capability, 'embedding');
  await ollama.refuse();
  const { structured, text } = await session.call('check_note', { note: 'Tide', query: 'neap tide' });
  assert.equal(structured.ok, true, text);
  assert.equal(structured.data.query.rank, 1);
  assert.equal(structured.data.query.search.error.code, 'PROVIDER_UNAVAILABLE');
});
