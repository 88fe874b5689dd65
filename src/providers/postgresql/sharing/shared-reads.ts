// Answers from PostgreSQL itself what is not in the copy: the lease, jobs, requests, cached answers and which vectors are held.
import * as z from 'zod';
import { parsedJson } from '../../../base/plain-object.ts';
import type { Lease, SharedStore } from '../../../contracts/lease.ts';
import type { AnswerCache } from '../../../contracts/store.ts';
import type { VectorStore } from '../../../contracts/vectors.ts';
import {
  type JobColumns,
  type OpenColumns,
  packJob,
  packUpdate,
  unpackAnswer,
  unpackKept,
  unpackOpen,
} from '../../sqlite/sharing/packed-jobs.ts';
import type { IndexWriter } from '../../sqlite/write/writer.ts';
import { toDamagedError, valueIn } from '../checked-values.ts';
import type { Database } from '../connection/database.ts';
import { emptied } from '../connection/failures.ts';
import type { ConnectionSettings } from '../connection/settings.ts';
import { ANSWER, REQUEST } from './jobs.ts';
import { LEASE, type LeaseRow, leaseFrom } from './lease-row.ts';

export type SharedPart = SharedStore & AnswerCache & Pick<VectorStore, 'heldVectors'>;

/** Every write by any server changes one of these numbers, and none of them ever shrinks. */
const MARK = `SELECT head.seq + head.epoch + lease.token + lease.beats + coalesce((SELECT max(id) FROM $schema.requests), 0)
  + coalesce((SELECT max(id) FROM $schema.answers), 0) AS mark FROM $schema.head, $schema.lease`;

export function createSharedPart(database: Database, writer: IndexWriter): SharedPart {
  const { settings } = database;
  const query = <T>(op: string, signal: AbortSignal, sql: string, ...values: readonly (string | number | string[])[]) =>
    database.query<T>(op, sql, values, signal);
  /** The token is asked for after the row is read: this process may have taken the lease meanwhile. */
  const lease = async (signal: AbortSignal): Promise<Lease> => {
    const [row] = await query<LeaseRow>('lease', signal, LEASE);
    if (row === undefined) throw emptied({ op: 'lease', settings });
    return checked('lease', settings, () => leaseFrom(row, writer.token()));
  };
  return {
    lease,
    ...readers(query, lease, settings),
    ...writers(writer, lease),
    heldVectors: async (generation, hashes, signal) => {
      const sql = `SELECT hash FROM $schema.vectors WHERE generation = $1 AND hash = ANY($2)
        AND generation IN (SELECT id FROM $schema.generations)`;
      const rows = await query<{ hash: string }>('vectors', signal, sql, generation, [...hashes]);
      return new Set(rows.map(({ hash }) => hash));
    },
    cachedAnswer: async (key, signal) => {
      const sql = 'SELECT answer FROM $schema.answers WHERE key = $1';
      const [row] = await query<{ answer: string }>('cache', signal, sql, key);
      // Undefined if it is not what was written: the model is asked again.
      return row === undefined ? undefined : z.string().safeParse(parsedJson(row.answer)).data;
    },
    cacheAnswer: (key, answer, signal) => writer.run({ op: 'cacheAnswer', key, answer }, signal),
  };
}

/** @throws STORE_CORRUPT if PostgreSQL has something else than was written there */
function checked<T>(op: string, settings: ConnectionSettings, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw toDamagedError(thrown, settings, op);
  }
}

type Query = <T>(op: string, signal: AbortSignal, sql: string, ...values: readonly (string | number)[]) => Promise<T[]>;

function readers(query: Query, currentLease: (signal: AbortSignal) => Promise<Lease>, settings: ConnectionSettings) {
  return {
    mark: async (signal: AbortSignal) => {
      const [row] = await query<{ mark: number }>('mark', signal, MARK);
      if (row === undefined) throw emptied({ op: 'mark', settings });
      return row.mark;
    },
    keptJobs: async (signal: AbortSignal) => {
      const [lease, jobs] = await Promise.all([
        currentLease(signal),
        query<JobRow>('jobs', signal, 'SELECT * FROM $schema.jobs ORDER BY ordinal DESC'),
      ]);
      return checked('jobs', settings, () => jobs.map((row) => unpackKept(jobFrom(row), lease)));
    },
    openRequests: async (signal: AbortSignal) => {
      const sql = 'SELECT id, request FROM $schema.requests WHERE answer IS NULL ORDER BY id';
      const open = await query<OpenColumns>('requests', signal, sql);
      const requestIn = ({ id, request }: OpenColumns) => ({
        id,
        request: valueIn<string>(request, REQUEST, 'a request'),
      });
      return checked('requests', settings, () => open.map((row) => unpackOpen(requestIn(row))));
    },
    leaderReply: async (id: number, signal: AbortSignal) => {
      const sql = 'SELECT answer FROM $schema.requests WHERE id = $1 AND answer IS NOT NULL';
      const [row] = await query<{ answer: string }>('requests', signal, sql, id);
      if (row === undefined) return undefined;
      return checked('requests', settings, () => unpackAnswer(valueIn(row.answer, ANSWER, 'an answer')));
    },
  };
}

interface JobRow extends JobColumns {
  readonly id: string;
}

const jobFrom = ({ id, ...row }: JobRow): JobColumns => ({
  ...row,
  job: valueIn(row.job, id, 'a job'),
  request: valueIn(row.request, id, 'a job'),
});

function writers(writer: IndexWriter, lease: (signal: AbortSignal) => Promise<Lease>) {
  return {
    takeLease: async ({ client, stalled = null, jobs }, signal) => {
      await writer.run({ op: 'takeLease', request: { client, stalled, jobs: jobs.map(packJob) } }, signal);
      return lease(signal);
    },
    publish: (update, signal) => writer.run({ op: 'publish', update: packUpdate(update) }, signal),
    releaseLease: async (signal) => {
      if (writer.token() !== null) await writer.run({ op: 'releaseLease' }, signal);
    },
    requestFromLeader: (request, signal) =>
      writer.run({ op: 'requestFromLeader', request: JSON.stringify(request) }, signal),
  } satisfies Pick<SharedStore, 'takeLease' | 'publish' | 'releaseLease' | 'requestFromLeader'>;
}
