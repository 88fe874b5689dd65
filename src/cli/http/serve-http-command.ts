// `vaultgraph serve --http`: serves MCP over Streamable HTTP until a signal, and keeps the index up to date in the background.

import { NEVER } from '../../base/async/waits.ts';
import { commandLine } from '../../base/command-line.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { onEndSignal } from '../../base/system/process.ts';
import { VERSION } from '../../base/version.ts';
import type { Config } from '../../config/config.ts';
import type { HttpTokens, TokenEntry } from '../../config/http-tokens.ts';
import { failureFields } from '../../mcp/dispatch/call-journal.ts';
import { HttpServer } from '../../mcp/http/http-server.ts';
import { METADATA_PATH, OAuthVerifier } from '../../mcp/http/oauth.ts';
import type { Authentication, Principal, Refused } from '../../mcp/http/principal.ts';
import { surviveStderr } from '../../mcp/transport/process-streams.ts';
import { ICONS } from '../../mcp/transport/server-info.ts';
import { servedFor } from '../common-options.ts';
import { exitProcess } from '../end-process.ts';
import { EXIT } from '../exit-code.ts';
import { print, printJson, report } from '../output.ts';
import {
  beginMetrics,
  endUseless,
  expectFaults,
  oneVault,
  openServed,
  orClosed,
  type Served,
  serverConfig,
} from '../served.ts';
import { openLog } from '../with-core.ts';
import { checkScopes, type HttpOptions, listeningFor, tokensOf } from './http-config.ts';

const noTokenYet = (): string =>
  `There is no token yet, so every client is refused; add one with \`${commandLine('tokens add NAME')}\`.\n`;

/** Serves until a signal, then exits the process. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* at the start */
export async function runServeHttp(options: HttpOptions): Promise<number> {
  let log: Log | undefined;
  surviveStderr(() => log?.('warn', 'stderr_closed'));
  const { vaults: configs, views } = await servedFor(options);
  const config = serverConfig(configs);
  checkScopes(config, views);
  const listening = await listeningFor(config, options);
  expectFaults(configs);
  log = openLog(config, config.log.level, options);
  const served = await openServed(configs, log);
  if (config.startup.verify) await orClosed(served, served.verify(NEVER));
  const closeMetrics = await orClosed(served, beginMetrics(config, served.exposition, log));
  const backends = new Backends(served, views, log);
  const server = new HttpServer({ ...settingsOf(config, options, log), ...listening, backendOf: backends.of, log });
  await orClosed(served, server.listen());
  const close = async (): Promise<void> => {
    await server.close();
    await Promise.all([backends.close(), closeMetrics()]);
  };
  served.begin((error) => void endUseless(error, close));
  announce(server.url, served, options);
  log('info', 'serving', { counts: served.offer.counts });
  await untilSignal(log);
  await close().catch((thrown: unknown) => log?.('error', 'close_failed', failureFields(toVaultgraphError(thrown))));
  await exitProcess(EXIT.done);
  return EXIT.done;
}

function settingsOf({ http, limits, ...config }: Config, { auth, quiet = false }: HttpOptions, log: Log) {
  const tokens = tokensOf(config);
  const isOpen = auth === false;
  if (!isOpen && !quiet && http.oauth === null && tokens.list().length === 0) report(noTokenYet());
  const oauth = http.oauth === null ? undefined : new OAuthVerifier(http.oauth, log);
  return {
    identity: { name: 'vaultgraph', title: 'vaultgraph', version: VERSION, icons: ICONS },
    allowedHosts: http.allowed_hosts,
    allowedOrigins: http.allowed_origins,
    trustedProxies: http.trusted_proxies,
    maxSessions: http.sessions,
    maxIdleMs: http.session_idle,
    requestsPerSecond: http.requests_per_second,
    maxMessageBytes: limits.message,
    authentication: isOpen ? NO_AUTHENTICATION : tokenAuthentication(tokens, oauth),
  };
}

/** Scripts read the address from stdout. */
function announce(url: string, { what, exposed }: Served, { json = false, auth }: HttpOptions): void {
  const tools = exposed.tools.size;
  const open = auth === false ? ' to every program on this machine' : '';
  const text = `vaultgraph ${VERSION} serves ${what} with ${tools} tools${open} at ${url}`;
  if (json) printJson({ url, tools });
  else print(`${text}\n`);
}

/** The second signal ends the process at once. */
async function untilSignal(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isEnding = false;
  onEndSignal(() => {
    if (isEnding) void exitProcess(EXIT.interrupted, 0);
    isEnding = true;
    resolve('signal');
  });
  log('info', 'ending', { reason: await promise });
}

class Backends {
  readonly #own: Served;
  readonly #views: ReadonlyMap<string, Config>;
  readonly #log: Log;
  readonly #open = new Map<string, Promise<Served>>();
  #isClosed = false;

  /** @param served what the server's own config names */
  constructor(served: Served, views: ReadonlyMap<string, Config>, log: Log) {
    this.#own = served;
    this.#views = views;
    this.#log = log;
  }

  /** @throws CONFIG_INVALID if there is no such view; STORE_*, VAULT_UNAVAILABLE */
  readonly of = (view: string | undefined): Promise<Served> => {
    if (view === undefined) return Promise.resolve(this.#own);
    const open = this.#open.get(view) ?? this.#openView(view);
    this.#open.set(view, open);
    return open;
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await Promise.allSettled(this.#open.values());
    const views = open.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
    await Promise.all([this.#own, ...views].map((served) => served.close()));
  }

  /** A view that could not be opened is tried again by the next request. */
  async #openView(name: string): Promise<Served> {
    const [opened] = await Promise.allSettled([this.#begin(name)]);
    if (opened.status === 'fulfilled') return opened.value;
    this.#open.delete(name);
    throw opened.reason;
  }

  async #begin(name: string): Promise<Served> {
    const config = this.#views.get(name);
    if (config === undefined) {
      const faults = [
        { file: 'views', key: `views.${name}`, what: `there is no view ${name}`, allowed: [...this.#views.keys()] },
      ];
      throw new VaultgraphError('CONFIG_INVALID', { faults });
    }
    if (this.#isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    const served = await oneVault(config, this.#log);
    // Every call on it fails by itself, with the same code.
    served.begin((thrown) => this.#log('error', 'view_not_opened', failureFields(toVaultgraphError(thrown))));
    return served;
  }
}

/** Everyone on this machine, where the user has turned tokens off. */
const ANYONE: Principal = { name: 'anyone', key: 'anyone' };

export const NO_AUTHENTICATION: Authentication = {
  identify: async () => ANYONE,
  isValid: () => true,
  metadata: new Map(),
};

const NO_TOKEN: Refused = { status: 401, description: 'this server needs a bearer token' };
const UNKNOWN_TOKEN: Refused = { status: 401, error: 'invalid_token', description: 'the token is unknown or revoked' };
const UNREADABLE: Refused = {
  status: 503,
  error: 'tokens_unreadable',
  description: 'the tokens of the server cannot be read',
};
const OWN_TOKEN = 'token:';

/** Tokens that are added or revoked hold from the next request on. @param oauth if the config names an authorization server */
export function tokenAuthentication(tokens: HttpTokens, oauth: OAuthVerifier | undefined): Authentication {
  return {
    identify: async (authorization = '') => {
      const secret = bearerIn(authorization);
      if (secret === undefined) return oauth === undefined ? NO_TOKEN : { ...NO_TOKEN, scope: oauth.scope };
      const token = ownToken(tokens, secret);
      return token === UNKNOWN_TOKEN && oauth !== undefined ? oauth.verify(secret) : token;
    },
    isValid: ({ key }) => !key.startsWith(OWN_TOKEN) || tokens.has((entry) => keyOf(entry) === key),
    metadata: new Map(oauth === undefined ? [] : metadataOf(oauth)),
    ...(oauth && { metadataUrl: oauth.metadataUrl }),
  };
}

function ownToken(tokens: HttpTokens, secret: string): Principal | Refused {
  let entry: TokenEntry | undefined;
  try {
    entry = tokens.find(secret);
  } catch {
    // `doctor --http` says what is wrong with the files.
    return UNREADABLE;
  }
  if (entry === undefined) return UNKNOWN_TOKEN;
  return { name: entry.name, key: keyOf(entry), ...(entry.view !== undefined && { view: entry.view }) };
}

/** At both addresses where clients look for it. */
function metadataOf({ metadata, metadataUrl }: OAuthVerifier): readonly (readonly [path: string, metadata: object])[] {
  return [
    [METADATA_PATH, metadata],
    [new URL(metadataUrl).pathname, metadata],
  ];
}

/** The token of an `Authorization` header; undefined for another scheme. */
function bearerIn(authorization: string): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
}

/** A token that is added again under the same name is another one. */
const keyOf = ({ sha256, view = '' }: TokenEntry): string => `${OWN_TOKEN}${sha256}:${view}`;
