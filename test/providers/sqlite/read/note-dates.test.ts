// S2: notes of an older index have the dates of their files until they are read again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { ALL, changes, fill, indexed, signal } from '../../../contracts/store/law.ts';
import { asOlderVersion } from '../../../crash/older-index.ts';
import { createIndexFolder } from '../database/index-folder.ts';

const TEXTS = { '2026-11-03.md': '', 'note.md': '---\ncreated: 2026-11-20\n---\nwater' };

test('S2 after the migration of an older index, notes are read again and get their dates', async () => {
  const folder = createIndexFolder();
  try {
    const first = await folder.open();
    await fill(first.capability, TEXTS);
    await first.capability.completeScan('2026-11-20T09:00:00.000Z', signal);
    await first.close();
    asOlderVersion(folder.file);
    const { capability: store, ready, close } = await folder.open();
    await ready;
    const dates = async () => {
      const { notes } = await store.listNotes({}, 'name', 'asc', ALL, signal);
      return notes.map(({ date, datedBy }) => `${date} ${datedBy}`);
    };
    const changed = `${new Date(1_000).toISOString()} modified`;
    assert.deepEqual(await dates(), [changed, changed]);
    assert.deepEqual(
      (await store.fileStates(signal)).map(({ hash }) => hash),
      [null, null],
    );
    const again = Object.entries(TEXTS).map(([path, text]) => indexed(path, text));
    await store.apply(changes({ indexed: again }), signal);
    assert.deepEqual(await dates(), ['2026-11-03 name', '2026-11-20 property']);
    await store.reset(signal);
    assert.deepEqual(await dates(), []);
    await close();
    const database = new Database(folder.file, { readonly: true });
    assert.equal(database.prepare('SELECT count(*) FROM files').pluck().get(), 0);
    database.close();
  } finally {
    folder.remove();
  }
});
