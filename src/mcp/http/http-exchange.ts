// Answers one HTTP request of protocol 2026-07-28: as JSON, or as a stream of events if something is sent before the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { META_KEYS, metadataIn } from '../transport/request-metadata.ts';
import { type StatelessOptions, StatelessServer } from '../transport/stateless-server.ts';
import {
  type Fault,
  HEADER_MISMATCH,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  type Methods,
  UNSUPPORTED_VERSION,
} from '../wire/method.ts';
import { STATUS, sendFault } from './responses.ts';

export interface ExchangeOptions extends Omit<StatelessOptions, 'methods' | 'transport'> {
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
export function answerExchange(
  request: IncomingMessage,
  response: ServerResponse,
  message: JSONRPCRequest,
  { methodsFor, draining, ...options }: ExchangeOptions,
): void {
  const found = metadataIn(message.params);
  const fault = versionIn(message) === undefined ? undefined : headerFault(request, message);
  if (fault !== undefined || 'fault' in found) {
    sendFault(response, STATUS.badRequest, fault ?? (found as { readonly fault: Fault }).fault, message.id);
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
  server.begin(message, found.metadata);
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
    const given = decoded(headers[header]);
    if (given === value || (value === undefined && given === undefined)) continue;
    const what = given === undefined ? 'is missing' : 'differs from the body';
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
