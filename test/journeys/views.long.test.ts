// Checks what a view refuses to write, and that what it hides is in no list, log, index or event.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../until.ts';
import { configFile, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

const NOTES = {
  'Work/Plan.md': '# Plan\n\nSee [[Budget]] and [[Secret]]. #work\n',
  'Work/Budget.md': '# Budget\n\n#work #money\n',
  'Work/Old.md': '# Old\n\nAbout [[Budget]].\n',
  'Done/Report.md': '# Report\n\nFrom [[Plan]] and [[Old]]. #report\n',
  'Diary/Secret.md': '# Secret\n\nWe changed [[Budget#Rows|the budget]]. #money\n',
  'Diary/Views.base': 'views:\n  - type: table\n    name: T\n    filters: file.hasLink("Done/Report")\n',
};
const VIEW = 'read: ["**", "!Diary/**"], write: ["**", "!Done/**"]';

interface Opened extends Session {
  readonly vault: string;
  readonly config: string;
}

async function openView(context: TestContext, view = VIEW): Promise<Opened> {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(NOTES)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write, ${view} }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  return Object.assign(session, { vault, config });
}

const OUTSIDE: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['move_note', { note: 'Budget', to: 'Work/Costs.md', confirm: true, allow_broken: true }],
  ['move_note', { note: 'Plan', to: 'Work/Project.md', confirm: true }],
  ['merge_notes', { notes: ['Budget'], into: 'Plan', confirm: true }],
  ['delete_note', { note: 'Budget', redirect_to: 'Plan', confirm: true }],
  ['rename_tag', { from: 'money', to: 'cash', confirm: true }],
  ['rename_tag', { from: 'report', to: 'paper', confirm: true }],
];

test('what would change a file outside is refused without a name or number of it, and changes nothing', async (context) => {
  const session = await openView(context);
  for (const [tool, given] of OUTSIDE) {
    const { structured, text } = await session.call(tool, given);
    assert.equal(structured.error?.code, 'LINK_INTEGRITY', `${tool} ${JSON.stringify(given)}: ${text}`);
    assert.deepEqual(structured.error.details, { outside: true });
    assert.doesNotMatch(text.replace(/Error-Id: .*/, ''), /Secret|Diary|Report|Done|\d/);
  }
  for (const [path, content] of Object.entries(NOTES))
    assert.equal(readFileSync(join(session.vault, path), 'utf8'), content);
});

test('a heading is renamed although a note that may only be read links to it; that link is listed as broken', async (context) => {
  const vault = temporaryFolder(context);
  const notes = { 'in/A.md': '# Log tide\n', 'in/C.md': '[[A#Log tide]]\n', 'out/B.md': '[[A#Log tide]]\n' };
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const view = `{ path: ${JSON.stringify(vault)}, access: read-write, write: ["in/**"] }`;
  const session = await openSession(context, { config: configFile(context, `vault: ${view}\n`) });
  await session.indexed();
  const asked = { find: 'tide', replace: 'ebb', notes: ['A'] };
  const { plan_id, broken } = (await session.call('replace_in_notes', asked)).structured.data;
  assert.deepEqual(
    broken.map(({ path }: { path: string }) => path),
    ['out/B.md'],
  );
  assert.equal((await session.call('replace_in_notes', { plan_id })).structured.ok, true);
  const textOf = (path: string): string => readFileSync(join(vault, path), 'utf8');
  assert.deepEqual([textOf('in/C.md'), textOf('out/B.md')], ['[[A#Log ebb]]\n', notes['out/B.md']]);
});

test('a move that changes nothing outside the view is made, with the links in the view', async (context) => {
  const session = await openView(context, 'read: ["Work/**"]');
  const { structured } = await session.call('move_note', { note: 'Plan', to: 'Work/Sub/Plan.md', confirm: true });
  assert.equal(structured.ok, true);
  const undone = await session.call('undo_change');
  assert.equal(undone.structured.ok, true);
});

test('an undo that would lead a hidden link elsewhere is refused', async (context) => {
  const session = await openView(context);
  await session.call('create_note', { path: 'Work/New.md', content: 'x' });
  await session.call('move_note', { note: 'New', to: 'Work/Newer.md', confirm: true });
  writeFileSync(join(session.vault, 'Diary/Later.md'), 'See [[Newer]].\n');
  const { structured } = await session.call('undo_change');
  assert.equal(structured.error?.code, 'LINK_INTEGRITY');
});

const FORBIDDEN: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['create_note', { path: 'Diary/Secret.md', content: 'x' }],
  ['create_note', { path: 'Diary/None.md', content: 'x' }],
  ['create_note', { path: 'diary/Secret.md', content: 'x' }],
  ['create_note', { path: 'Done/New.md', content: 'x' }],
  ['edit_note', { note: 'Report', edits: [{ op: 'append', text: 'x' }] }],
  ['move_note', { note: 'Old', to: 'Diary/Secret.md', confirm: true }],
  ['move_note', { note: 'Old', to: 'Diary/', confirm: true }],
  ['move_note', { note: 'Report', to: 'Work/Report.md', confirm: true }],
  ['delete_note', { note: 'Report', confirm: true }],
  ['merge_notes', { notes: ['Old'], into: 'Report', confirm: true }],
];

test('what the view does not let a client write is refused with the same words, hidden or not, there or not', async (context) => {
  const session = await openView(context);
  for (const [tool, given] of FORBIDDEN) {
    const { structured, text } = await session.call(tool, given);
    assert.equal(structured.error?.code, 'PATH_NOT_ALLOWED', `${tool} ${JSON.stringify(given)}: ${text}`);
    assert.equal(structured.error.details.rule, 'this server may not write it');
    assert.match(structured.error.hint, /vault\.write/);
  }
  assert.equal(readFileSync(join(session.vault, 'Diary/Secret.md'), 'utf8'), NOTES['Diary/Secret.md']);
});

test('several notes are changed where they may be, and the others are listed', async (context) => {
  const session = await openView(context);
  const given = { notes: ['Plan', 'Report'], set: { done: true }, confirm: true };
  const { structured } = await session.call('set_properties', given);
  assert.deepEqual(
    structured.data.failed.map(({ id, error }: { id: string; error: { code: string } }) => [id, error.code]),
    [['Report', 'PATH_NOT_ALLOWED']],
  );
  assert.match(readFileSync(join(session.vault, 'Work/Plan.md'), 'utf8'), /done: true/);
  assert.equal(readFileSync(join(session.vault, 'Done/Report.md'), 'utf8'), NOTES['Done/Report.md']);
});

test('changes outside the view are in no list and cannot be undone', async (context) => {
  const { vault, config, dataFolder, call } = await openView(context);
  const whole = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const run = (args: readonly string[], file: string) =>
    runProgram(context, [...args, '--config', file, '--data-dir', dataFolder]);
  const created = run(['call', 'create_note', '{"path":"Diary/More.md","content":"x"}'], whole);
  const { change_id: id } = JSON.parse(created.stdout).data;
  assert.match(id, /^chg_/);
  for (const given of [{}, { change_id: id }, { change_id: 'chg_000000000_000000' }]) {
    const { structured } = await call('undo_change', given);
    assert.deepEqual([structured.error?.code, structured.error.details.recent], ['CHANGE_NOT_FOUND', []]);
  }
  assert.equal(run(['changes'], config).stdout, 'No changes yet.\n');
  assert.match(run(['changes', '--diff'], whole).stdout, /Diary\/More\.md/);
  assert.doesNotMatch(run(['export'], config).stdout, /Diary|"path":"Secret/);
  assert.match(run(['status'], config).stdout, /vault\.read: \*\*, !Diary\/\*\*/);
  assert.doesNotMatch(JSON.stringify(await call('status')), /Diary/);
});

test('a glob that matches nothing is a warning at the start, with what it may mean', async (context) => {
  const session = await openView(context, 'read: ["**", "!Diaru/**"]');
  await until(() => /glob_matches_nothing/.test(session.stderr()), 'a warning of the glob');
  const line =
    session
      .stderr()
      .split('\n')
      .find((each) => each.includes('glob_matches_nothing')) ?? '{}';
  const { level, key, glob, did_you_mean } = JSON.parse(line);
  assert.deepEqual([level, key, glob, did_you_mean], ['warn', 'vault.read', '!Diaru/**', '!Diary/**']);
});

test('two views of one vault write in turn and have an index each', async (context) => {
  const session = await openView(context, 'read: ["Work/**"]');
  const config = configFile(context, `vault: { path: ${JSON.stringify(session.vault)}, access: read-write }\n`);
  const other = await openSession(context, { config, dataFolder: session.dataFolder });
  await other.indexed();
  const paths = Array.from({ length: 6 }, (_, at) => `Work/N${at}.md`);
  const answers = await Promise.all(
    paths.map((path, at) => (at % 2 === 0 ? session : other).call('create_note', { path, content: 'x' })),
  );
  assert.deepEqual(
    answers.map(({ structured }) => structured.ok),
    paths.map(() => true),
  );
  const total = async (from: Session) => (await from.call('list_notes', { require_fresh: true })).structured.data.total;
  assert.deepEqual([await total(session), await total(other)], [9, 12]);
});
