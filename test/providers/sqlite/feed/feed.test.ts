// Runs the contract suite of feeds on that of SQLite; what becomes of a file that is damaged, or not its own.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { loadEngine } from '../../../../src/providers/sqlite/database/engine.ts';
import { createStoredFeed } from '../../../../src/providers/sqlite/feed/read-feed.ts';
import { body, edit, type FeedHome, feedLaws, LIMITS, scan, TEXTS, told } from '../../../contracts/feed.ts';
import { signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

const fileIn = ({ context }: IndexFolder): string => join(context.stateFolder, 'changes.db');

function homeIn(folder: IndexFolder): FeedHome {
  return {
    open: async (limits = {}) => {
      const { capability: store, feed, close } = await folder.open({ feed: { ...LIMITS, ...limits } });
      assert.ok(feed);
      return { store, feed, close };
    },
    loseIndex: async () => {
      for (const suffix of ['', '-wal', '-shm', '.seal']) rmSync(folder.file + suffix, { force: true });
    },
    whileLocked: async (work) => {
      const holder = new Database(fileIn(folder));
      holder.exec('BEGIN IMMEDIATE');
      await work();
      holder.exec('ROLLBACK');
      holder.close();
    },
    run: async (...sql) => {
      const file = new Database(fileIn(folder));
      file.exec(sql.join(';'));
      file.close();
    },
    remove: async () => folder.remove(),
  };
}

feedLaws('SQLite', () => homeIn(createIndexFolder()));

describe('the file of the feed of changes', () => {
  let folder: IndexFolder;
  beforeEach(() => {
    folder = createIndexFolder();
  });
  afterEach(() => folder.remove());
  const feedFile = (): string => fileIn(folder);
  const open = () => homeIn(folder).open();

  it('is waited for while another process makes it', async () => {
    mkdirSync(folder.context.stateFolder, { recursive: true });
    const maker = new Database(feedFile());
    maker.exec('BEGIN EXCLUSIVE; CREATE TABLE early (x)');
    const state = createStoredFeed(feedFile(), loadEngine()).state(signal);
    await sleep(300);
    maker.exec('ROLLBACK');
    maker.close();
    assert.equal(await state, undefined);
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

  const RETURNS: Readonly<Record<string, (copy: Buffer) => void>> = {
    'renamed onto it': (copy) => {
      writeFileSync(`${feedFile()}.old`, copy);
      renameSync(`${feedFile()}.old`, feedFile());
    },
    'written over it': (copy) => writeFileSync(feedFile(), copy),
  };
  for (const [how, giveBack] of Object.entries(RETURNS))
    for (const when of ['while a server uses it', 'between two servers'])
      it(`an older copy of the file, ${how} ${when}, refuses the positions of what it lost, and knows all others`, async () => {
        let { store, feed, close } = await open();
        await scan(store, TEXTS);
        const restart = async (): Promise<void> => {
          await close();
          ({ store, feed, close } = await open());
        };
        const again = when === 'between two servers' ? restart : async () => undefined;
        // A scan closes the file, so that it is whole.
        const editAndScan = async (...paths: string[]): Promise<void> => {
          for (const path of paths) await edit(store, path, body(`${path} ${Math.random()}`));
          await store.completeScan(new Date().toISOString(), signal);
        };
        await editAndScan('A.md');
        const early = await feed.state(signal);
        await again();
        const copy = readFileSync(feedFile());
        await editAndScan('B.md', 'C/D.md');
        const late = await feed.state(signal);
        assert.ok(early && late && late.last > early.last);
        await again();
        giveBack(copy);
        await again();
        for (const path of ['A.md', 'B.md', 'C/D.md']) await editAndScan(path);
        const { id, earlier, last } = (await feed.state(signal)) ?? assert.fail();
        const lastUnder = (name: string): number => (name === id ? last : (earlier?.get(name) ?? -1));
        assert.ok(lastUnder(late.id) < late.last, 'what was lost may be another record now');
        assert.ok(lastUnder(early.id) >= early.last, 'the copy has it');
        await restart();
        assert.equal((await feed.state(signal))?.id, id, 'a server that records nothing begins no history');
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
});
