// Checks the server and its schema, and creates or migrates the tables.
import { randomUUID } from 'node:crypto';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Database, Run } from '../connection/database.ts';
import { codeOf, unavailable } from '../connection/failures.ts';
import { beginHistory } from '../sharing/histories.ts';
import { APPLICATION, STEPS } from './steps.ts';

/** PostgreSQL 13; the statements need nothing newer. */
export const MIN_VERSION = 130_000;
/** Another server made the schema or a table at the same time. */
const MADE_MEANWHILE: ReadonlySet<string> = new Set(['23505', '42P06', '42P07', '42710']);
const MAX_TRIES = 5;

interface Found {
  readonly version: number;
  readonly encoding: string;
  readonly schema: boolean;
  readonly head: boolean;
  readonly tables: number;
}

const FIND = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
  EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS schema,
  (SELECT count(*)::int FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'p', 'v')) AS tables,
  EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relname = 'head') AS head`;

/**
 * Several servers may do this at once.
 * @throws STORE_UNAVAILABLE for a server or schema that cannot be used, STORE_SCHEMA_TOO_NEW, STORE_READONLY without the right to create it
 */
export async function prepareSchema(database: Database, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await prepareOnce(database, signal);
      return;
    } catch (thrown) {
      const state = thrown instanceof VaultgraphError ? codeOf(thrown.cause) : undefined;
      if (tries === MAX_TRIES || !MADE_MEANWHILE.has(state ?? '')) throw thrown;
    }
  }
}

async function prepareOnce(database: Database, signal: AbortSignal): Promise<void> {
  const [found] = await database.query<Found>('open', FIND, [database.settings.schema], signal);
  const operation = { op: 'open', settings: database.settings, startedAt: performance.now() };
  if (found === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_version' });
  if (found.version < MIN_VERSION) {
    const version = Math.floor(found.version / 10_000);
    throw unavailable(operation, [
      'host',
      `it is PostgreSQL ${version}, and ${MIN_VERSION / 10_000} is needed at least`,
    ]);
  }
  if (found.encoding !== 'UTF8')
    throw unavailable(operation, ['database', `its encoding is ${found.encoding}, and UTF8 is needed`]);
  const isForeign = unavailable(operation, [
    'schema',
    'it belongs to another program, or an unpublished version of this one',
  ]);
  if (found.tables > 0 && !found.head) throw isForeign;
  if (found.head) {
    const version = await versionOf(database, signal, isForeign);
    if (version === STEPS.length) return;
    if (version > STEPS.length) throw tooNew(version);
  }
  await database.transaction('migrate', signal, (run) => migrate(run, found));
}

/** @param isForeign thrown if the table is not ours */
async function versionOf(database: Database, signal: AbortSignal, isForeign: VaultgraphError): Promise<number> {
  const columns = `SELECT count(*)::int AS count FROM information_schema.columns
    WHERE table_schema = $1 AND table_name = 'head' AND column_name IN ('application', 'version', 'identity', 'history')`;
  const [own] = await database.query<{ count: number }>('open', columns, [database.settings.schema], signal);
  if (own?.count !== 4) throw isForeign;
  const sql = 'SELECT application, version FROM $schema.head';
  const [head] = await database.query<{ application: string; version: number }>('open', sql, [], signal);
  if (head?.application !== APPLICATION) throw isForeign;
  return head.version;
}

const tooNew = (found: number): VaultgraphError =>
  new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found, supported: STEPS.length, config_key: 'providers.store.schema' });

/** The row of the version is locked until the end, so that of several servers one migrates and the others find it done. */
async function migrate(run: Run, { schema, head }: Found): Promise<void> {
  if (!schema) await run('CREATE SCHEMA IF NOT EXISTS $schema');
  const [row] = head ? await run<{ version: number }>('SELECT version FROM $schema.head FOR UPDATE') : [];
  const from = row?.version ?? 0;
  if (from > STEPS.length) throw tooNew(from);
  for (const step of STEPS.slice(from)) await run(step);
  if (row === undefined) {
    const sql = 'INSERT INTO $schema.head (application, version, identity) VALUES ($1, $2, $3)';
    await run(sql, [APPLICATION, STEPS.length, randomUUID()]);
    await beginHistory(run);
  } else await run('UPDATE $schema.head SET version = $1', [STEPS.length]);
}
