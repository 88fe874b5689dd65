// Tasks that are read in several transactions while notes are removed between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { createRead, createRows, type Read } from '../../../../src/providers/sqlite/database/rows.ts';
import { createTaskLists } from '../../../../src/providers/sqlite/read/list-tasks.ts';
import { asPaths, changes, fill, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder } from '../database/index-folder.ts';

const pathAt = (at: number): string => `${String(at).padStart(4, '0')}.md`;

test('a note that is removed after any transaction of the reading leaves the tasks of the others', async () => {
  const folder = createIndexFolder();
  const { capability: store, close } = await folder.open();
  await fill(store, Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [pathAt(at), '- [ ] task'])));
  const connection = new Database(folder.file, { readonly: true });
  const read = createRead(connection, folder.file, () => undefined);
  let removed = 0;
  const removing: Read = async (op, at, query) => {
    const result = await read(op, at, query);
    await store.apply(changes({ removed: asPaths(pathAt(removed)) }), signal);
    removed += 1;
    return result;
  };
  const source = { rows: createRows(connection), read: removing };
  const { tasks, total } = await createTaskLists(source)({ status: 'open' }, { limit: 2_000, offset: 0 }, signal);
  assert.ok(removed > 3, 'the index changed while it was read');
  assert.equal(tasks.length, total);
  assert.deepEqual(
    tasks.map(({ path }) => path),
    Array.from({ length: total }, (_, at) => pathAt(1_100 - total + at)),
  );
  connection.close();
  await close();
  folder.remove();
});
