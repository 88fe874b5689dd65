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

test('the next page of a long list is read in one transaction, and equals that of a list that is made again', async () => {
  const folder = createIndexFolder();
  const { capability: store, close } = await folder.open();
  const lines = Array.from(
    { length: 100 },
    (_, at) => `- [ ] task 📅 2026-11-${String((at % 28) + 1).padStart(2, '0')}`,
  );
  await fill(store, Object.fromEntries(Array.from({ length: 300 }, (_, at) => [pathAt(at), lines.join('\n')])));
  const connection = new Database(folder.file, { readonly: true });
  const read = createRead(connection, folder.file, () => undefined);
  let transactions = 0;
  const counted: Read = (op, at, query) => {
    transactions += 1;
    return read(op, at, query);
  };
  const lists = createTaskLists({ rows: createRows(connection), read: counted });
  const page = { limit: 50, offset: 29_940 };
  const { total } = await lists({ status: 'open' }, { ...page, offset: 0 }, signal);
  transactions = 0;
  const next = await lists({ status: 'open' }, page, signal);
  assert.deepEqual([total, transactions], [30_000, 1]);
  assert.deepEqual(
    next,
    await createTaskLists({ rows: createRows(connection), read })({ status: 'open' }, page, signal),
  );
  connection.close();
  await close();
  folder.remove();
});
