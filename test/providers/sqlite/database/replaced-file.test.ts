// Another process replaces the index file of an open store, as `doctor --rebuild-index` does.
import assert from 'node:assert/strict';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Opened } from '../../../../src/contracts/provider.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { setAside } from '../../../../src/providers/sqlite/database/index-file.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import { ALL, asPath, fill, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from './index-folder.ts';

let folder: IndexFolder;
let running: Opened<Store>;
beforeEach(async () => {
  folder = createIndexFolder();
  running = await folder.open();
});
afterEach(async () => {
  await running.close();
  folder.remove();
});

/** Another store puts a new index there, with these notes. */
async function rebuild(notes: Record<string, string>): Promise<void> {
  setAside(folder.file);
  const other = await folder.open();
  await fill(other.capability, notes);
  await other.capability.completeScan('2026-11-22T10:00:00.000Z', signal);
  await other.close();
}

/** As a page that was lost. */
function change(sql: string): void {
  const database = new Database(folder.file);
  database.exec(sql);
  database.close();
}

const paths = async (): Promise<string[]> => (await running.capability.fileStates(signal)).map(({ path }) => path);
const DESCRIPTORS = '/proc/self/fd';
/** How many descriptors of this process are of the index. */
function descriptors(): number {
  // That of the listing itself is gone.
  const files = readdirSync(DESCRIPTORS).map((name) => {
    const link = `${DESCRIPTORS}/${name}`;
    return existsSync(link) ? readlinkSync(link) : '';
  });
  return files.filter((file) => file.startsWith(folder.file)).length;
}

const TAKING = { client: 'test', jobs: [] };

describe('S1 an index file that is replaced while a store is open', () => {
  it('S1 is read at once, including graph and counts, and written to', async () => {
    const { capability: store } = running;
    await fill(store, { 'Old.md': '[[Gone]]', 'Gone.md': '' });
    assert.deepEqual((await store.graph(signal)).paths, ['Gone.md', 'Old.md']);
    await rebuild({ 'Ebb.md': 'low [[Flow]]', 'Flow.md': 'high' });
    assert.deepEqual(await paths(), ['Ebb.md', 'Flow.md']);
    assert.deepEqual((await store.graph(signal)).paths, ['Ebb.md', 'Flow.md']);
    assert.equal((await store.counts(signal)).notes, 2);
    await fill(store, { 'New.md': 'more' });
    const other = await folder.open();
    assert.equal((await other.capability.counts(signal)).notes, 3);
    await other.close();
  });

  it('S1 replaces a damaged file without a restart', async () => {
    const { capability: store } = running;
    await fill(store, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}.md`, `water [[n${n + 1}]]`])));
    change('DROP TABLE links');
    const links = () => running.capability.links(asPath('n1.md'), 'out', ALL, signal);
    for (let tries = 0; tries < 2; tries += 1) await assert.rejects(links(), { code: 'STORE_CORRUPT' });
    await assert.rejects(paths(), { code: 'STORE_CORRUPT' });
    await rebuild({ 'Ebb.md': 'low [[Flow]]', 'Flow.md': 'high' });
    assert.equal((await running.capability.links(asPath('Ebb.md'), 'out', ALL, signal)).length, 1);
    await fill(running.capability, { 'New.md': 'more' });
    assert.deepEqual(await running.capability.integrity(signal), []);
  });

  it('S1 is unavailable while it is missing, and available again when it is back', async () => {
    await fill(running.capability, { 'Ebb.md': '' });
    renameSync(folder.file, `${folder.file}.gone`);
    for (let tries = 0; tries < 2; tries += 1) await assert.rejects(paths(), { code: 'STORE_UNAVAILABLE' });
    await assert.rejects(fill(running.capability, { 'New.md': '' }), { code: 'STORE_UNAVAILABLE' });
    renameSync(`${folder.file}.gone`, folder.file);
    assert.deepEqual(await paths(), ['Ebb.md']);
  });

  it('S1 reports what is wrong with the new file, and opens it again at the next call', async () => {
    await fill(running.capability, { 'Ebb.md': '' });
    renameSync(folder.file, `${folder.file}.kept`);
    writeFileSync(folder.file, 'no index at all\n'.repeat(100));
    await assert.rejects(paths(), { code: 'STORE_CORRUPT' });
    await rebuild({ 'Flow.md': '' });
    assert.deepEqual(await paths(), ['Flow.md']);
  });

  it('S1 keeps nothing open of a file that cannot be opened', { skip: !existsSync(DESCRIPTORS) }, async () => {
    await paths();
    setAside(folder.file);
    await (await folder.open()).close();
    change('ALTER TABLE state RENAME COLUMN scanned_at TO gone');
    for (let tries = 0; tries < 3; tries += 1) await assert.rejects(paths());
    assert.equal(descriptors(), 0);
  });

  it('S10 ends the lease: changes that began under the old lease are refused', async () => {
    const { capability: store } = running;
    assert.equal((await store.takeLease(TAKING, signal)).isMine, true);
    await fill(store, { 'Ebb.md': '' });
    await rebuild({ 'Flow.md': '' });
    assert.equal((await store.lease(signal)).isMine, false);
    await assert.rejects(fill(store, { 'New.md': '' }), { code: 'INDEX_CONFLICT' });
    assert.equal((await store.takeLease(TAKING, signal)).isMine, true);
    await fill(store, { 'New.md': '' });
    assert.deepEqual(await paths(), ['Flow.md', 'New.md']);
  });

  it('S1 lets running queries finish on the old file', async () => {
    const { capability: store } = running;
    await fill(store, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}.md`, `water ${n}`])));
    const under = Promise.all(Array.from({ length: 50 }, () => store.names(signal)));
    const { ino } = statSync(folder.file);
    await rebuild({ 'Flow.md': '' });
    assert.notEqual(statSync(folder.file).ino, ino);
    for (const names of await under) assert.ok(names.length === 300 || names.length === 1);
    assert.deepEqual(await paths(), ['Flow.md']);
  });
});

describe('S1 a damaged file', () => {
  const asServer = (): Promise<Opened<Store>> =>
    sqliteProvider.open({}, { ...folder.context, serves: true }, AbortSignal.timeout(60_000));

  /** One bit in the last page. */
  function flip(): void {
    const bytes = readFileSync(folder.file);
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 4;
    writeFileSync(folder.file, bytes);
  }

  beforeEach(async () => {
    await fill(running.capability, { 'Ebb.md': 'low [[Flow]]' });
    await running.close();
    flip();
  });

  it('S1 is refused by a command, also after a restart, and kept as it is', async () => {
    const before = readFileSync(folder.file);
    for (let tries = 0; tries < 2; tries += 1) await assert.rejects(folder.open(), { code: 'STORE_CORRUPT' });
    assert.deepEqual(readFileSync(folder.file), before);
  });

  it('S1 is replaced by a server, once an hour', async () => {
    running = await asServer();
    assert.deepEqual(await paths(), []);
    assert.match(
      (await running.probe(signal)).detail,
      /because it was damaged; the damaged file is kept as \S+\.aside/,
    );
    await fill(running.capability, { 'Flow.md': '' });
    await running.close();
    flip();
    running = await asServer();
    await assert.rejects(paths(), { code: 'STORE_CORRUPT', hint: /the next time is/ });
    const last = { at: new Date(Date.now() - 3_600_001).toISOString(), kept: 'x' };
    writeFileSync(`${folder.file}.rebuilt`, JSON.stringify(last));
    await assert.rejects(paths(), { code: 'STORE_CORRUPT', hint: /by itself/ });
    while ((await Promise.allSettled([paths()]))[0]?.status === 'rejected') await setImmediate();
    assert.deepEqual(await paths(), []);
  });

  it('S1 is not moved if it is the intact database of another program', async () => {
    writeFileSync(folder.file, '');
    change('CREATE TABLE recipes (name)');
    const before = readFileSync(folder.file);
    await assert.rejects(asServer(), { code: 'STORE_CORRUPT' });
    assert.deepEqual(readFileSync(folder.file), before);
  });

  it('S1 says what to do where a server does not replace it, as it does', async () => {
    for (const suffix of ['.seal', '.holder']) rmSync(`${folder.file}${suffix}`, { force: true });
    const refused = { code: 'STORE_CORRUPT', hint: /no server replaces it by itself.*doctor --rebuild-index/ };
    const before = readFileSync(folder.file);
    await assert.rejects(asServer(), refused);
    await assert.rejects(folder.open(), refused);
    assert.deepEqual(readFileSync(folder.file), before);
    for (const suffix of ['.seal', '.holder']) {
      writeFileSync(`${folder.file}${suffix}`, '');
      await assert.rejects(folder.open(), { code: 'STORE_CORRUPT', hint: /a server does so by itself/ });
      rmSync(`${folder.file}${suffix}`);
    }
  });
});
