// The endpoint of MCP over HTTP: passes each request to its session, or answers it alone (protocol 2026-07-28).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Implementation, JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { toVaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isObject } from '../../base/plain-object.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import { PendingQuestions } from '../transport/ask-user.ts';
import { batchFault, incomingOf, parsedLine } from '../transport/jsonrpc-validator.ts';
import { initializeFault, negotiatedVersion } from '../transport/protocol-era.ts';
import { hasMetadata, META_KEYS, metadataIn, STATELESS_VERSION } from '../transport/request-metadata.ts';
import { type StatelessOptions, StatelessServer } from '../transport/stateless-server.ts';
import {
  type Fault,
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type Methods,
  type ServerFeatures,
  UNSUPPORTED_VERSION,
} from '../wire/method.ts';
import { HttpSession, type Sessions } from './http-session.ts';
import type { Principal } from './principal.ts';
import { readBody, refuse, STATUS, sendFault } from './responses.ts';

/** What a principal is served from: a vault, a view of it, or several vaults. */
export interface Backend {
  readonly offer: ServerFeatures;
  readonly instructions: string;
  /** The metrics, as Prometheus reads them. */
  exposition(): string;
}

export interface EndpointOptions {
  readonly identity: Implementation;
  /** Opens the view at its first use. @throws CONFIG_INVALID, VAULT_UNAVAILABLE, STORE_* */
  readonly backendOf: (view: string | undefined) => Promise<Backend>;
  readonly sessions: Sessions;
  /** Bytes of the longest message that is read. */
  readonly maxMessageBytes: number;
  /** Ends the streams that only wait for changes. */
  readonly draining: AbortSignal;
  /** Aborts the calls that run and those that begin later. */
  readonly ending: AbortSignal;
  readonly log: Log;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
}

const METHODS = 'GET, POST, DELETE';
/** Other parameters than the charset mean nothing. */
const JSON_TYPE = /^application\/json *(?:;(?! *charset=)[^;]*)*(?:; *charset="?utf-?8"? *(?:;.*)?)?$/i;
const SESSION_HEADER = 'mcp-session-id';
/** The specification has clients answer this status with a new handshake. */
const NO_SESSION = 'Session not found: it has ended; send initialize again';
const STALE_SESSION = `Session not found: it has ended; send initialize without the header ${SESSION_HEADER}`;
const NOTIFICATION_PREFIX = 'notifications/';

export class McpEndpoint {
  readonly #options: EndpointOptions;
  readonly #questions = new Map<string, PendingQuestions>();

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (request.method === 'POST') return this.#post(exchange);
    if (request.method === 'GET' || request.method === 'DELETE') return this.#inSession(exchange);
    refuse(response, STATUS.methodNotAllowed, `this address answers ${METHODS}`, { allow: METHODS });
  }

  async #post(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const refusal = headerRefusal(request);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message);
    const { maxMessageBytes } = this.#options;
    const bytes = await readBody(request, maxMessageBytes);
    if (bytes === undefined) return refuse(response, STATUS.tooLarge, `a request has at most ${maxMessageBytes} bytes`);
    const parsed = parsedLine(bytes);
    if ('fault' in parsed)
      return sendFault(response, STATUS.badRequest, { ...parsed.fault, message: 'the body is not valid JSON' });
    if (isStateless(request, parsed.value)) return this.#alone(exchange, parsed.value);
    return this.#inSession(exchange, parsed.value);
  }

  async #inSession(exchange: Exchange, body?: unknown): Promise<void> {
    const { request, response, principal } = exchange;
    const id = request.headers[SESSION_HEADER];
    if (typeof id !== 'string') return this.#withoutSession(exchange, body);
    const session = this.#options.sessions.find(id);
    const isHandshake = isObject(body) && body.method === 'initialize';
    if (session?.principal.key !== principal.key)
      return refuse(response, STATUS.notFound, isHandshake ? STALE_SESSION : NO_SESSION);
    const fault = request.method === 'POST' ? bodyFault(body, session.protocolVersion) : undefined;
    if (fault !== undefined) {
      session.endQuestion(fault.answered);
      return sendFault(response, STATUS.badRequest, fault.fault, fault.id);
    }
    session.principal = principal;
    await session.handle(request, response, body);
  }

  async #withoutSession(exchange: Exchange, body: unknown): Promise<void> {
    const { request, response } = exchange;
    if (request.method !== 'POST')
      return refuse(response, STATUS.badRequest, `the header ${SESSION_HEADER} is missing`);
    const incoming = incomingOf(body);
    if (incoming.kind === 'refused') return sendFault(response, STATUS.badRequest, incoming.fault, incoming.id);
    if (incoming.kind === 'dropped') return sendFault(response, STATUS.badRequest, MALFORMED);
    if (incoming.kind !== 'request' || incoming.request.method !== 'initialize')
      return refuse(
        response,
        STATUS.badRequest,
        `the header ${SESSION_HEADER} is missing: a session begins with initialize`,
      );
    const { id, params } = incoming.request;
    const fault = initializeFault(params);
    if (fault !== undefined) return sendFault(response, STATUS.badRequest, fault, id);
    return this.#open(exchange, body, negotiatedVersion(params));
  }

  async #open({ request, response, principal }: Exchange, body: unknown, protocolVersion: string): Promise<void> {
    const { identity, sessions, ending, log } = this.#options;
    const backend = await this.#backend(response, principal);
    if (backend === undefined) return;
    if (!sessions.makeRoom())
      return refuse(response, STATUS.unavailable, 'there are too many sessions', { 'retry-after': '10' });
    const { offer, instructions } = backend;
    const session = new HttpSession({
      identity,
      instructions,
      offer,
      principal,
      protocolVersion,
      ending,
      log,
      onClient: (client) => log('info', 'session_began', { ...session.logFields, client }),
      onOpened: sessions.add,
      onClosed: sessions.remove,
    });
    await session.connect();
    await session.handle(request, response, body);
    if (sessions.find(session.id) === undefined) await session.close();
  }

  /** Protocol 2026-07-28 has no sessions: each request says everything itself. */
  async #alone({ request, response, principal }: Exchange, body: unknown): Promise<void> {
    const incoming = incomingOf(body);
    if (incoming.kind === 'refused') return sendFault(response, STATUS.badRequest, incoming.fault, incoming.id);
    if (incoming.kind === 'dropped') return sendFault(response, STATUS.badRequest, MALFORMED);
    if (incoming.kind !== 'request') return void response.writeHead(STATUS.accepted).end();
    const backend = await this.#backend(response, principal);
    if (backend === undefined) return;
    const { identity, draining, ending, log } = this.#options;
    const { offer, instructions } = backend;
    answerExchange(request, response, incoming.request, {
      identity,
      instructions,
      capabilities: offer.capabilities,
      draining,
      ending,
      log,
      questions: this.#questionsOf(principal),
      session: `token ${principal.key}`,
      methodsFor: (report, ended) => offer.methods((_method, { uri }) => report(String(uri)), ended),
      onChange: (tool, changeId) =>
        log('info', 'http_change', { tool, principal: principal.name, change_id: changeId }),
    });
  }

  /** A view that cannot be opened is refused to those who have it; others continue. */
  async #backend(response: ServerResponse, { name, view }: Principal): Promise<Backend | undefined> {
    const [opened] = await Promise.allSettled([this.#options.backendOf(view)]);
    if (opened.status === 'fulfilled') return opened.value;
    const error = toVaultgraphError(opened.reason);
    this.#options.log('error', 'view_not_opened', { principal: name, ...failureFields(error) });
    refuse(
      response,
      STATUS.unavailable,
      `[${error.code}] what this token may see cannot be opened; the server's log says why`,
    );
    return undefined;
  }

  #questionsOf({ key }: Principal): PendingQuestions {
    const questions = this.#questions.get(key) ?? new PendingQuestions();
    this.#questions.set(key, questions);
    return questions;
  }
}

/** Checks what the specification asks of every client. */
function headerRefusal({
  headers,
}: IncomingMessage): { readonly status: number; readonly message: string } | undefined {
  const { accept = '' } = headers;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream'))
    return { status: STATUS.notAcceptable, message: 'Accept must list application/json and text/event-stream' };
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    return { status: STATUS.unsupportedType, message: 'Content-Type must be application/json, in UTF-8' };
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  // Node passes on what it does not decode.
  if (encoding.toLowerCase() === 'identity' && transfer.toLowerCase() === 'chunked') return undefined;
  return { status: STATUS.unsupportedType, message: 'bodies are read uncompressed only' };
}

/** What a notification or response is answered with that is neither. */
const MALFORMED = { code: INVALID_REQUEST, message: 'the message is neither a request, a notification nor a response' };

interface BodyFault {
  readonly fault: Fault;
  readonly id?: RequestId;
  /** The id of the question to which the body is a malformed answer. */
  readonly answered?: RequestId;
}

/** What the SDK would answer as if the body were no JSON. @param version of the session */
function bodyFault(body: unknown, version: string): BodyFault | undefined {
  const isBatch = Array.isArray(body);
  const message = isBatch ? batchFault(body.length, version) : undefined;
  if (message !== undefined) return { fault: { code: INVALID_REQUEST, message } };
  for (const each of isBatch ? body : [body]) {
    const incoming = incomingOf(each);
    if (incoming.kind === 'refused') return incoming;
    if (incoming.kind === 'dropped') return { fault: MALFORMED, ...incoming };
  }
  return undefined;
}

function isStateless({ headers }: IncomingMessage, body: unknown): boolean {
  if (headers['mcp-protocol-version'] === STATELESS_VERSION) return true;
  const { params, method = '' } = (body ?? {}) as { readonly params?: never; readonly method?: unknown };
  const isNotification = typeof method === 'string' && method.startsWith(NOTIFICATION_PREFIX);
  return headers[SESSION_HEADER] === undefined && !isNotification && hasMetadata(params);
}

interface ExchangeOptions extends Omit<StatelessOptions, 'methods' | 'transport'> {
  /** @param report notifies the client of a change of a note @param ended aborted when the client is gone */
  readonly methodsFor: (report: (uri: string) => boolean, ended: AbortSignal) => Methods;
  /** Ends the subscriptions. */
  readonly draining: AbortSignal;
}

const STATUS_OF: Readonly<Record<number, number>> = {
  [METHOD_NOT_FOUND]: STATUS.notFound,
  [UNSUPPORTED_VERSION]: STATUS.badRequest,
};
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Proxies close a connection on which nothing is sent. */
const COMMENT_EVERY_MS = 15_000;

/** Ends with the response; the connection of the client is its cancellation. */
function answerExchange(
  request: IncomingMessage,
  response: ServerResponse,
  message: JSONRPCRequest,
  { methodsFor, draining, ...options }: ExchangeOptions,
): void {
  const metadata = metadataIn(message.params);
  const fault = versionIn(message) === undefined ? undefined : headerFault(request, message);
  if (fault !== undefined || 'fault' in metadata) {
    sendFault(response, STATUS.badRequest, fault ?? (metadata as { readonly fault: Fault }).fault, message.id);
    return;
  }
  const gone = new AbortController();
  const transport = new ExchangeTransport(response);
  const methods = methodsFor((uri) => server.report(uri), gone.signal);
  const server = new StatelessServer({ ...options, methods, transport });
  response.once('close', () => {
    server.cancel(message.id);
    gone.abort('the connection is closed');
  });
  draining.addEventListener('abort', () => server.close(), { signal: gone.signal });
  server.begin(message, metadata.metadata);
}

class ExchangeTransport {
  readonly #response: ServerResponse;
  #comments: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => clearInterval(this.#comments));
  }

  get hasRoom(): boolean {
    return this.#response.writableLength <= MAX_UNSENT_BYTES;
  }

  keepOpen(): void {
    this.#comments = setInterval(() => this.#response.write(': open\n\n'), COMMENT_EVERY_MS).unref();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#response.writableEnded) return;
    const isAnswer = !('method' in message);
    if (isAnswer && !this.#response.headersSent) return sendJson(this.#response, statusOf(message), message);
    if (!this.#response.headersSent)
      this.#response.writeHead(STATUS.ok, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (isAnswer) this.#response.end();
  }
}

function statusOf(message: JSONRPCMessage): number {
  return 'error' in message ? (STATUS_OF[message.error.code] ?? STATUS.ok) : STATUS.ok;
}

function sendJson(response: ServerResponse, status: number, message: object): void {
  const body = JSON.stringify(message);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function versionIn({ params }: JSONRPCRequest): unknown {
  const meta: Readonly<Record<string, unknown>> = params?._meta ?? {};
  return meta[META_KEYS.version];
}

/** The headers repeat what the body says, so that a proxy need not read it; both have to say the same. */
function headerFault({ headers }: IncomingMessage, message: JSONRPCRequest): Fault | undefined {
  const { method, params } = message;
  const named = NAMED[method];
  const expected: readonly (readonly [header: string, value: unknown])[] = [
    ['mcp-protocol-version', versionIn(message)],
    ['mcp-method', method],
    ...(named === undefined ? [] : [['mcp-name', params?.[named]] as const]),
  ];
  for (const [header, value] of expected) {
    if (value !== undefined && typeof value !== 'string')
      return { code: INVALID_PARAMS, message: `params.${named}: must be a string` };
    const headerValue = decoded(headers[header]);
    if (headerValue === value || (value === undefined && headerValue === undefined)) continue;
    const what = headerValue === undefined ? 'is missing' : 'differs from the body';
    return { code: HEADER_MISMATCH, message: `Header mismatch: ${header} ${what}` };
  }
  return undefined;
}

/** Values that a header cannot carry are written in Base64. */
function decoded(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/i.exec(header)?.[1];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
}
