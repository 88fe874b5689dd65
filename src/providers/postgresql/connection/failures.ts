// Turns what the driver and the server report into store errors, by their codes.
import { VaultgraphError } from '../../../base/errors.ts';
import { Abandoned, damagedError } from '../checked-values.ts';
import { type ConnectionSettings, serverName } from './settings.ts';

/** What was under way when something failed. */
export interface Operation {
  /** One word, for the error's details. */
  readonly op: string;
  readonly settings: ConnectionSettings;
  readonly startedAt: number;
}

const KEY = 'providers.store';

/** Also of a server that takes encrypted connections only: it does not say which of the two it misses. */
const REFUSED_USER = '28000';
const REFUSED_PLAIN = ['user', 'it refuses the user, or any connection that is not encrypted (tls: off)'] as const;

/** By SQLSTATE: what is wrong with the configured server, and the key that says otherwise. */
const REFUSALS: Readonly<Record<string, readonly [key: string, reason: string]>> = {
  '28P01': ['password', 'it refuses the user name or the password, or the password has expired'],
  [REFUSED_USER]: ['user', 'it refuses the user'],
  '3D000': ['database', 'it has no database of that name'],
  '3F000': ['schema', 'the schema does not exist'],
  '42P01': ['schema', 'the tables of the index are missing from the schema'],
  '42703': ['schema', 'the tables in the schema are not those of an index'],
  '57P03': ['host', 'it is starting up or shutting down'],
};

/** By SQLSTATE and the place in the server that reports it, which has no language: what the SQLSTATE alone does not say. */
const PLACES: Readonly<Record<string, readonly [key: string, reason: string]>> = {
  '28000 InitializeSessionUserId': ['user', 'its role does not exist, or may not log in'],
  '42501 CheckMyDatabase': ['user', 'it may not connect to the database: GRANT CONNECT ON DATABASE allows it'],
  '42501 check_enable_rls': [
    'user',
    'row security may hide rows of the tables from it: ALTER TABLE … DISABLE ROW LEVEL SECURITY, or a role with BYPASSRLS; `vaultgraph doctor` names the tables',
  ],
  '55000 CheckMyDatabase': ['database', 'it accepts no connections: ALTER DATABASE … ALLOW_CONNECTIONS true'],
};

/** Which limit leaves no connection. */
function limitedOf(thrown: unknown): 'role' | 'database' | undefined {
  const place = routineOf(thrown);
  if (place === 'InitializeSessionUserId' || /connections for role/.test(messageOf(thrown))) return 'role';
  return place === 'CheckMyDatabase' || /connections for database/.test(messageOf(thrown)) ? 'database' : undefined;
}

const routineOf = (thrown: unknown): unknown => (thrown as { readonly routine?: unknown } | undefined)?.routine;

/** The server finds its own files damaged, or cannot read them. */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002', '58030', '58P01']);
const BUSY: ReadonlySet<string> = new Set(['53300', '57014', '55P03', '40001', '40P01', '25P03', '53200']);
const FULL: ReadonlySet<string> = new Set(['53100', '53400']);
const NO_RIGHT = '42501';
const READONLY: ReadonlySet<string> = new Set([NO_RIGHT, '25006']);
/** Operations that only read: a role that may not do these can do nothing. */
const READING: ReadonlySet<string> = new Set(['open', 'copy', 'mark', 'jobs', 'requests', 'vectors']);
const lacking = (right: string) =>
  ['user', `it may not ${right} the tables of the index; \`vaultgraph doctor\` says which right is missing`] as const;
/** The connection is of no use any more. */
const LOST = /^(?:08|57P)/;

/** Reasons of the system to have no connection. */
const NETWORK =
  /^(?:E[A-Z]+|CERT_[A-Z_]+|ERR_TLS_[A-Z_]+|ERR_SSL_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_[A-Z_]+|UNABLE_TO_[A-Z_]+)$/;

export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** What PgBouncer says, or quotes from the server behind it: it has one SQLSTATE for all (08P01). */
const POOLER: readonly (readonly [says: RegExp, state: string])[] = [
  [/query_wait_timeout|no more connections allowed|too many (?:client )?connections|pool_size/i, '53300'],
  [/password authentication failed|SASL authentication failed|auth failed|wrong password/i, '28P01'],
  [/no pg_hba\.conf entry|no such user|login rejected|role ".*" does not exist|user .* does not exist/i, REFUSED_USER],
  [/no such database|database ".*" does not exist/i, '3D000'],
  [/the database system is (?:starting up|shutting down|in recovery)|pgbouncer is (?:shutting down|paused)/i, '57P03'],
];

/** Messages of a pooler that can be reached, but refuses. */
const POOLER_REFUSALS: readonly (readonly [says: RegExp, refusal: readonly [key: string, reason: string]])[] = [
  [
    /server_login_retry|server login (?:has been )?fail|connect failed|server conn crashed/i,
    ['host', 'it is a pooler without a connection to the server behind it: its log says why'],
  ],
  [
    /in statement pooling mode/i,
    ['host', 'it is a pooler with pool_mode = statement, which allows no transactions: session and transaction do'],
  ],
  [
    /unsupported startup parameter/i,
    ['host', 'it is a pooler that refuses a startup parameter: ignore_startup_parameters of the pooler allows it'],
  ],
];

/** The SQLSTATE that says what is wrong: the words of a pooler are more exact than its codes. */
function stateOf(thrown: unknown): string | undefined {
  const code = codeOf(thrown);
  if (code === undefined || !/^(?:08P01|08006|08000|58000)$/.test(code)) return code;
  return POOLER.find(([says]) => says.test(messageOf(thrown)))?.[1] ?? code;
}

const isState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

/** Whether the transaction may succeed if it runs again. */
export const isConflict = (thrown: unknown): boolean => ['40001', '40P01'].includes(codeOf(thrown) ?? '');

/** Whether the connection can be used again after this failure of a statement. */
export function isUsable(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== undefined && isState(code) && !LOST.test(code);
}

/** Never quotes the driver: its messages may contain what was sent. */
export function toPostgresError(thrown: unknown, operation: Operation): unknown {
  if (thrown instanceof VaultgraphError || thrown instanceof Abandoned) return thrown;
  const code = stateOf(thrown);
  const cause = { cause: code === undefined ? thrown : withoutDetails(thrown, code) };
  const { op, settings } = operation;
  const details = { op, ...(code === undefined ? {} : { sqlstate: code }) };
  const server = { ...details, config_key: KEY, file: `the PostgreSQL server at ${serverName(settings)}` };
  if (code === undefined || !isState(code)) return unreachable(operation, code, cause);
  if (DAMAGED.has(code)) return damagedError(settings, op, undefined, cause.cause);
  if (BUSY.has(code)) {
    const limited = code === '53300' ? limitedOf(thrown) : undefined;
    return new VaultgraphError('STORE_BUSY', { ...details, ...waited(operation), ...(limited && { limited }) }, cause);
  }
  if (FULL.has(code)) return new VaultgraphError('STORE_FULL', server, cause);
  const place = PLACES[`${code} ${String(routineOf(thrown))}`];
  if (place !== undefined) return unavailable(operation, place, cause, code);
  if (code === NO_RIGHT && READING.has(op)) return unavailable(operation, lacking('read'), cause, code);
  if (code === NO_RIGHT && op === 'migrate') return unavailable(operation, lacking('create'), cause, code);
  if (READONLY.has(code)) return new VaultgraphError('STORE_READONLY', server, cause);
  const refusal = refusalOf(thrown, code, settings);
  if (refusal !== undefined)
    return unavailable(operation, refusal, { ...cause, ...(/^(?:57P03|08P01)$/.test(code) && LATER) }, code);
  if (LOST.test(code)) return unreachable(operation, code, cause);
  return new VaultgraphError('STORE_ERROR', details, { ...cause, retry: 'U' });
}

function refusalOf(thrown: unknown, code: string, { tls }: ConnectionSettings) {
  if (code === REFUSED_USER && tls === 'off') return REFUSED_PLAIN;
  const pooler = code === '08P01' ? POOLER_REFUSALS.find(([says]) => says.test(messageOf(thrown))) : undefined;
  return pooler?.[1] ?? REFUSALS[code];
}

/** The tables are empty, for example while a backup is restored. @returns the error to throw */
export const emptied = ({ op, settings }: Pick<Operation, 'op' | 'settings'>): VaultgraphError =>
  unavailable({ op, settings, startedAt: 0 }, ['schema', 'tables of the index are missing or empty']);

/** The server may be back at the next call. */
const LATER = { retry: 'D*', retryAfterMs: 5_000 } as const;

const waited = ({ startedAt, settings }: Operation) => ({
  waited_ms: Math.round(performance.now() - startedAt),
  server: serverName(settings),
});

/** Only the code and the place in the server of a statement's error are kept: its other texts may quote notes. */
class FailedStatement extends Error {
  readonly code: string;

  constructor(code: string, place: unknown) {
    super(`SQLSTATE ${code} in ${String(place)}`);
    this.code = code;
  }
}

const withoutDetails = (thrown: unknown, code: string): unknown =>
  isState(code) ? new FailedStatement(code, (thrown as { readonly routine?: unknown }).routine) : thrown;

function unreachable(operation: Operation, code: string | undefined, cause: { cause: unknown }): VaultgraphError {
  const { settings } = operation;
  if (code === undefined && settings.password === undefined && !isCut(cause.cause))
    return unavailable(operation, ['password', 'it asks for a password and none is configured'], cause, code);
  if (code === undefined && NO_TLS.test(messageOf(cause.cause)))
    return unavailable(operation, ['tls', 'it does not encrypt connections'], cause);
  const isTls = code !== undefined && NETWORK.test(code) && !/^E[A-Z]+$/.test(code);
  if (isTls) return unavailable(operation, ['tls', `its certificate is not accepted (${code})`], cause, code);
  const what = code === undefined ? 'the connection ended' : `it cannot be reached (${code})`;
  return unavailable(operation, ['host', what], { ...cause, ...LATER }, code);
}

/** The driver has no code for a connection that ended, or was not made in time. */
const isCut = (thrown: unknown): boolean => /^Connection terminated|timeout/.test(messageOf(thrown));

/** Nor for a server without TLS. */
const NO_TLS = /does not support SSL/;

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : '');

export function unavailable(
  { op, settings }: Operation,
  [key, reason]: readonly [key: string, reason: string],
  options: { cause?: unknown; retry?: 'D*'; retryAfterMs?: number } = {},
  code?: string,
): VaultgraphError<'STORE_UNAVAILABLE'> {
  const details = { op, ...(code === undefined ? {} : { sqlstate: code }), config_key: `${KEY}.${key}` };
  return new VaultgraphError(
    'STORE_UNAVAILABLE',
    { ...details, reason: `${subject(settings, key)}: ${reason}` },
    options,
  );
}

function subject(settings: ConnectionSettings, key: string): string {
  const server = `the PostgreSQL server at ${serverName(settings)}`;
  if (key === 'database') return `${server}, database ${JSON.stringify(settings.database)}`;
  return key === 'schema' ? `${server}, schema ${JSON.stringify(settings.schema)}` : server;
}
