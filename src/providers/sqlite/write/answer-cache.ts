// Caches answers of models by key, and deletes the oldest beyond a limit.
import { VaultgraphError } from '../../../base/errors.ts';
import { MAX_KEPT_ANSWER_LENGTH, MAX_KEPT_ANSWERS, MAX_KEPT_BYTES } from '../../../contracts/store.ts';
import type { Rows } from '../database/rows.ts';

export function cachedAnswer(rows: Rows, key: string): string | undefined {
  return rows.checked<{ answer: string }>('SELECT * FROM answers WHERE key = ?', key)[0]?.answer;
}

/** @throws INTERNAL */
export function cacheAnswer(rows: Rows, key: string, answer: string): void {
  if (answer.length > MAX_KEPT_ANSWER_LENGTH)
    throw new VaultgraphError('INTERNAL', { kind: 'an answer too long to keep' });
  rows.run('DELETE FROM answers WHERE key = ?', key);
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(answer);
  rows.run('INSERT INTO answers (key, bytes, answer) VALUES (?, ?, ?)', key, bytes, answer);
  deleteOldest(rows);
}

/** Ids grow, so the sums run from the newest answer to the oldest. */
function deleteOldest(rows: Rows): void {
  const counted = `SELECT id, sum(bytes) OVER newest AS total, row_number() OVER newest AS place
    FROM answers WINDOW newest AS (ORDER BY id DESC)`;
  const sql = `DELETE FROM answers WHERE id IN (SELECT id FROM (${counted}) WHERE total > ? OR place > ?)`;
  rows.run(sql, MAX_KEPT_BYTES, MAX_KEPT_ANSWERS);
}
