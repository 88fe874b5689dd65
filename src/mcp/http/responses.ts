// Writes the answers of the HTTP server that are no answers of MCP, and reads the bodies of requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../wire/method.ts';

export const STATUS = Object.freeze({
  ok: 200,
  accepted: 202,
  noContent: 204,
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  notAcceptable: 406,
  tooLarge: 413,
  unsupportedType: 415,
  tooMany: 429,
  internal: 500,
  unavailable: 503,
});

/** The headers of every response. */
const HEADERS = Object.freeze({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
});

type Headers = Readonly<Record<string, string>>;

/** An error of the server, not of a method (JSON-RPC). */
export const SERVER_ERROR = -32_000;

export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}

/** Answers with an error of JSON-RPC, because MCP clients show its message. */
export function refuse(response: ServerResponse, status: number, message: string, headers: Headers = {}): void {
  sendFault(response, status, { code: SERVER_ERROR, message }, null, headers);
}

export function sendFault(
  response: ServerResponse,
  status: number,
  error: Fault,
  id: string | number | null = null,
  headers: Headers = {},
): void {
  send(response, status, 'application/json', JSON.stringify({ jsonrpc: '2.0', id, error }), headers);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain; charset=utf-8', text);
}

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Headers = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Undefined if the body is longer than `maxBytes`; the rest is then left to the server. @throws what the connection fails with */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
