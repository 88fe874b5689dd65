// Writes jobs, requests, answers to them and cached answers of models to PostgreSQL.
import { VaultgraphError } from '../../../base/errors.ts';
import { packKept } from '../../../base/kept-json.ts';
import { MAX_KEPT_ANSWER_LENGTH, MAX_KEPT_ANSWERS, MAX_KEPT_BYTES } from '../../../contracts/store.ts';
import {
  MAX_JOBS_PER_KIND,
  MAX_REQUESTS,
  type PackedJob,
  type PackedUpdate,
} from '../../sqlite/sharing/packed-jobs.ts';
import type { Run } from '../connection/database.ts';

/** The purposes of the texts of a request, which their hashes include. */
export const [REQUEST, ANSWER] = ['request', 'answer'];

export async function saveJobs(run: Run, jobs: readonly PackedJob[], token: number, now: string): Promise<void> {
  if (jobs.length === 0) return;
  const sql = `INSERT INTO $schema.jobs (id, kind, has_ended, token, saved_at, job, request)
    SELECT id, kind, "hasEnded", $2, $3, job, request FROM ROWS FROM (
      json_to_recordset($1::json) AS (id text, kind text, "hasEnded" boolean, job text, request text)
    ) WITH ORDINALITY ORDER BY ordinality
    ON CONFLICT (id) DO UPDATE SET has_ended = excluded.has_ended, token = excluded.token, saved_at = excluded.saved_at, job = excluded.job`;
  const packed = jobs.map((one) => ({
    ...one,
    job: packKept(one.job, one.id),
    request: packKept(one.request, one.id),
  }));
  await run(sql, [JSON.stringify(packed), token, now]);
  const ranked = `SELECT ordinal, row_number() OVER (PARTITION BY kind ORDER BY ordinal DESC) AS place FROM $schema.jobs`;
  await run(`DELETE FROM $schema.jobs WHERE ordinal IN (SELECT ordinal FROM (${ranked}) ranked WHERE place > $1)`, [
    MAX_JOBS_PER_KIND,
  ]);
}

export async function answerRequests(run: Run, answers: PackedUpdate['answers']): Promise<void> {
  if (answers.length === 0) return;
  const sql = `UPDATE $schema.requests SET answer = given.answer
    FROM json_to_recordset($1::json) AS given (id bigint, answer text) WHERE requests.id = given.id`;
  const packed = answers.map(({ id, answer }) => ({ id, answer: packKept(answer, ANSWER) }));
  await run(sql, [JSON.stringify(packed)]);
}

/** @returns its id */
export async function addRequest(run: Run, request: string): Promise<number> {
  const sql = 'INSERT INTO $schema.requests (request) VALUES ($1) RETURNING id';
  const [row] = await run<{ id: number }>(sql, [packKept(request, REQUEST)]);
  if (row === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_request' });
  await run('DELETE FROM $schema.requests WHERE id <= $1', [row.id - MAX_REQUESTS]);
  return row.id;
}

/** Replaces the answer under the key and deletes the oldest beyond the limits. @throws INTERNAL */
export async function cacheAnswer(run: Run, key: string, answer: string): Promise<void> {
  if (answer.length > MAX_KEPT_ANSWER_LENGTH)
    throw new VaultgraphError('INTERNAL', { kind: 'an answer too long to keep' });
  await run('DELETE FROM $schema.answers WHERE key = $1', [key]);
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(answer);
  // Another server may have kept an answer under the key since.
  const sql = `INSERT INTO $schema.answers (key, bytes, answer) VALUES ($1, $2, $3)
    ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes, answer = excluded.answer`;
  await run(sql, [key, bytes, JSON.stringify(answer)]);
  const counted = `SELECT id, sum(bytes) OVER newest AS total, row_number() OVER newest AS place
    FROM $schema.answers WINDOW newest AS (ORDER BY id DESC)`;
  const old = `SELECT id FROM (${counted}) counted WHERE total > $1 OR place > $2`;
  await run(`DELETE FROM $schema.answers WHERE id IN (${old})`, [MAX_KEPT_BYTES, MAX_KEPT_ANSWERS]);
}
