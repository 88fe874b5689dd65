// Checks the server and its schema, and creates or migrates the tables.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Database, Run } from '../connection/database.ts';
import { codeOf, emptied, type Operation, unavailable } from '../connection/failures.ts';
import { beginAgain } from './begin-again.ts';
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
  /** The tables of the index that exist. */
  readonly own: readonly string[];
}

/** Whether tables may be created or filled again: they may be missing or empty because a backup is being restored. */
export type MayBeginAgain = (state: 'missing' | 'emptied') => boolean;

/** Lead from one version of the tables to the next. */
type Steps = readonly string[];

function tablesOf(steps: Steps): string[] {
  const matches = steps.join('').matchAll(/CREATE TABLE IF NOT EXISTS \$schema\.(\w+)/g);
  return [...matches].map(([, name]) => name ?? '');
}

const FEED = /^feed_/;

const FIND = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
  EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS schema,
  (SELECT count(*)::int FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'p', 'v')) AS tables,
  ARRAY(SELECT relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'p') AND relname = ANY($2)) AS own,
  EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relname = 'head') AS head`;

/**
 * Several servers may do this at once.
 * @throws STORE_UNAVAILABLE for a server or schema that cannot be used, STORE_SCHEMA_TOO_NEW, STORE_READONLY without the right to create it
 */
export async function prepareSchema(
  database: Database,
  may: MayBeginAgain,
  signal: AbortSignal,
  steps: Steps = STEPS,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await prepareOnce(database, may, signal, steps);
      return;
    } catch (thrown) {
      const state = thrown instanceof VaultgraphError ? codeOf(thrown.cause) : undefined;
      if (tries === MAX_TRIES || !MADE_MEANWHILE.has(state ?? '')) throw thrown;
    }
  }
}

async function prepareOnce(database: Database, may: MayBeginAgain, signal: AbortSignal, steps: Steps): Promise<void> {
  const operation = { op: 'open', settings: database.settings, startedAt: performance.now() };
  const look = (run: Run) => lookAt(run, operation, steps);
  const ask: Run = (sql, values = []) => database.query('open', sql, values, signal);
  const first = await look(ask);
  // Another server may have migrated the tables between the statements of a look.
  const { state } = first.state === 'emptied' ? await look(ask) : first;
  if (state === 'ready') return;
  if (state === 'emptied' && !may(state)) throw emptied(operation);
  if (state === 'missing' && !may(state)) throw unavailable(operation, MISSING);
  await database.transaction('migrate', signal, async (run) => {
    // One of several servers does it, and the others find it done.
    await run('SELECT pg_advisory_xact_lock(hashtext($1))', [`${APPLICATION} ${database.settings.schema}`]);
    await make(run, await look(run), steps);
  });
}

/** The tables that exist, and their state: `older` needs a migration. */
interface Look extends Found {
  readonly state: 'ready' | 'older' | 'missing' | 'emptied';
  readonly from: number;
}

const MISSING = ['schema', 'the tables of the index are missing from the schema'] as const;

/** @throws STORE_UNAVAILABLE, STORE_SCHEMA_TOO_NEW */
async function lookAt(run: Run, operation: Operation, steps: Steps): Promise<Look> {
  const [facts] = await run<Found>(FIND, [operation.settings.schema, tablesOf(steps)]);
  if (facts === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_version' });
  if (facts.version < MIN_VERSION) {
    const version = Math.floor(facts.version / 10_000);
    throw unavailable(operation, [
      'host',
      `it is PostgreSQL ${version}, and ${MIN_VERSION / 10_000} is needed at least`,
    ]);
  }
  if (facts.encoding !== 'UTF8')
    throw unavailable(operation, ['database', `its encoding is ${facts.encoding}, and UTF8 is needed`]);
  if (facts.tables === 0) return { ...facts, state: 'missing', from: 0 };
  const hasAll = (names: readonly string[]): boolean => names.every((name) => facts.own.includes(name));
  const version = facts.head ? await versionOf(run, operation) : undefined;
  const others = tablesOf(steps.slice(0, 1)).filter((name) => name !== 'head');
  if (!facts.head && !hasAll(others)) throw foreign(operation);
  if (version === undefined || !hasAll(tablesOf(steps.slice(0, version))))
    return { ...facts, state: 'emptied', from: 0 };
  if (version > steps.length) throw tooNew(version, steps.length);
  return { ...facts, state: version === steps.length ? 'ready' : 'older', from: version };
}

const foreign = (operation: Operation): VaultgraphError =>
  unavailable(operation, ['schema', 'it belongs to another program, or an unpublished version of this one']);

/** Returns undefined for an empty table. @throws STORE_UNAVAILABLE if the table is not ours */
async function versionOf(run: Run, operation: Operation): Promise<number | undefined> {
  const columns = `SELECT count(*)::int AS count FROM information_schema.columns
    WHERE table_schema = $1 AND table_name = 'head' AND column_name IN ('application', 'version', 'identity', 'history', 'living')`;
  const [own] = await run<{ count: number }>(columns, [operation.settings.schema]);
  if (own?.count !== 5) throw foreign(operation);
  const [head] = await run<{ application: string; version: number }>('SELECT application, version FROM $schema.head');
  if (head !== undefined && head.application !== APPLICATION) throw foreign(operation);
  return head?.version;
}

const tooNew = (version: number, supported: number): VaultgraphError =>
  new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found: version, supported, config_key: 'providers.store.schema' });

async function make(run: Run, { state, schema, own, from }: Look, steps: Steps): Promise<void> {
  const names = tablesOf(steps);
  if (state === 'ready') return;
  if (!schema) await run('CREATE SCHEMA IF NOT EXISTS $schema');
  // The steps leave existing tables as they are.
  if (state !== 'emptied' || own.length < names.length) for (const step of steps.slice(from)) await run(step);
  // What is left of the feed does not fit those that are made again.
  if (state === 'emptied' && names.some((name) => FEED.test(name) && !own.includes(name)))
    await run('UPDATE $schema.feed SET damaged = true');
  if (state !== 'older') await beginAgain(run);
  await run('UPDATE $schema.head SET version = $1', [steps.length]);
}
