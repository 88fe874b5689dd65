// Looks at the database server as a person who set it up would: version, rights, settings, clock, connections and sizes.
import { errorOf } from '../../base/outcome.ts';
import type { Inspected } from '../../contracts/provider.ts';
import { Abandoned } from './checked-values.ts';
import type { Database } from './connection/database.ts';
import { MIN_VERSION } from './schema/prepare-schema.ts';
import { STEPS } from './schema/steps.ts';

const MAX_CLOCK_SKEW_MS = 2_000;
/** Above this share of all connections a further server may be refused. */
const MAX_CONNECTION_SHARE = 0.8;
/** A table with fewer rows that are dead is small in any case. */
const MIN_DEAD_ROWS = 10_000;
const MEBIBYTE = 1_048_576;

export function inspectServer(facts: ServerFacts): Inspected[] {
  return [
    version(facts),
    transport(facts),
    encoding(facts),
    rights(facts),
    clock(facts),
    connections(facts),
    ...(facts.tables.length === 0 ? [] : [additions(facts), writing(facts), sizes(facts.tables), bloat(facts)]),
  ].filter((inspected) => inspected !== undefined);
}

const ok = (detail: string): Inspected => ({ status: 'ok', detail, hint: '' });
const warning = (detail: string, hint: string): Inspected => ({ status: 'warning', detail, hint });
const failing = (detail: string, hint: string): Inspected => ({ status: 'failing', detail, hint });

function version({ versionNumber, versionText }: ServerFacts): Inspected {
  const detail = `PostgreSQL ${versionText}`;
  if (versionNumber >= MIN_VERSION) return ok(detail);
  return failing(detail, `upgrade the server to PostgreSQL ${Math.floor(MIN_VERSION / 10_000)} or newer`);
}

function transport({ isEncrypted, isLocal, roundTripMs }: ServerFacts): Inspected {
  const detail = `${isEncrypted ? 'encrypted' : 'not encrypted'}, ${roundTripMs.toFixed(1)} ms for a round trip`;
  if (isEncrypted || isLocal) return ok(detail);
  return warning(detail, 'titles and texts of notes are readable on the way: set providers.store.tls');
}

/** The collation does not matter: the columns of the index have their own. */
function encoding({ encoding: encodingName, collation }: ServerFacts): Inspected {
  const detail = `encoding ${encodingName}, collation ${collation}`;
  if (encodingName === 'UTF8') return ok(detail);
  return failing(detail, 'create the database with ENCODING UTF8: others cannot hold every note');
}

function rights({ user, schema, canUse, canCreate, isStandby, isReadOnly, tables }: ServerFacts): Inspected {
  if (!canUse)
    return failing(
      `${user} may not use schema ${schema}`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${user}, or correct providers.store.schema`,
    );
  const unreadable = tables.filter(({ canRead }) => !canRead).map(({ name }) => name);
  if (unreadable.length > 0)
    return failing(
      `${user} may not read ${unreadable.join(', ')}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
    );
  if (isStandby) return ok('a standby server: this server can only follow');
  if (isReadOnly)
    return warning(
      'the database is in read-only mode: no server can bring the index up to date',
      'set default_transaction_read_only to off, for the server, the database or the role that has it on',
    );
  if (tables.length === 0 && !canCreate)
    return failing(
      `${user} may not create the tables of the index in schema ${schema}`,
      `GRANT CREATE ON SCHEMA ${schema} TO ${user}, or start first a server whose role may`,
    );
  const readOnly = tables.filter(({ canWrite }) => !canWrite).length;
  if (readOnly === 0) return ok(`${user} may read and write schema ${schema}`);
  if (readOnly === tables.length) return ok(`${user} may only read schema ${schema}: this server can only follow`);
  return failing(
    `${user} may write some tables of schema ${schema} and not others`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}, or only SELECT`,
  );
}

/** What other programs added to the schema: it may refuse, hide or change what is written, which looks like damage. */
function additions({ schema, hidden, added }: ServerFacts): Inspected | undefined {
  if (hidden.length > 0)
    return failing(
      `row security applies to ${hidden.join(', ')}, and may hide rows`,
      `ALTER TABLE ${schema}.${hidden[0]} DISABLE ROW LEVEL SECURITY, and so on, or give the role BYPASSRLS`,
    );
  if (added.length === 0) return undefined;
  return warning(
    `not of vaultgraph: ${added.join(', ')}`,
    'remove what is not needed: it may refuse or change rows, which then look damaged',
  );
}

function writing({ refused }: ServerFacts): Inspected | undefined {
  if (refused === undefined) return undefined;
  return failing(`writing fails: ${refused}`, 'remove what refuses it; the log of the database server says more');
}

/** The lease goes by the server's clock, so a difference does no harm to the index. */
function clock({ clockSkewMs }: ServerFacts): Inspected {
  const ms = Math.round(Math.abs(clockSkewMs));
  if (ms <= MAX_CLOCK_SKEW_MS) return ok('the clocks agree');
  const detail = `the server's clock is ${ms} ms ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  return warning(detail, 'synchronize both clocks: times in `status` are wrong by as much');
}

function connections({ connections: used, maxConnections }: ServerFacts): Inspected {
  const detail = `${used} of ${maxConnections} connections are used`;
  if (used < maxConnections * MAX_CONNECTION_SHARE) return ok(detail);
  return warning(detail, 'lower providers.store.pool, raise max_connections, or use a pooler');
}

function sizes(tables: readonly InspectedTable[]): Inspected {
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const each = tables
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(({ name, bytes }) => `${name} ${mib(bytes)}`);
  return ok(`the index takes ${mib(total)}: ${each.join(', ')}`);
}

function bloat({ tables, autovacuum, schema }: ServerFacts): Inspected {
  const bloated = tables.filter(({ dead, live }) => dead >= MIN_DEAD_ROWS && dead > live);
  if (bloated.length > 0)
    return warning(
      `most rows are dead in ${bloated.map(({ name, dead }) => `${name} (${dead})`).join(', ')}`,
      `VACUUM ${bloated.map(({ name }) => `${schema}.${name}`).join(', ')}, and see why autovacuum does not`,
    );
  if (!autovacuum) return warning('autovacuum is off', 'set autovacuum to on: the tables of the index grow without it');
  return ok('no bloat');
}

const mib = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

// Reads from a PostgreSQL server what `doctor` reports about it.

/** Runs one statement with `$1`, `$2` and so on. */
export type RunQuery = (text: string, values: readonly (string | readonly string[])[]) => Promise<readonly unknown[]>;
export type Trial = (tables: readonly InspectedTable[]) => Promise<string | undefined>;

interface InspectedTable {
  readonly name: string;
  /** With its indexes and long values. */
  readonly bytes: number;
  readonly live: number;
  readonly dead: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly isHidden: boolean;
  /** The name of its first column, in quotes if it needs them. */
  readonly column: string;
}

export interface ServerFacts {
  /** A number such as `150004`. */
  readonly versionNumber: number;
  readonly versionText: string;
  readonly encoding: string;
  readonly collation: string;
  readonly user: string;
  readonly schema: string;
  /** Also true while the schema does not exist, if the role may create it. */
  readonly canUse: boolean;
  readonly canCreate: boolean;
  readonly isStandby: boolean;
  /** Whether transactions may not write by default; true of a standby. */
  readonly isReadOnly: boolean;
  readonly isEncrypted: boolean;
  /** By a Unix socket, or from this machine. */
  readonly isLocal: boolean;
  readonly autovacuum: boolean;
  readonly connections: number;
  readonly maxConnections: number;
  readonly roundTripMs: number;
  /** Positive if the server's clock is ahead; exact to half a round trip. */
  readonly clockSkewMs: number;
  readonly tables: readonly InspectedTable[];
  /** Tables of which row security hides rows from this role. */
  readonly hidden: readonly string[];
  /** Triggers, rules, constraints and columns that may refuse or change rows. */
  readonly added: readonly string[];
  /** Why a row could not be written as it is; undefined if it could, or if the role may not write. */
  readonly refused: string | undefined;
}

/** The rights on a schema that does not exist are those to create it. */
const FACTS = `
  SELECT current_setting('server_version_num')::int AS "versionNumber",
    current_setting('server_version') AS "versionText",
    pg_encoding_to_char(d.encoding) AS encoding,
    d.datcollate AS collation,
    current_user::text AS "user",
    $1::text AS schema,
    coalesce(has_schema_privilege(n.oid, 'USAGE'), has_database_privilege(d.oid, 'CREATE')) AS "canUse",
    coalesce(has_schema_privilege(n.oid, 'CREATE'), has_database_privilege(d.oid, 'CREATE')) AS "canCreate",
    pg_is_in_recovery() AS "isStandby",
    current_setting('transaction_read_only')::bool AS "isReadOnly",
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
    coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true) AS "isLocal",
    current_setting('autovacuum')::bool AS autovacuum,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::int AS "maxConnections"
  FROM pg_database d LEFT JOIN pg_namespace n ON n.nspname = $1
  WHERE d.datname = current_database()`;

const TABLES = `
  SELECT c.relname::text AS name,
    pg_total_relation_size(c.oid)::float8 AS bytes,
    coalesce(s.n_live_tup, 0)::float8 AS live,
    coalesce(s.n_dead_tup, 0)::float8 AS dead,
    row_security_active(c.oid) AS "isHidden",
    (SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 1) AS "column",
    has_table_privilege(c.oid, 'SELECT') AS "canRead",
    has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
      AND has_table_privilege(c.oid, 'DELETE') AS "canWrite"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
  ORDER BY c.relname`;

/** The tables' own constraints are keys, columns that may not be null, and those that let only one row in. */
const ADDED = `
  WITH own AS (SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p'))
  SELECT format('trigger %s on %s', tgname, relname) AS what FROM pg_trigger JOIN own ON own.oid = tgrelid
    WHERE NOT tgisinternal AND tgenabled <> 'D'
  UNION ALL SELECT format('rule %s on %s', rulename, relname) FROM pg_rewrite JOIN own ON own.oid = ev_class
  UNION ALL SELECT format('constraint %s on %s', conname, relname) FROM pg_constraint JOIN own ON own.oid = conrelid
    WHERE contype IN ('c', 'f', 'x') AND pg_get_constraintdef(pg_constraint.oid) <> 'CHECK (one)'
  UNION ALL SELECT format('constraint %s to %s', conname, relname) FROM pg_constraint JOIN own ON own.oid = confrelid
  UNION ALL SELECT format('column %s of %s', attname, relname) FROM pg_attribute JOIN own ON own.oid = attrelid
    WHERE attnum > 0 AND NOT attisdropped AND NOT attname = ANY($2)
  ORDER BY what`;

const CLOCK = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
const CLOCK_READINGS = 5;

/** @param trial says why rows of the tables cannot be written */
export async function readServerFacts(run: RunQuery, schema: string, trial: Trial): Promise<ServerFacts> {
  const [facts] = (await run(FACTS, [schema])) as [Omit<ServerFacts, 'tables' | keyof Clock>];
  const tables = (await run(TABLES, [schema])) as InspectedTable[];
  const added = (await run(ADDED, [schema, COLUMNS])) as { readonly what: string }[];
  const hidden = tables.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  return {
    ...facts,
    ...(await readClock(run)),
    tables,
    hidden,
    added: added.map(({ what }) => what),
    refused: canWriteAll(facts, tables) ? await trial(tables) : undefined,
  };
}

/** The words of the steps: the columns of the tables are among them. */
const COLUMNS = [...new Set(STEPS.join(' ').match(/\w+/g))];

const canWriteAll = ({ isReadOnly }: Pick<ServerFacts, 'isReadOnly'>, tables: readonly InspectedTable[]): boolean =>
  !isReadOnly && tables.every(({ canRead, canWrite, isHidden }) => canRead && canWrite && !isHidden);

type Clock = Pick<ServerFacts, 'roundTripMs' | 'clockSkewMs'>;

/** Keeps the reading with the shortest round trip, which is the most exact. */
async function readClock(run: RunQuery): Promise<Clock> {
  const readings: Clock[] = [];
  while (readings.length < CLOCK_READINGS) {
    const [wallBefore, before] = [Date.now(), performance.now()];
    const [{ ms }] = (await run(CLOCK, [])) as [{ readonly ms: number }];
    const roundTripMs = performance.now() - before;
    readings.push({ roundTripMs, clockSkewMs: ms - (wallBefore + roundTripMs / 2) });
  }
  return readings.reduce((best, each) => (each.roundTripMs < best.roundTripMs ? each : best));
}

/** Ends the transaction. */
class Tried extends Abandoned {}

/** Writes a row of each table as it is and takes it back. @param column of the table. @returns why it fails; undefined if it does not, or if another session holds a lock */
export async function refusalOfWrites(
  database: Database,
  tables: readonly { readonly name: string; readonly column: string }[],
  signal: AbortSignal,
): Promise<string | undefined> {
  let at = '';
  const trial = database.transaction('inspect', signal, async (run) => {
    for (const { name, column } of tables) {
      at = name;
      // Constraints and triggers are asked before it is found that the row is there.
      await run(`INSERT INTO $schema.${name} SELECT * FROM $schema.${name} LIMIT 1 ON CONFLICT DO NOTHING`);
      const row = `SELECT ctid FROM $schema.${name} LIMIT 1`;
      await run(`UPDATE $schema.${name} SET ${column} = ${column} WHERE ctid = (${row})`);
    }
    throw new Tried();
  });
  const error = await errorOf(trial.catch(ignoreTried));
  return error === undefined || error.code === 'STORE_BUSY' ? undefined : `${at}: [${error.code}] ${error.message}`;
}

function ignoreTried(thrown: unknown): void {
  if (!(thrown instanceof Tried)) throw thrown;
}
