// The feed of changes beside the index: what it records, what it does not, and what it outlives.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { FeedRecord, StoredFeed } from '../../../../src/contracts/feed.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { lineHashes } from '../../../../src/markdown/excerpt/line-hashes.ts';
import { asPaths, changes, found, indexed, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

interface Open {
  readonly store: Store;
  readonly feed: StoredFeed;
  close(): Promise<void>;
}

let folder: IndexFolder;
let days = 90;
let bytes = 64 * 1024 * 1024;
beforeEach(() => {
  folder = createIndexFolder();
  days = 90;
  bytes = 64 * 1024 * 1024;
});
afterEach(() => folder.remove());

const feedFile = (): string => join(folder.context.stateFolder, 'changes.db');

async function open(): Promise<Open> {
  const { capability: store, feed, close } = await folder.open({ feed: { days, bytes } });
  assert.ok(feed);
  return { store, feed, close };
}

/** As the parser gives it: with the hashes of its lines. */
function read(path: string, text: string) {
  const note = indexed(path, text);
  const lines = lineHashes(text, note.parsed.bodyOffset);
  return { ...note, parsed: { ...note.parsed, ...(lines && { lines }) } };
}

const paths = (texts: Readonly<Record<string, string>>): string[] => Object.keys(texts);

/** What a scan does with a whole vault: first all files, then their contents. */
async function scan(store: Store, texts: Readonly<Record<string, string>>, removed: string[] = []): Promise<void> {
  await store.apply(changes({ found: paths(texts).map((path) => found(path)), removed: asPaths(...removed) }), signal);
  const notes = Object.entries(texts).map(([path, text]) => read(path, text));
  await store.apply(changes({ indexed: notes }), signal);
  await store.completeScan(new Date().toISOString(), signal);
}

async function edit(store: Store, path: string, text: string): Promise<void> {
  await store.apply(changes({ indexed: [read(path, text)] }), signal);
}

async function records(feed: StoredFeed, after = 0): Promise<readonly FeedRecord[]> {
  const state = await feed.state(signal);
  return (await feed.read({ after, upTo: state?.last ?? 0 }, signal)).records;
}

const short = ({ kind, path, from }: FeedRecord): string => [kind, ...(from ? [from] : []), path].join(' ');
const told = async (feed: StoredFeed): Promise<string[]> => (await records(feed)).map(short);

const body = (word: string): string =>
  `# ${word}\n\none ${word}\ntwo ${word}\n\n## Part\n\nthree ${word}\nfour ${word}\n`;
const TEXTS = { 'A.md': body('a'), 'B.md': `${body('b')}[[A]]\n`, 'C/D.md': body('d') };

describe('the feed of changes', () => {
  it('takes the first scan for what was there, and knows changes from its end on', async () => {
    const { store, feed, close } = await open();
    await store.apply(changes({ found: [found('A.md')] }), signal);
    assert.equal((await feed.state(signal))?.knownSince, null);
    await scan(store, TEXTS);
    assert.deepEqual(await told(feed), []);
    assert.ok(Math.abs(Date.now() - ((await feed.state(signal))?.knownSince ?? 0)) < 60_000);
    await close();
  });

  it('records an edit with its sections and lines', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    await edit(store, 'A.md', body('a').replace('three a', 'changed').replace('two a\n', ''));
    const [record] = await records(feed);
    assert.deepEqual(record?.lines, {
      added: 1,
      removed: 2,
      sections: [
        { heading: 'a', added: 0, removed: 1 },
        { heading: 'a > Part', added: 1, removed: 1 },
      ],
      sectionCount: 2,
    });
    await close();
  });

  it('records a deletion with title, tags and who linked to it', async () => {
    const { store, feed, close } = await open();
    await scan(store, { ...TEXTS, 'A.md': `---\ntitle: First\ntags: [x/y]\n---\n${body('a')}` });
    await store.apply(changes({ removed: asPaths('A.md') }), signal);
    const [record] = await records(feed);
    assert.deepEqual(
      [record?.kind, record?.title, record?.tags, record?.linkedFrom],
      ['deleted', 'First', ['#x/y'], { paths: ['B.md'], count: 1 }],
    );
    await close();
  });

  const moved = body('a').replace('four a', 'five a');
  const MOVES: Readonly<Record<string, (store: Store) => Promise<void>>> = {
    'in one set': (store) => scan(store, { 'New.md': body('a') }, ['A.md']),
    'removed first': async (store) => {
      await store.apply(changes({ removed: asPaths('A.md') }), signal);
      await scan(store, { 'New.md': body('a') });
    },
    'created first': async (store) => {
      await scan(store, { 'New.md': body('a') });
      await store.apply(changes({ removed: asPaths('A.md') }), signal);
    },
    'and edited': (store) => scan(store, { 'New.md': moved }, ['A.md']),
  };
  for (const [how, move] of Object.entries(MOVES))
    it(`recognizes a moved note: ${how}`, async () => {
      const { store, feed, close } = await open();
      await scan(store, TEXTS);
      await move(store);
      const all = await records(feed);
      assert.equal(short(all.at(-1) as FeedRecord), 'moved A.md New.md');
      assert.equal(all.at(-1)?.replaces, all.length === 2 ? all[0]?.seq : undefined);
      assert.ok(all.length <= 2);
      await close();
    });

  it('takes notes with nothing in common but a template or emptiness for others', async () => {
    const { store, feed, close } = await open();
    await scan(store, { ...TEXTS, 'Empty.md': '', 'T1.md': '# Day\n\n## Log\n\nate well\nslept\nwalked\nread\n' });
    await scan(store, { 'Void.md': '', 'T2.md': '# Day\n\n## Log\n\nworked\ntalked\nwent\nsat\n' }, [
      'Empty.md',
      'T1.md',
    ]);
    assert.deepEqual((await told(feed)).sort(), [
      'created T2.md',
      'created Void.md',
      'deleted Empty.md',
      'deleted T1.md',
    ]);
    await close();
  });

  it('hears twice of a change, and records it once', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    for (let times = 0; times < 3; times += 1) await edit(store, 'A.md', body('x'));
    assert.deepEqual(await told(feed), ['edited A.md']);
    await close();
  });

  it('keeps what the index rolled back, and hears of it again', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    const refused = changes({ indexed: [read('A.md', body('x')), read('Unlisted.md', 'y')] });
    await assert.rejects(store.apply(refused, signal));
    await edit(store, 'A.md', body('x'));
    await store.completeScan(new Date().toISOString(), signal);
    assert.equal((await told(feed)).filter((one) => one.endsWith(' A.md')).length, 1);
    await close();
  });

  it('records nothing of an index that is emptied and built again, but what changed meanwhile', async () => {
    const first = await open();
    await scan(first.store, TEXTS);
    await first.store.reset(signal);
    await scan(first.store, TEXTS);
    assert.deepEqual(await told(first.feed), []);
    await first.close();
    for (const suffix of ['', '-wal', '-shm', '.seal']) rmSync(folder.file + suffix, { force: true });
    const { store, feed, close } = await open();
    await scan(store, { 'A.md': body('x'), 'B.md': TEXTS['B.md'] });
    assert.deepEqual((await told(feed)).sort(), ['deleted C/D.md', 'edited A.md']);
    await edit(store, 'B.md', 'new\n');
    assert.equal((await records(feed)).at(-1)?.lines?.removed, 10);
    await close();
  });

  it('finds by the next scan what it could not write', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    const holder = new Database(feedFile());
    holder.exec('BEGIN IMMEDIATE');
    await edit(store, 'A.md', body('x'));
    holder.exec('ROLLBACK');
    holder.close();
    const state = await feed.state(signal);
    assert.ok((state?.revision ?? 0) < (await store.progress(signal)).revision);
    await store.completeScan(new Date().toISOString(), signal);
    assert.deepEqual(await told(feed), ['edited A.md']);
    assert.equal((await records(feed))[0]?.lines, undefined);
    await close();
  });

  const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
    'no database': (file) => writeFileSync(file, 'no database at all'.repeat(1_000)),
    truncated: (file) => truncateSync(file, 5_000),
    zeros: (file) => writeFileSync(file, readFileSync(file).fill(0, 4_096)),
  };
  for (const [name, damage] of Object.entries(DAMAGES))
    it(`begins again where the file is damaged, and the index goes on: ${name}`, async () => {
      const first = await open();
      await scan(first.store, TEXTS);
      await first.store.completeScan(new Date().toISOString(), signal);
      await first.close();
      for (const suffix of ['-wal', '-shm']) rmSync(feedFile() + suffix, { force: true });
      damage(feedFile());
      const { store, feed, close } = await open();
      assert.equal((await feed.state(signal))?.knownSince ?? null, null);
      assert.ok(existsSync(`${feedFile()}.damaged`) && feed.hadDamage());
      await edit(store, 'A.md', body('x'));
      assert.deepEqual(await told(feed), ['edited A.md']);
      await close();
    });

  it('leaves a file of another program and one of a later version alone', async () => {
    mkdirSync(folder.context.stateFolder);
    for (const pragma of ['application_id = 5', 'user_version = 99']) {
      const other = new Database(feedFile());
      other.exec(`CREATE TABLE theirs (x); PRAGMA application_id = ${0x56476368}; PRAGMA ${pragma}`);
      other.close();
      const before = readFileSync(feedFile());
      const { store, feed, close } = await open();
      await scan(store, TEXTS);
      await assert.rejects(feed.state(signal), { code: 'STORE_UNAVAILABLE' });
      await close();
      assert.ok(before.equals(readFileSync(feedFile())));
      rmSync(feedFile());
    }
  });

  it('is kept within its days and bytes, and says from when on', async () => {
    days = 1;
    const first = await open();
    await scan(first.store, TEXTS);
    for (let at = 0; at < 20; at += 1) await edit(first.store, 'A.md', body(`x${at}`));
    await first.close();
    const file = new Database(feedFile());
    file.exec('UPDATE changes SET at = at - 2 * 86400000 WHERE seq <= 10; UPDATE meta SET pruned_at = 0');
    file.close();
    const { store, feed, close } = await open();
    await store.completeScan(new Date().toISOString(), signal);
    const { forgotten, last, knownSince } = (await feed.state(signal)) ?? {};
    assert.deepEqual([forgotten, last], [10, 20]);
    assert.equal(knownSince, (await records(feed))[0]?.at);
    await close();
    bytes = 4_096;
    const small = await open();
    await small.store.completeScan(new Date().toISOString(), signal);
    assert.deepEqual([(await small.feed.state(signal))?.forgotten, await told(small.feed)], [20, []]);
    await small.close();
  });

  it('forgets nothing by a clock that is suddenly months ahead', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    await edit(store, 'A.md', body('x'));
    const file = new Database(feedFile());
    const year = 400 * 86_400_000;
    file.exec(`UPDATE changes SET at = at - ${year}; UPDATE meta SET pruned_at = 0, seen_at = seen_at - ${year}`);
    file.close();
    await store.completeScan(new Date().toISOString(), signal);
    assert.equal((await records(feed)).length, 1);
    await close();
  });

  it('remembers positions by name', async () => {
    const { store, feed, close } = await open();
    await scan(store, TEXTS);
    await feed.remember('weekly', 0, signal);
    await feed.remember('weekly', 3, signal);
    const [one, ...others] = await feed.checkpoints(signal);
    assert.deepEqual([one?.name, one?.seq, others], ['weekly', 3, []]);
    await close();
  });
});
