import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLogFile } from '../../src/app/log-file.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { OutputFile } from '../../src/config/server-settings.ts';

function fileIn(context: TestContext, name = 'deep/log.jsonl'): OutputFile & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-log-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return { key: 'log.file', path: join(folder, name), place: { file: 'config.yaml', line: 3, column: 9 }, folder };
}

const unheard = (errno: string): never => assert.fail(errno);
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

test('lines are appended to the existing file, and the folder is created', (context) => {
  const file = fileIn(context);
  for (const line of ['one\n', 'two\n']) {
    const log = openLogFile(file, unheard);
    log.write(line);
    log.close();
  }
  assert.deepEqual(linesOf(file.path), ['one', 'two']);
  assert.equal(statSync(file.path).mode & 0o077, 0, 'no other user may read it');
});

test('a file over its size is rotated, and no line is lost or cut', (context) => {
  const file = fileIn(context);
  const log = openLogFile(file, unheard, 1_000);
  context.after(log.close);
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at} ${'x'.repeat(20)}`);
  for (const line of lines.slice(0, 45)) log.write(`${line}\n`);
  assert.deepEqual([...linesOf(`${file.path}.1`), ...linesOf(file.path)], lines.slice(0, 45));
  for (const line of lines.slice(45)) log.write(`${line}\n`);
  assert.ok(statSync(`${file.path}.1`).size < 1_100);
  const kept = [...linesOf(`${file.path}.1`), ...linesOf(file.path)];
  assert.deepEqual(kept, lines.slice(-kept.length), 'what goes is the oldest');
});

test('two processes can share a file: the second continues the rotation of the first', (context) => {
  const file = fileIn(context);
  const [one, other] = [openLogFile(file, unheard, 1_000), openLogFile(file, unheard, 1_000)];
  context.after(() => [one, other].forEach(({ close }) => void close()));
  for (let at = 0; at < 35; at += 1) one.write(`one ${at} ${'x'.repeat(22)}\n`);
  const before = linesOf(`${file.path}.1`).length;
  assert.ok(before > 30);
  other.write('into the old one\n');
  assert.equal(linesOf(`${file.path}.1`).length, before + 1);
  other.write('into the new one\n');
  assert.equal(linesOf(file.path).at(-1), 'into the new one');
});

test('a file that cannot be opened is a config fault with its position', (context) => {
  const { folder, ...file } = fileIn(context, 'file/log.jsonl');
  writeFileSync(join(folder, 'file'), '');
  assert.throws(
    () => openLogFile(file, unheard),
    (thrown: unknown) => {
      assert.ok(thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID');
      assert.match(thrown.message, /config\.yaml:3:9: `log\.file` cannot be opened for writing \((ENOTDIR|EEXIST)\)/);
      return true;
    },
  );
});

test('a disk that refuses writes is reported once, and no call fails because of it', {
  skip: process.getuid?.() === 0,
}, (context) => {
  const file = fileIn(context);
  const faults: string[] = [];
  const log = openLogFile(file, (errno) => faults.push(errno), 10);
  context.after(log.close);
  chmodSync(join(file.folder, 'deep'), 0o500);
  for (const line of ['aaaaaaaaaaaa\n', 'bbbb\n', 'cccc\n']) log.write(line);
  chmodSync(join(file.folder, 'deep'), 0o700);
  assert.deepEqual(faults, ['EACCES']);
  log.write('dddd\n');
  assert.deepEqual(linesOf(`${file.path}.1`), ['aaaaaaaaaaaa', 'bbbb', 'cccc', 'dddd']);
});

test('a file that another process has rotated is not rotated again', (context) => {
  const file = fileIn(context);
  const log = openLogFile(file, unheard, 10);
  context.after(log.close);
  renameSync(file.path, join(file.folder, 'elsewhere'));
  log.write('aaaaaaaaaaaa\n');
  log.write('bb\n');
  assert.deepEqual(linesOf(join(file.folder, 'elsewhere')), ['aaaaaaaaaaaa']);
  assert.deepEqual(linesOf(file.path), ['bb']);
});
