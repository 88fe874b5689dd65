// An index is not set aside while a running process holds its lease, even if it cannot be read.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, it } from 'node:test';
import { packKept, unpackKept } from '../../../../src/base/kept-json.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import type { HolderRow } from '../../../../src/providers/sqlite/sharing/lease.ts';
import { signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const aside = async (): Promise<string | undefined> => sqliteProvider.setAside?.({}, folder.context);
const holderIn = (note: string) => unpackKept(readFileSync(note, 'utf8'), 'holder') as HolderRow;
const refused = { code: 'INDEX_CONFLICT' };

it('is refused while the lease is held, and allowed once it is free', async () => {
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [] }, signal);
  await assert.rejects(aside(), refused);
  assert.ok(existsSync(folder.file));
  await store.releaseLease(signal);
  await close();
  assert.match((await aside()) ?? '', /aside$/);
  assert.equal(existsSync(folder.file), false);
});

it('is refused for an unreadable index while its holder runs, and allowed after it has ended', async () => {
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [] }, signal);
  const note = `${folder.file}.holder`;
  const holder = holderIn(note);
  await close();
  writeFileSync(folder.file, 'this is no database any more');
  await assert.rejects(aside(), refused);
  assert.equal(readFileSync(folder.file, 'utf8'), 'this is no database any more');
  writeFileSync(note, packKept({ ...holder, life: { ...holder.life, pid: 2 ** 22 + 1 } }, 'holder'));
  assert.match((await aside()) ?? '', /aside$/);
});

it('a holder on another machine counts as running', async () => {
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [] }, signal);
  await close();
  const note = `${folder.file}.holder`;
  const holder = holderIn(note);
  const elsewhere = { pid: 2 ** 22 + 1, started: '1', machine: 'another machine' };
  writeFileSync(note, packKept({ ...holder, life: elsewhere }, 'holder'));
  writeFileSync(folder.file, 'this is no database any more');
  await assert.rejects(aside(), refused);
});

it('a holder from before a restart of this machine has ended', { skip: process.platform !== 'linux' }, async () => {
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [] }, signal);
  await close();
  const note = `${folder.file}.holder`;
  const holder = holderIn(note);
  const [, space] = holder.life.machine.split(' ');
  writeFileSync(note, packKept({ ...holder, life: { ...holder.life, machine: `another-boot ${space}` } }, 'holder'));
  writeFileSync(folder.file, 'this is no database any more');
  assert.match((await aside()) ?? '', /aside$/);
});

it('a holder that is damaged, of another form or of another file names no process', async () => {
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [] }, signal);
  const note = `${folder.file}.holder`;
  const good = readFileSync(note, 'utf8');
  await close();
  const flipped = good.replace(/"machine":"./, '"machine":"~');
  const elsewhere = packKept(holderIn(note), 'another file');
  for (const text of [
    '',
    'null',
    '{}',
    '[]',
    '"x"',
    '1',
    '{"pid":1,"life":null}',
    good.slice(0, -9),
    flipped,
    elsewhere,
  ]) {
    writeFileSync(folder.file, 'this is no database any more');
    writeFileSync(note, text);
    assert.match((await aside()) ?? '', /aside/, text);
  }
});
