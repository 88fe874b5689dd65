// The limit of cached answers, tested on rows because thousands of commits would be slow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { MAX_KEPT_ANSWERS } from '../../../../src/contracts/store.ts';
import { addChecksumFunction } from '../../../../src/providers/sqlite/database/open-database.ts';
import { createRows } from '../../../../src/providers/sqlite/database/rows.ts';
import { SCHEMA_STEPS } from '../../../../src/providers/sqlite/database/schema.ts';
import { cacheAnswer, cachedAnswer } from '../../../../src/providers/sqlite/write/answer-cache.ts';

test('the newest answers are kept up to the limit, and an answer saved again counts as new', () => {
  const database = new Database(':memory:');
  addChecksumFunction(database);
  for (const step of SCHEMA_STEPS) database.exec(step);
  const rows = createRows(database);
  const insert = database.prepare('INSERT INTO answers (key, bytes, answer) VALUES (?, 10, ?)');
  database.transaction(() => {
    for (let at = 0; at < MAX_KEPT_ANSWERS; at += 1) insert.run(`key ${at}`, 'said');
  })();
  cacheAnswer(rows, 'key 0', 'said again');
  cacheAnswer(rows, 'one more', 'new');
  assert.equal(database.prepare('SELECT count(*) FROM answers').pluck().get(), MAX_KEPT_ANSWERS);
  assert.deepEqual(
    ['key 0', 'key 1', 'key 2', 'one more'].map((key) => cachedAnswer(rows, key)),
    ['said again', undefined, 'said', 'new'],
  );
  database.close();
});
