import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeLeftovers, replaceFile, replaceFileSync } from '../../src/base/atomic-write.ts';

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-atomic-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function* failing(): AsyncGenerator<string> {
  yield 'half of ';
  throw new TypeError('no more');
}

async function* pieces(): AsyncGenerator<string> {
  yield 'a';
  yield '';
  yield 'b';
}

test('the file has the new content and the mode, and no temporary file is left', async (context) => {
  const folder = folderFor(context);
  for (const [name, content, expected] of [
    ['text', 'new', 'new'],
    ['empty', '', ''],
    ['pieces', pieces(), 'ab'],
  ] as const) {
    const file = join(folder, name);
    await replaceFile(file, 'old');
    await replaceFile(file, content, { mode: 0o600, flush: true });
    assert.equal(readFileSync(file, 'utf8'), expected);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }
  replaceFileSync(join(folder, 'text'), 'newer', 0o640);
  assert.equal(readFileSync(join(folder, 'text'), 'utf8'), 'newer');
  assert.deepEqual(readdirSync(folder).sort(), ['empty', 'pieces', 'text']);
});

test('after a failure the old content is still there, and no temporary file', async (context) => {
  const folder = folderFor(context);
  const file = join(folder, 'kept');
  await replaceFile(file, 'old');
  const commit = () => {
    throw new TypeError('not now');
  };
  await assert.rejects(replaceFile(file, failing()), /no more/);
  await assert.rejects(replaceFile(file, 'new', { commit }), /not now/);
  assert.equal(readFileSync(file, 'utf8'), 'old');
  mkdirSync(join(folder, 'folder'));
  await assert.rejects(replaceFile(join(folder, 'folder'), 'new'), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
  assert.throws(() => replaceFileSync(join(folder, 'folder'), 'new'), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
  await assert.rejects(replaceFile(join(folder, 'missing', 'file'), 'new'), { code: 'ENOENT' });
  assert.deepEqual(readdirSync(folder).sort(), ['folder', 'kept']);
});

test('old temporary files of the named files are removed, and nothing else', async (context) => {
  const folder = folderFor(context);
  mkdirSync(join(folder, 'in'));
  const left = ['a.css.0123456789ab.tmp', join('in', 'b.html.0123456789ab.tmp')];
  const kept = ['a.css', 'a.css.tmp', 'a.css.0123.tmp', 'c.css.0123456789ab.tmp', join('in', 'a.css.0123456789ab.tmp')];
  for (const name of [...left, ...kept]) {
    writeFileSync(join(folder, name), 'x');
    utimesSync(join(folder, name), 0, 0);
  }
  writeFileSync(join(folder, 'a.css.ba9876543210.tmp'), 'of another process');
  await removeLeftovers([join(folder, 'a.css'), join(folder, 'in', 'b.html'), join(folder, 'gone', 'd.html')]);
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'in');
  assert.deepEqual(found.toSorted(), [...kept, 'a.css.ba9876543210.tmp'].toSorted());
});
