// Serves MCP over HTTP: checks where a request comes from and who sends it, then passes it on.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import { bugFault } from '../wire/method.ts';
import { type SessionLimits, Sessions } from './http-session.ts';
import { type EndpointOptions, McpEndpoint } from './mcp-endpoint.ts';
import { type Authentication, challengeFor, type Principal, type Refused } from './principal.ts';
import { refuse, STATUS, send, sendFault, sendText, setCommonHeaders } from './responses.ts';

export interface HttpServerOptions
  extends Omit<EndpointOptions, 'sessions' | 'draining' | 'ending'>,
    SessionLimits,
    GuardOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** In PEM. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly authentication: Authentication;
  /** For each principal. */
  readonly requestsPerSecond: number;
}

export const MCP_PATH = '/mcp';
const SWEEP_EVERY_MS = 1_000;
/** For requests that run when the server ends. */
const MAX_DRAIN_MS = 8_000;
const DRAIN_LOOK_MS = 20;
const LAST_ANSWER_MS = 200;
const MAX_HEADER_BYTES = 16 * 1024;
/** For clients that send slowly, so that they keep no connection for long. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  // Longer than proxies keep an idle connection, so that they do not send a request on one that is being closed.
  keepAliveTimeout: 65_000,
};
const CONNECTIONS_PER_SESSION = 4;
const MIN_CONNECTIONS = 100;
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';
const EXPOSED_HEADERS = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after';
const ACCEPTED_HEADERS =
  'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id';

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #guards: Guards;
  readonly #rate: RequestRate;
  readonly #sessions: Sessions;
  readonly #endpoint: McpEndpoint;
  readonly #draining = new AbortController();
  readonly #ending = new AbortController();
  readonly #running = new Set<ServerResponse>();
  #sweeps: NodeJS.Timeout | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#guards = new Guards(options);
    this.#rate = new RequestRate(options.requestsPerSecond);
    this.#sessions = new Sessions(options, options.log);
    const [draining, ending] = [this.#draining.signal, this.#ending.signal];
    this.#endpoint = new McpEndpoint({ ...options, sessions: this.#sessions, draining, ending });
    const settings = { ...TIMEOUTS, maxHeaderSize: MAX_HEADER_BYTES };
    const respond = (request: IncomingMessage, response: ServerResponse): void => void this.#respond(request, response);
    this.#server =
      options.tls === undefined
        ? createServer(settings, respond)
        : createTlsServer({ ...settings, ...options.tls }, respond);
    this.#server.maxConnections = Math.max(MIN_CONNECTIONS, CONNECTIONS_PER_SESSION * options.maxSessions);
  }

  /** The address of the MCP endpoint, once the server listens. */
  get url(): string {
    const { host, tls } = this.#options;
    const name = host.includes(':') ? `[${host}]` : host;
    return `${tls === undefined ? 'http' : 'https'}://${name}:${(this.#server.address() as AddressInfo).port}${MCP_PATH}`;
  }

  /** @throws CONFIG_INVALID if the address or the port is not available */
  async listen(): Promise<void> {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    const [outcome] = await Promise.allSettled([once(this.#server, 'listening')]);
    if (outcome.status === 'rejected') {
      const { code } = outcome.reason as NodeJS.ErrnoException;
      throw new VaultgraphError('CONFIG_INVALID', {
        faults: [{ file: '--port', what: `no server can listen on ${host}, port ${port} (${code})` }],
        advice: 'Name another address or port, with --host and --port or http.host and http.port.',
      });
    }
    this.#sweeps = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
  }

  /** Takes no new requests, lets those that run end for some seconds, then aborts them. */
  async close(): Promise<void> {
    clearInterval(this.#sweeps);
    this.#draining.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await this.#idleOrLate(MAX_DRAIN_MS);
    this.#ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await this.#idleOrLate(LAST_ANSWER_MS);
    await this.#sessions.closeAll();
    this.#server.closeAllConnections();
    await closed;
  }

  async #idleOrLate(waitMs: number): Promise<void> {
    const until = performance.now() + waitMs;
    while (this.#running.size > 0 && performance.now() < until) await sleep(DRAIN_LOOK_MS);
  }

  #sweep(): void {
    const now = performance.now();
    const { authentication } = this.#options;
    this.#rate.sweep(now);
    this.#sessions.sweep(now, ({ principal }) => authentication.isValid(principal));
  }

  /** The boundary of a request: never rejects, whatever is sent. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (thrown) {
      if (request.destroyed && !request.complete) return;
      const { fault, error } = bugFault(thrown);
      this.#options.log('error', 'request_broken', failureFields(error));
      sendFault(response, STATUS.internal, fault);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setCommonHeaders(response);
    // A connection that is cut ends its request; there is no one to answer.
    request.on('error', () => response.destroy());
    response.on('error', () => request.destroy());
    const path = pathOf(request);
    if (path === '/healthz') return sendText(response, STATUS.ok, 'ok\n');
    if (this.#draining.signal.aborted)
      return refuse(response, STATUS.unavailable, 'the server is ending', { 'retry-after': '5', connection: 'close' });
    if (path === '/readyz') return sendText(response, STATUS.ok, 'ready\n');
    const repeated = repeatedHeader(request);
    if (repeated !== undefined) return refuse(response, STATUS.badRequest, `the header ${repeated} occurs twice`);
    const refusal = this.#guards.refusal(request);
    if (refusal !== undefined) return refuse(response, STATUS.forbidden, refusal);
    this.#allowOrigin(request, response);
    if (request.method === 'OPTIONS') return this.#preflight(response);
    const metadata = this.#options.authentication.metadata.get(path);
    if (metadata !== undefined) return send(response, STATUS.ok, 'application/json', JSON.stringify(metadata));
    if (path !== MCP_PATH && path !== '/metrics') return refuse(response, STATUS.notFound, `MCP is at ${MCP_PATH}`);
    const principal = await this.#principal(request, response);
    if (principal === undefined) return;
    if (path === '/metrics') return this.#sendMetrics(request, response, principal);
    this.#track(request, response);
    await this.#endpoint.answer({ request, response, principal });
  }

  /** Streams that only wait for changes hold up no end. */
  #track(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST') return;
    this.#running.add(response);
    response.once('close', () => this.#running.delete(response));
  }

  /** Undefined if the request was refused. */
  async #principal(request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined> {
    const { authentication, log } = this.#options;
    const principal = await authentication.identify(request.headers.authorization);
    const client = 'key' in principal ? principal.key : `address:${request.socket.remoteAddress}`;
    if (!this.#rate.take(client, performance.now())) {
      refuse(response, STATUS.tooMany, 'too many requests', { 'retry-after': '1' });
      return undefined;
    }
    if ('key' in principal) return principal;
    if (principal.error !== undefined) log('warn', 'token_refused', { reason: principal.error });
    this.#challenge(response, principal);
    return undefined;
  }

  #challenge(response: ServerResponse, refused: Refused): void {
    const { metadataUrl } = this.#options.authentication;
    const headers: Record<string, string> =
      refused.status === STATUS.unavailable
        ? { 'retry-after': '5' }
        : { 'www-authenticate': challengeFor(refused, metadataUrl) };
    refuse(response, refused.status, refused.description, headers);
  }

  async #sendMetrics(request: IncomingMessage, response: ServerResponse, { view }: Principal): Promise<void> {
    if (request.method !== 'GET')
      return refuse(response, STATUS.methodNotAllowed, 'only GET is answered', { allow: 'GET' });
    const [backend] = await Promise.allSettled([this.#options.backendOf(view)]);
    if (backend.status === 'rejected')
      return refuse(response, STATUS.unavailable, 'what this token may see cannot be opened');
    const sessions = `# TYPE vaultgraph_http_sessions gauge\nvaultgraph_http_sessions ${this.#sessions.size}\n`;
    send(response, STATUS.ok, PROMETHEUS, `${backend.value.exposition()}${sessions}`);
  }

  /** Only for origins that the config names: a page of another origin may not read what is answered. */
  #allowOrigin({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
    if (origin === undefined || !this.#options.allowedOrigins.includes(origin)) return;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  }

  #preflight(response: ServerResponse): void {
    response.writeHead(STATUS.noContent, {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': ACCEPTED_HEADERS,
      'access-control-max-age': '600',
    });
    response.end();
  }
}

/** Without its query, which may be anything. */
function pathOf({ url = '' }: IncomingMessage): string {
  const [path = ''] = url.split('?');
  return path === `${MCP_PATH}/` ? MCP_PATH : path;
}

interface GuardOptions {
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Addresses and CIDR ranges; empty if clients connect directly. */
  readonly trustedProxies: readonly string[];
}

/** Those that decide who is answered and how: with two values, this server and a proxy before it could each read another one. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'origin', 'authorization', 'content-type', 'content-encoding', 'content-length'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'],
]);

/** The name of a header that may occur once and occurs more often. Node would keep one of its values, or join them. */
function repeatedHeader({ headersDistinct }: IncomingMessage): string | undefined {
  return Object.keys(headersDistinct).find(
    (name) => SINGLE_HEADERS.has(name) && (headersDistinct[name]?.length ?? 0) > 1,
  );
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

class Guards {
  readonly #options: GuardOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #proxies: BlockList;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
    this.#proxies = addressList(options.trustedProxies);
  }

  /** Why the request is refused; undefined if it is not. */
  refusal(request: IncomingMessage): string | undefined {
    if (!this.#isFromProxy(request)) return 'requests are answered only through a trusted proxy';
    if (!this.#isHost(request.headers.host)) return 'this host name is not served';
    if (!this.isOrigin(request)) return 'this origin is not allowed';
    return undefined;
  }

  /** A web page of another origin must not reach the server through the user's browser. */
  isOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined) return true;
    if (this.#options.allowedOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }

  #isFromProxy({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
    if (this.#options.trustedProxies.length === 0) return true;
    const address = remoteAddress.replace(/^::ffff:/, '');
    return this.#proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  /** A name that an attacker points to this machine (DNS rebinding) is none of those that clients use. */
  #isHost(header: string | undefined): boolean {
    const host = header?.toLowerCase() ?? '';
    const name = host.replace(/:\d+$/, '');
    if (this.#hosts.has(host) || this.#hosts.has(name)) return true;
    if (LOOPBACK_NAMES.has(name)) return true;
    return !this.#options.isLoopback && this.#hosts.size === 0 && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }
}

function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(prefix), type);
  }
  return list;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** So many seconds' requests may come at once. */
const BURST_SECONDS = 2;

class RequestRate {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a request. False if it is one too many. @param now in milliseconds */
  take(client: string, now: number): boolean {
    const bucket = this.#buckets.get(client) ?? { tokens: BURST_SECONDS * this.#perSecond, at: now };
    this.#buckets.set(client, bucket);
    bucket.tokens = this.#filled(bucket, now);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Forgets the clients whose bucket is full again. */
  sweep(now: number): void {
    for (const [client, bucket] of this.#buckets)
      if (this.#filled(bucket, now) >= BURST_SECONDS * this.#perSecond) this.#buckets.delete(client);
  }

  #filled({ tokens, at }: Bucket, now: number): number {
    const most = BURST_SECONDS * this.#perSecond;
    return Math.min(most, tokens + ((now - at) / 1_000) * this.#perSecond);
  }
}
