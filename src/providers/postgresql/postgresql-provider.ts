// Provides the store on PostgreSQL: its time limits, and how it is opened. Loads the driver only when it is used.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { type Provider, type ProviderContext, secret } from '../../contracts/provider.ts';
import { STORE_DRIVERS, type StoreDriver } from '../../contracts/store.ts';
import { setAside } from '../sqlite/database/index-file.ts';
import { sqliteProvider } from '../sqlite/provider.ts';
import type { ConnectionSettings } from './connection/settings.ts';
import { copiesIn, openStoredCopy } from './copy/open-copy.ts';

const DEFAULT_PORT = 5_432;
const DEFAULT_POOL = 4;
const MAX_POOL = 100;
const DEFAULT_TIMEOUT_MS = 20_000;
const MIN_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 290_000;
/** A longer name is cut by the server, so that two could be the same. */
const MAX_NAME_BYTES = 63;
/** The name of one of several vaults follows it, or the id of a view. */
const MAX_SCHEMA_BYTES = 30;
const ID_DIGITS = 16;

const name = () =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MAX_NAME_BYTES && !text.includes('\0'), 'a name of at most 63 bytes');

const schemaName = () =>
  z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/, 'a name of lower-case letters, digits and `_`')
    .refine((text) => text.length <= MAX_SCHEMA_BYTES, `at most ${MAX_SCHEMA_BYTES} characters`)
    .refine((text) => !text.startsWith('pg_'), 'a name that does not begin with pg_');

const shape = z.strictObject({
  /** `postgresql://user:password@host:port/database`; then none of those keys. */
  url: secret().optional(),
  /** A name, an address, or the folder of a socket. */
  host: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  database: name().optional(),
  user: name().optional(),
  password: secret().optional(),
  /** The schema belongs to this vault alone, and is made if it is missing. */
  schema: schemaName().default('vaultgraph'),
  tls: z.enum(['off', 'require', 'verify']).optional(),
  /** A file with the certificates that `verify` trusts; by default those of the system. */
  ca: z.string().min(1).optional(),
  /** The driver of the copy of the index on this machine. */
  driver: z.enum(STORE_DRIVERS).optional(),
  pool: z.int().min(1).max(MAX_POOL).default(DEFAULT_POOL),
  timeout: z.int().min(MIN_TIMEOUT_MS).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
});

type Given = z.infer<typeof shape>;
type PostgresqlConfig = Omit<Given, 'url' | 'host' | 'port' | 'database' | 'user' | 'tls'> &
  Pick<ConnectionSettings, 'host' | 'port' | 'database' | 'user' | 'tls'>;

const IN_URL = ['host', 'port', 'database', 'user', 'password'] as const;

export const postgresqlConfig = shape.superRefine(checkServer).transform(toConfig);

function checkServer(settings: Given, context: z.RefinementCtx): void {
  const refuse = (key: keyof Given, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  if (settings.url !== undefined) {
    if (parseUrl(settings.url) === undefined) refuse('url', URL_FORM);
    for (const key of IN_URL) if (settings[key] !== undefined) refuse(key, `either \`url\` or \`${key}\``);
  } else {
    for (const key of ['host', 'database', 'user'] as const)
      if (settings[key] === undefined) refuse(key, `needed unless \`url\` is given`);
  }
  if (settings.ca !== undefined && settings.tls !== 'verify') refuse('ca', 'only with tls: verify');
  const host = settings.url === undefined ? settings.host : parseUrl(settings.url)?.host;
  const isOpen = settings.tls === undefined && host !== undefined && !isLocal(host);
  if (isOpen) refuse('tls', 'needed for a server on another machine: verify, require, or off');
}

const URL_FORM =
  'a URL such as postgresql://user@host:5432/database, with user and database, and without a query; characters such as @ in a password as %40';

type Place = Pick<ConnectionSettings, 'host' | 'port' | 'database' | 'user' | 'password'>;

/** Its parts are not quoted in an error: they may contain the password. */
function parseUrl(text: string): Place | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return undefined;
  const [user, password, host, database] = [url.username, url.password, url.hostname, url.pathname.slice(1)].map(
    decoded,
  );
  if (!user || !host || !database) return undefined;
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port, database, user, password: password || undefined };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const isLocal = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);

function toConfig({ url, ...settings }: Given): PostgresqlConfig {
  const place = url === undefined ? undefined : parseUrl(url);
  const { host = '', port = DEFAULT_PORT, database = '', user = '', password } = place ?? settings;
  return { ...settings, host, port, database, user, password, tls: settings.tls ?? 'off' };
}

type Part = Pick<ProviderContext, 'vaultName' | 'viewId'>;

/** @throws the system's error if `ca` cannot be read */
export function connectionSettings(config: PostgresqlConfig, part: Part): ConnectionSettings {
  const { ca, password, schema, ...rest } = config;
  return {
    ...rest,
    password,
    schema: schemaOf(schema, part),
    ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
  };
}

/** Each of several vaults has a schema of its own, and each part of a vault: their indexes must not mix. */
function schemaOf(schema: string, { vaultName, viewId }: Part): string {
  // Names of vaults contain no underscore, so no two become the same.
  if (vaultName !== undefined && viewId === undefined) return `${schema}_${vaultName.replaceAll('-', '_')}`;
  const id = vaultName === undefined ? viewId : idOf(`${vaultName}\0${viewId}`);
  return id === undefined ? schema : `${schema}_${id}`;
}

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, ID_DIGITS);

const limits = sqliteProvider.limits({});

export const postgresqlProvider = Object.freeze<Provider<'store', PostgresqlConfig>>({
  capability: 'store',
  type: 'postgresql',
  keepsFeed: true,
  config: postgresqlConfig,
  limits: () => limits,
  open: async (config: PostgresqlConfig, context: ProviderContext) => {
    const { openStore } = await import('./open-store.ts');
    return openStore(settingsOf(config, context), context, Object.keys(limits));
  },
  /** The copies on this machine, which are made again, and the index itself if it is damaged. */
  setAside: async (config: PostgresqlConfig, context: ProviderContext) => {
    const { repair } = await import('./sharing/repair.ts');
    await repair(settingsOf(config, context));
    const { dataFolder } = context;
    return copiesIn(dataFolder)
      .map((name) => setAside(join(dataFolder, name)))
      .at(-1);
  },
  stored: async ({ dataFolder }: ProviderContext, driver?: StoreDriver) => openStoredCopy(dataFolder, driver),
});

function settingsOf(config: PostgresqlConfig, context: ProviderContext): ConnectionSettings {
  try {
    return connectionSettings(config, context);
  } catch (cause) {
    const details = {
      op: 'open',
      config_key: 'providers.store.ca',
      reason: 'the file with the certificates cannot be read',
    };
    throw new VaultgraphError('STORE_UNAVAILABLE', details, { cause });
  }
}
