// Where the PostgreSQL server is, and how to connect to it. Plain values, so that a thread can be started with them.

import type { StoreDriver } from '../../../contracts/store.ts';

export interface ConnectionSettings {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** `require` encrypts; `verify` also checks the certificate and its name. */
  readonly tls: 'off' | 'require' | 'verify';
  /** Certificates of the authority, in PEM; those of the system without it. */
  readonly ca: string | undefined;
  readonly schema: string;
  /** The limit of each statement, in milliseconds. */
  readonly timeout: number;
  /** Connections at once. */
  readonly pool: number;
  /** The driver of the copy of the index on this machine. */
  readonly driver?: StoreDriver | undefined;
}

/** The schema as a name in SQL. */
export const quotedSchema = ({ schema }: Pick<ConnectionSettings, 'schema'>): string =>
  `"${schema.replaceAll('"', '""')}"`;

/** Names the server in errors: without user and password. */
export const serverName = ({ host, port }: Pick<ConnectionSettings, 'host' | 'port'>): string =>
  host.startsWith('/') ? `the socket in ${host}` : `${host}:${port}`;

/** Names the index in errors. */
export const indexName = (settings: Pick<ConnectionSettings, 'host' | 'port' | 'schema'>): string =>
  `the index on the PostgreSQL server at ${serverName(settings)}, schema ${JSON.stringify(settings.schema)}`;
