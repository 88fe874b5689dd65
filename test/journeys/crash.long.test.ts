// M11: checks that an uncaught exception ends the process with an error and that the next server reports it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { copyOfFixture, openSession, PROGRAM, temporaryFolder } from './session.ts';

for (const [name, bug] of [
  ['an uncaught exception', 'throw new RangeError("secret text of a note")'],
  ['an unhandled rejection', 'void Promise.reject(new RangeError("secret text of a note"))'],
]) {
  test(`M11 ${name}: one line on stderr, exit 1, shown by the next status`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const dataFolder = temporaryFolder(context);
    const onceServing = `const { stderr } = process; const write = stderr.write.bind(stderr);
      stderr.write = (line, ...rest) => { if (String(line).includes('"serving"')) setTimeout(() => { ${bug} }, 100); return write(line, ...rest); };`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(onceServing)}`,
      PROGRAM,
      'serve',
      '--vault',
      vault,
      '--data-dir',
      dataFolder,
    ];
    const child = spawn(process.execPath, args);
    context.after(() => child.kill('SIGKILL'));
    child.stdout.resume();
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    const line = stderr.split('\n').find((row) => row.includes('"crash"'));
    assert.equal(child.exitCode, 1);
    assert.equal(JSON.parse(line ?? '').kind, 'RangeError');
    assert.doesNotMatch(stderr, /secret text/);
    const session = await openSession(context, { vault, dataFolder });
    const status = await session.call('status');
    assert.equal(status.structured.data.last_crash.kind, 'RangeError');
    assert.match(status.text, /RangeError/);
  });
}
