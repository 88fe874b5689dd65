// What is not a file in place of each file that vaultgraph keeps, and a process that may open hardly any: calls are answered or fail with a reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { configFile, openSession, runProgram, temporaryFolder } from './session.ts';

const skip = process.platform === 'win32' && 'no pipes in folders';

const KINDS: Readonly<Record<string, (file: string) => unknown>> = {
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a folder': (file) => mkdirSync(join(file, 'x'), { recursive: true }),
  'a link to itself': (file) => symlinkSync(basename(file), file),
  'an endless device': (file) => symlinkSync('/dev/zero', file),
};
const KEPT = [
  '*/index.db.seal',
  '*/crash.json',
  'state/*/changes.db',
  'state/*/history.db',
  'state/*/change-log/*.done',
];

function setUp(context: TestContext) {
  const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
  for (const at of [1, 2, 3]) writeFileSync(join(vault, `Note ${at}.md`), `wombat ${at} [[Note ${at + 1}]]\n`);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\nhistory: keep\n`);
  return { vault, config, dataFolder };
}

for (const [what, put] of Object.entries(KINDS))
  test(`no call and no command waits for ${what} in place of each kept file`, { skip }, async (context) => {
    const { config, dataFolder } = setUp(context);
    const first = await openSession(context, { config, dataFolder });
    await first.indexed();
    const { structured } = await first.call('create_note', { path: 'Made.md', content: 'wombat\n' });
    await first.close();
    const [folder = ''] = globSync('*/index.db', { cwd: dataFolder });
    writeFileSync(join(dataFolder, folder, '../crash.json'), '{}');
    const files = KEPT.flatMap((pattern) => globSync(pattern, { cwd: dataFolder })).map((each) =>
      join(dataFolder, each),
    );
    assert.ok(files.length >= KEPT.length - 1, files.join());
    for (const file of files) {
      for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
      put(file);
    }
    const session = await openSession(context, { config, dataFolder });
    const found = await session.call('search_text', { query: 'wombat' });
    assert.equal(found.structured.data?.total, 4, found.text);
    const undone = await session.call('undo_change', { change_id: structured.data.change_id });
    assert.ok(['FILE_WRITE_FAILED', 'FILE_UNREADABLE'].includes(undone.structured.error?.code), undone.text);
    const later = await session.call('create_note', { path: 'Later.md', content: 'wombat\n' });
    assert.equal(later.structured.ok, true, later.text);
    for (const tool of ['list_changes', 'status'])
      assert.notEqual((await session.call(tool)).structured.error?.code, 'INTERNAL', tool);
    await session.close();
    assert.doesNotMatch(session.stderr(), /INTERNAL|uncaught/);
    const doctor = runProgram(context, ['doctor', '--config', config, '--data-dir', dataFolder]);
    assert.match(doctor.stdout, /changes:.*damaged/, doctor.stdout);
  });

test('a process that may open hardly any file fails with the limit as the reason', { skip }, async (context) => {
  for (const limit of [30, 38, 42]) {
    const { config, dataFolder } = setUp(context);
    const session = await openSession(context, { config, dataFolder, shell: `ulimit -n ${limit};` });
    const calls = [
      await session.call('search_text', { query: 'wombat' }),
      await session.call('create_note', { path: 'New.md', content: 'x\n' }),
    ];
    for (const { structured, text } of calls) {
      assert.match(structured.error?.code ?? 'STORE_', /^(?:VAULT|STORE)_/, text);
      if (structured.error?.code === 'VAULT_UNAVAILABLE') assert.match(text, /EMFILE.*ulimit -n/s);
      assert.doesNotMatch(text, /thread ended/);
    }
    await session.close();
    assert.doesNotMatch(session.stderr(), /INTERNAL/);
  }
});
