// Reads from a PostgreSQL server what `doctor` reports about it.

/** Runs one statement with `$1`, `$2` and so on. */
export type RunQuery = (text: string, values: readonly string[]) => Promise<readonly unknown[]>;

export interface InspectedTable {
  readonly name: string;
  /** With its indexes and long values. */
  readonly bytes: number;
  readonly live: number;
  readonly dead: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
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
    has_table_privilege(c.oid, 'SELECT') AS "canRead",
    has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
      AND has_table_privilege(c.oid, 'DELETE') AS "canWrite"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
  ORDER BY c.relname`;

const CLOCK = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
const CLOCK_READINGS = 5;

export async function readServerFacts(run: RunQuery, schema: string): Promise<ServerFacts> {
  const [facts] = (await run(FACTS, [schema])) as [Omit<ServerFacts, 'tables' | keyof Clock>];
  const tables = (await run(TABLES, [schema])) as InspectedTable[];
  return { ...facts, ...(await readClock(run)), tables };
}

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
