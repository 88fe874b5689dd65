// Checks that what a view hides is in no list, log, index or event.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
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
