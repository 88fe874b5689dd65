// One session over HTTP (protocol 2025-11-25 and older), with the SDK's transport and with subscriptions of its own.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { SizedMap } from '../../base/async/sized-map.ts';
import type { Log } from '../../base/log.ts';
import { isObject } from '../../base/plain-object.ts';
import { isRequestId, unreadableResponse } from '../transport/jsonrpc-validator.ts';
import { createSessionServer, type SessionOptions } from '../transport/session-server.ts';
import type { ServerFeatures } from '../wire/method.ts';
import type { Principal } from './principal.ts';
import { refuse, SERVER_ERROR, STATUS } from './responses.ts';

export interface HttpSessionOptions extends Omit<SessionOptions, 'label' | 'onChange'> {
  readonly principal: Principal;
  readonly offer: ServerFeatures;
  /** That the handshake selects. */
  readonly protocolVersion: string;
  /** Aborts the calls that run and those that begin later. */
  readonly ending: AbortSignal;
  /** Called before the client gets the id of the session. */
  readonly onOpened: (session: HttpSession) => void;
  readonly onClosed: (session: HttpSession) => void;
}

/** While more than this waits to be sent, nothing is sent that can be sent later. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const LABEL_CHARACTERS = 8;
/** A second stream for changes is refused for as long. */
const MIN_STANDALONE_MS = 10_000;
/** After which clients come back to a stream that was cut. */
const RETRY_MS = 500;

export class HttpSession {
  readonly id = randomUUID();
  readonly protocolVersion: string;
  /** With the expiry of the last token that was sent. */
  principal: Principal;
  readonly #transport: StreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #events = new RecentEvents();
  readonly #gone = new AbortController();
  readonly #responses = new Set<ServerResponse>();
  /** Ids of requests; with two of the same the SDK would answer one of them twice. */
  readonly #running = new Set<unknown>();
  /** Those that wait for changes. */
  readonly #streams = new Set<ServerResponse>();
  #usedAt = performance.now();
  #standaloneAt = Number.NEGATIVE_INFINITY;

  constructor(options: HttpSessionOptions) {
    const { principal, protocolVersion, offer, ending, log, onOpened, onClosed } = options;
    this.principal = principal;
    this.protocolVersion = protocolVersion;
    this.#transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessioninitialized: () => onOpened(this),
      eventStore: this.#events,
      retryInterval: RETRY_MS,
    });
    const methods = offer.methods((method, params) => {
      if (this.#streams.size === 0 || !this.hasRoom) return false;
      void this.#server.notification({ method, params }).catch(() => undefined);
      return true;
    }, this.#gone.signal);
    const onChange = (tool: string, changeId: string): void =>
      log('info', 'http_change', { tool, ...this.logFields, change_id: changeId });
    const more = { label: this.label, onChange };
    this.#server = createSessionServer(
      { ...options, ...more },
      methods,
      this,
      AbortSignal.any([ending, this.#gone.signal]),
    );
    this.#server.onclose = () => {
      this.#gone.abort('the session is closed');
      onClosed(this);
    };
  }

  /** Names the session in the log, and is not enough to use it. */
  get label(): string {
    return this.id.slice(0, LABEL_CHARACTERS);
  }

  get logFields(): { readonly session: string; readonly principal: string } {
    return { session: this.label, principal: this.principal.name };
  }

  /** Whether the client reads what is sent to it. */
  get hasRoom(): boolean {
    let unsent = 0;
    for (const { writableLength } of this.#responses) unsent += writableLength;
    return unsent <= MAX_UNSENT_BYTES;
  }

  /** Milliseconds since its last request or stream ended; 0 while one is open. */
  idleFor(now: number): number {
    return this.#responses.size > 0 ? 0 : now - this.#usedAt;
  }

  /** To be called before the first request. */
  async connect(): Promise<void> {
    await this.#server.connect(this.#transport as Transport);
  }

  /** @param body of a POST, as it was parsed */
  async handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    const ids = requestIdsIn(body);
    if (ids.some((id) => this.#running.has(id)))
      return refuse(response, STATUS.badRequest, 'this id belongs to a request of the session that is still running');
    this.#track(request, response, ids);
    if (request.method === 'GET' && this.#resume(request, response)) return;
    await this.#transport.handleRequest(request, response, body);
    for (const id of cancelledIn(body)) this.#endCancelled(id);
  }

  /** @param id of a question whose answer was refused; nothing else would end it before its time */
  endQuestion(id: RequestId | undefined): void {
    if (id !== undefined) this.#transport.onmessage?.(unreadableResponse(id));
  }

  #track({ method }: IncomingMessage, response: ServerResponse, ids: readonly unknown[]): void {
    for (const id of ids) this.#running.add(id);
    this.#responses.add(response);
    if (method === 'GET') this.#streams.add(response);
    response.once('close', () => {
      for (const id of ids) this.#running.delete(id);
      this.#responses.delete(response);
      this.#streams.delete(response);
      this.#usedAt = performance.now();
    });
  }

  /** Whether the request is answered here: what of a stream is left after its answer, for which the SDK would keep a stream open. */
  #resume({ headers: { 'last-event-id': lastId } }: IncomingMessage, response: ServerResponse): boolean {
    if (typeof lastId !== 'string') {
      this.#replaceStandalone();
      return false;
    }
    if (!this.#events.has(lastId)) {
      refuse(response, STATUS.badRequest, 'Last-Event-ID: this event is unknown, or no longer kept');
      return true;
    }
    const rest = this.#events.restAfter(lastId);
    if (rest !== undefined) sendEvents(response, rest);
    return rest !== undefined;
  }

  /** The client may have lost the connection of an older stream. One that opens two would replace each by the other without end. */
  #replaceStandalone(): void {
    const now = performance.now();
    if (now - this.#standaloneAt < MIN_STANDALONE_MS) return;
    this.#standaloneAt = now;
    this.#transport.closeStandaloneSSEStream();
  }

  /** The SDK answers nothing to a cancelled request, which would leave its stream open. */
  #endCancelled(id: RequestId): void {
    const error = { code: SERVER_ERROR, message: 'cancelled by the client' };
    // It fails if the answer was sent before.
    void this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
  }

  /** Drops what is kept for clients that do not come back, and closes the streams of one whose token has expired. */
  sweep(now: number): void {
    this.#events.sweep(now);
    const { expiresAt = Number.POSITIVE_INFINITY } = this.principal;
    if (Date.now() > expiresAt) for (const response of this.#streams) response.destroy();
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

/** @param body one message, or a batch */
function requestIdsIn(body: unknown): readonly unknown[] {
  return [body]
    .flat()
    .flatMap((message) => (isObject(message) && 'method' in message && 'id' in message ? [message.id] : []));
}

/** Without events the status says that there is nothing to come back for. */
function sendEvents(response: ServerResponse, events: readonly (readonly [id: string, json: string])[]): void {
  if (events.length === 0) response.writeHead(STATUS.noContent);
  else response.writeHead(STATUS.ok, { 'content-type': 'text/event-stream' });
  for (const [id, json] of events) response.write(`event: message\nid: ${id}\ndata: ${json}\n\n`);
  response.end();
}

function cancelledIn(body: unknown): readonly RequestId[] {
  const { method, params } = (isObject(body) ? body : {}) as { readonly method?: unknown; readonly params?: unknown };
  const { requestId } = isObject(params) ? params : {};
  return method === 'notifications/cancelled' && isRequestId(requestId) ? [requestId] : [];
}

const MAX_EVENTS = 200;
/** A longer answer is kept all the same, alone. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_AGE_MS = 60_000;

interface StoredEvent {
  readonly streamId: string;
  /** In JSON, which takes less memory than the objects. The first event of a stream is `{}`: it only gives an id to resume from. */
  readonly json: string;
  readonly isAnswer: boolean;
  readonly at: number;
}

const NO_MESSAGE = '{}';

/**
 * The oldest events are dropped first. It has no `getStreamIdForEventId`, by which the SDK would refuse to resume a stream whose
 * connection is not yet known to be cut, as after a phone has changed its network.
 */
class RecentEvents implements EventStore {
  readonly #events = new SizedMap<string, StoredEvent>(MAX_CHARACTERS, MAX_EVENTS);
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = String(this.#last);
    const json = JSON.stringify(message);
    const isAnswer = 'result' in message || 'error' in message;
    this.#events.set(id, { streamId, json, isAnswer, at: performance.now() }, json.length);
    return id;
  }

  has(id: string): boolean {
    return this.#events.has(id);
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    for (const [id, { json }] of this.#after(lastId)) await send(id, JSON.parse(json) as JSONRPCMessage);
    return this.#events.get(lastId)?.streamId ?? '';
  }

  /** The messages, in JSON, after an event of a stream that has ended with its answer; undefined for any other stream. */
  restAfter(lastId: string): readonly (readonly [id: string, json: string])[] | undefined {
    const streamId = this.#events.get(lastId)?.streamId;
    const isAnswered = [...this.#events.entries()].some(([, event]) => event.streamId === streamId && event.isAnswer);
    return isAnswered ? this.#after(lastId).map(([id, { json }]) => [id, json]) : undefined;
  }

  /** Drops what no client comes back for. */
  sweep(now: number): void {
    for (const [id, { at }] of this.#events.entries()) {
      if (now - at < MAX_AGE_MS) return;
      this.#events.delete(id);
    }
  }

  #after(lastId: string): readonly (readonly [id: string, event: StoredEvent])[] {
    const streamId = this.#events.get(lastId)?.streamId;
    return [...this.#events.entries()].filter(([id, event]) => {
      return event.streamId === streamId && Number(id) > Number(lastId) && event.json !== NO_MESSAGE;
    });
  }
}

// The open sessions: finds them by id, and ends those that are idle for too long or too many.

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxIdleMs: number;
}

export class Sessions {
  readonly #limits: SessionLimits;
  readonly #log: Log;
  readonly #open = new Map<string, HttpSession>();

  constructor(limits: SessionLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  find(id: string): HttpSession | undefined {
    return this.#open.get(id);
  }

  readonly add = (session: HttpSession): void => {
    this.#open.set(session.id, session);
  };

  readonly remove = (session: HttpSession): void => {
    if (this.#open.delete(session.id)) this.#log('info', 'session_ended', session.logFields);
  };

  /** Ends the session that is idle for the longest time if there are too many. False if none is idle. */
  makeRoom(): boolean {
    if (this.#open.size < this.#limits.maxSessions) return true;
    const now = performance.now();
    const [longest] = [...this.#open.values()].sort((one, other) => other.idleFor(now) - one.idleFor(now));
    if (longest === undefined || longest.idleFor(now) === 0) return false;
    this.#end(longest, 'limit');
    return true;
  }

  /** Ends the sessions that are idle for too long, and those of principals that may no longer use the server. */
  sweep(now: number, isValid: (session: HttpSession) => boolean): void {
    for (const session of this.#open.values()) {
      session.sweep(now);
      if (!isValid(session)) this.#end(session, 'revoked');
      else if (session.idleFor(now) >= this.#limits.maxIdleMs) this.#end(session, 'idle');
    }
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map((session) => session.close()));
  }

  #end(session: HttpSession, reason: string): void {
    this.#open.delete(session.id);
    this.#log('info', 'session_ended', { reason, ...session.logFields });
    // It fails only if it is closed already.
    void session.close().catch(() => undefined);
  }
}
