// Tests the log line and the file that a crash writes, in a child process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastCrash } from '../../src/app/crash-file.ts';

const MODULE = join(import.meta.dirname, '../../src/app/crash-file.ts');

function place(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-crash-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function crash(dataFolder: string | undefined, bug: string, redirect = '') {
  const kept = dataFolder === undefined ? '' : `keepCrashesIn(${JSON.stringify(dataFolder)});`;
  const script = `import { keepCrashesIn, recordCrashes } from ${JSON.stringify(MODULE)};
    recordCrashes('1.2.3', () => process.exit(1)); ${kept} ${bug}`;
  const args = ['-c', `exec "$0" "$@" ${redirect}`, process.execPath, '--input-type=module', '-e', script];
  return spawnSync('sh', args, { encoding: 'utf8', timeout: 60_000 });
}

const BUG = 'throw new RangeError("text of a note")';

test('M11 an exception writes a log line and a file with its type but not its message', (context) => {
  const folder = join(place(context), 'data');
  const { status, stderr } = crash(folder, BUG);
  assert.equal(status, 1);
  const line = JSON.parse(stderr);
  assert.deepEqual([line.level, line.event, line.kind, line.version], ['error', 'crash', 'RangeError', '1.2.3']);
  assert.equal(line.reason, undefined);
  const kept = lastCrash(folder);
  assert.deepEqual([kept?.kind, kept?.version], ['RangeError', '1.2.3']);
  assert.doesNotMatch(`${stderr}${JSON.stringify(kept)}`, /text of a note/);
  assert.deepEqual(readdirSync(folder), ['crash.json']);
});

test('M11 a rejection, a thrown string and a second exception end the process in the same way', (context) => {
  const folder = place(context);
  for (const [bug, kind] of [
    ['Promise.reject(new TypeError("x"))', 'TypeError'],
    ['setTimeout(() => { throw "text" })', 'string'],
    [`process.on('exit', () => { throw new Error('late') }); ${BUG}`, 'RangeError'],
  ] as const) {
    const { status, stderr } = crash(folder, bug);
    assert.notEqual(status, 0, bug);
    assert.equal(JSON.parse(stderr.split('\n')[0] ?? '').kind, kind);
    assert.equal(lastCrash(folder)?.kind, kind);
  }
});

test('M11 a crash file that cannot be written is mentioned in the log line, and the exit is the same', (context) => {
  const folder = place(context);
  writeFileSync(join(folder, 'file'), '');
  const { status, stderr } = crash(join(folder, 'file/data'), BUG);
  assert.equal(status, 1);
  assert.match(JSON.parse(stderr).reason, /^no crash file: E(NOTDIR|EXIST)$/);
  const early = crash(undefined, BUG);
  assert.deepEqual([early.status, JSON.parse(early.stderr).reason], [1, 'no crash file: no data folder yet']);
});

test('M11 the crash file is written when stderr is closed', (context) => {
  const folder = place(context);
  assert.equal(crash(folder, BUG, '2>&-').status, 1);
  assert.equal(lastCrash(folder)?.kind, 'RangeError');
});

const ODD_FRAMES = '{"time":"2026-01-01T00:00:00.000Z","kind":"x","frames":[{}]}';
const ODD_TIME = '{"time":"soon","kind":"x","frames":[]}';

test('a crash is reported for a week, and a damaged crash file as unreadable', (context) => {
  const folder = place(context);
  assert.equal(lastCrash(folder), undefined);
  crash(folder, BUG);
  const day = 24 * 60 * 60 * 1_000;
  assert.equal(lastCrash(folder, Date.now() + 6 * day)?.kind, 'RangeError');
  assert.equal(lastCrash(folder, Date.now() + 8 * day), undefined);
  for (const text of ['', '{', 'null', '[]', '{"time":5}', ODD_FRAMES, ODD_TIME]) {
    writeFileSync(join(folder, 'crash.json'), text);
    assert.equal(lastCrash(folder)?.kind, 'a crash file that cannot be read', text);
  }
  rmSync(join(folder, 'crash.json'));
  mkdirSync(join(folder, 'crash.json'));
  assert.equal(lastCrash(folder)?.kind, 'a crash file that cannot be read');
  assert.ok(existsSync(folder));
});
