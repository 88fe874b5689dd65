// M11: a bug that nobody caught ends the process loudly, and the next server tells of it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { copyOfFixture, openSession, PROGRAM, temporaryFolder } from './session.ts';

for (const [name, bug] of [
  ['an uncaught exception', 'setTimeout(() => { throw new RangeError("secret text of a note") }, 600)'],
  ['an unhandled rejection', 'setTimeout(() => Promise.reject(new RangeError("secret text of a note")), 600)'],
]) {
  test(`M11 ${name}: one line on stderr, exit 1, shown by the next status`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const dataFolder = temporaryFolder(context);
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(bug ?? '')}`,
      PROGRAM,
      'serve',
      '--vault',
      vault,
      '--data-dir',
      dataFolder,
    ];
    const crashed = spawnSync('sh', ['-c', 'sleep 5 | "$0" "$@"', process.execPath, ...args], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    const line = crashed.stderr.split('\n').find((row) => row.includes('"crash"'));
    assert.equal(crashed.status, 1);
    assert.equal(JSON.parse(line ?? '').kind, 'RangeError');
    assert.doesNotMatch(crashed.stderr, /secret text/);
    const session = await openSession(context, { vault, dataFolder });
    const status = await session.call('status');
    assert.equal(status.structured.data.last_crash.kind, 'RangeError');
    assert.match(status.text, /RangeError/);
  });
}
