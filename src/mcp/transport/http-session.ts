// One session over HTTP (protocol 2025-11-25 and older), with the SDK's transport and with subscriptions of its own.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Methods, ServerFeatures } from '../wire/method.ts';
import { RecentEvents } from './recent-events.ts';
import { createSessionServer, type SessionOptions } from './session-server.ts';

export interface HttpSessionOptions extends SessionOptions {
  readonly offer: ServerFeatures;
  /** Bytes of the longest message that is read. */
  readonly maxMessageBytes: number;
  /** Aborts the calls that run and those that begin later. */
  readonly ending: AbortSignal;
  /** Called before the client gets the id of the session. */
  readonly onOpened: (session: HttpSession) => void;
  readonly onClosed: (session: HttpSession) => void;
  /** Changes how the methods are called, such as to record writes. */
  readonly watched: (methods: Methods) => Methods;
}

/** While more than this waits to be sent, nothing is sent that can be sent later. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

export class HttpSession {
  readonly id = randomUUID();
  readonly #transport: StreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #gone = new AbortController();
  readonly #responses = new Set<ServerResponse>();
  #listening = 0;
  #usedAt = performance.now();

  constructor(options: HttpSessionOptions) {
    const { offer, maxMessageBytes, ending, onOpened, onClosed, watched } = options;
    this.#transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessioninitialized: () => onOpened(this),
      eventStore: new RecentEvents(),
      maxRequestBodySize: maxMessageBytes,
    });
    const methods = offer.methods((method, params) => {
      if (this.#listening === 0 || !this.hasRoom) return false;
      void this.#server.notification({ method, params }).catch(() => undefined);
      return true;
    }, this.#gone.signal);
    this.#server = createSessionServer(options, watched(methods), this, AbortSignal.any([ending, this.#gone.signal]));
    this.#server.onclose = () => {
      this.#gone.abort('the session is closed');
      onClosed(this);
    };
  }

  /** Whether the client reads what is sent to it. */
  get hasRoom(): boolean {
    let unsent = 0;
    for (const { writableLength } of this.#responses) unsent += writableLength;
    return unsent <= MAX_UNSENT_BYTES;
  }

  /** Requests and streams that are open. */
  get open(): number {
    return this.#responses.size;
  }

  /** Milliseconds since its last request or stream ended; 0 while one is open. */
  idleFor(now: number): number {
    return this.open > 0 ? 0 : now - this.#usedAt;
  }

  /** To be called before the first request. */
  async connect(): Promise<void> {
    await this.#server.connect(this.#transport as Transport);
  }

  /** @param body if it was read already */
  async handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    const listens = Number(request.method === 'GET');
    this.#responses.add(response);
    this.#listening += listens;
    response.once('close', () => {
      this.#responses.delete(response);
      this.#listening -= listens;
      this.#usedAt = performance.now();
    });
    await this.#transport.handleRequest(request, response, body);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}
