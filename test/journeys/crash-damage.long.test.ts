// S1: checks that anything that is not a valid index is refused at startup with one clear line, and that a rebuild repairs it and keeps a copy.
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { until } from '../until.ts';
import { fingerprint } from './fingerprint.ts';
import { copyOfFixture, indexFile, openSession, runProgram, temporaryFolder } from './session.ts';

const THINGS: readonly (readonly [what: string, put: (file: string) => void])[] = [
  ['a folder', (file) => mkdirSync(file)],
  ['a broken symbolic link', (file) => symlinkSync(join(dirname(file), 'no', 'such', 'folder'), file)],
  ['a text file next to the write-ahead log of the index', textAndLog],
];

function textAndLog(file: string): void {
  writeFileSync(file, 'no index\n'.repeat(1_000));
  writeFileSync(`${file}-wal`, 'no log\n');
}

for (const [what, put] of THINGS) {
  test(`S1 ${what} in place of the index: exit 78 with one line and a hint; doctor --rebuild-index repairs it`, (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const dataFolder = temporaryFolder(context);
    const run = (...args: string[]) => runProgram(context, [...args, '--vault', vault, '--data-dir', dataFolder]);
    assert.equal(run('index').status, 0);
    const [file, before, exported] = [indexFile(dataFolder), fingerprint(vault), run('export').stdout];
    rmSync(file);
    put(file);
    const { ino } = lstatSync(file);
    for (const command of ['status', 'index']) {
      const refused = run(command);
      assert.equal(refused.status, 78, refused.stderr);
      assert.equal(refused.stdout, '');
      assert.match(refused.stderr, /^Error \[STORE_(CORRUPT|UNAVAILABLE)\]: StoreProvider failed: .+\nHint: .+\n$/);
    }
    const healed = run('doctor', '--rebuild-index');
    assert.ok(healed.status === 0 || healed.status === 1, healed.stdout + healed.stderr);
    const [kept = ''] = /index\.db\.\S+\.aside/.exec(healed.stderr) ?? [];
    assert.equal(lstatSync(join(dirname(file), kept)).ino, ino, 'it is where doctor says');
    if (what.includes('log')) assert.ok(readdirSync(dirname(file)).includes(`${kept}-wal`));
    assert.equal(run('export').stdout, exported);
    assert.equal(fingerprint(vault), before);
  });
}

test('S1 after the index file of a running server is replaced by another one, the next call uses the new file', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const [dataFolder, other] = [temporaryFolder(context), temporaryFolder(context)];
  const place = (data: string): string[] => ['--vault', vault, '--data-dir', data];
  const session = await openSession(context, { vault, dataFolder });
  await session.indexed();
  // A scan of its own that ended after that of the other file would make the other an older copy.
  const scannedAt = async () => (await session.call('status')).structured.data.index.watching.last_scan_at;
  await until(async () => (await scannedAt()) !== undefined, 'the scan after the watcher has opened');
  writeFileSync(join(vault, 'Zebra.md'), 'zebra at the tide\n');
  assert.equal(runProgram(context, ['index', ...place(other)]).status, 0);
  for (const part of ['', '-wal', '-shm']) rmSync(`${indexFile(dataFolder)}${part}`, { force: true });
  const gone = await session.call('list_notes');
  assert.equal(gone.structured.error?.code, 'STORE_UNAVAILABLE', gone.text);
  renameSync(indexFile(other), join(dirname(indexFile(dataFolder)), 'index.db'));
  const found = await session.call('search_text', { query: 'zebra' });
  assert.equal(found.structured.data?.total, 1, found.text);
  assert.doesNotMatch(session.stderr(), /INTERNAL|"undeclared"/);
});
