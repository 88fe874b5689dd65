// What followers ask of the leader and what it answered, for some time.
import type { OpenRequest, SharedAnswer, SharedRequest } from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';
import { unpackAnswer } from './packed-job.ts';

/** Whoever asked looks for the answer at once; by then so many others will not have been asked. */
const KEPT = 500;

export function addRequest(rows: Rows, request: string): number {
  const id = rows.run('INSERT INTO requests (request) VALUES (?)', request);
  rows.run('DELETE FROM requests WHERE id <= ?', id - KEPT);
  return id;
}

export function openRequests(rows: Rows): OpenRequest[] {
  const sql = 'SELECT id, request FROM requests WHERE answer IS NULL ORDER BY id';
  return rows
    .all<{ id: number; request: string }>(sql)
    .map(({ id, request }) => ({ id, request: JSON.parse(request) as SharedRequest }));
}

export function answerRequest(rows: Rows, id: number, answer: string): void {
  rows.run('UPDATE requests SET answer = ? WHERE id = ?', answer, id);
}

export function answerTo(rows: Rows, id: number): SharedAnswer | undefined {
  const [answer] = rows.column<string | null>('SELECT answer FROM requests WHERE id = ?', id);
  return answer === undefined || answer === null ? undefined : unpackAnswer(answer);
}
