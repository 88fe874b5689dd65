// Writes the answers of the HTTP server that are no answers of MCP, and reads the bodies of requests.
import type { IncomingMessage, ServerResponse } from 'node:http';

export const HEADERS = Object.freeze({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
});

type Headers = Readonly<Record<string, string>>;

/** Of the server, not of a method. */
const SERVER_ERROR = -32_000;

/** An error of JSON-RPC, because MCP clients show its message. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Headers = {},
  code = SERVER_ERROR,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  send(response, status, 'application/json', body, headers);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain; charset=utf-8', text);
}

export function send(response: ServerResponse, status: number, type: string, body: string, headers: Headers = {}): void {
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Undefined if the body is longer than `maxBytes`; then the rest is not read. @throws what the connection fails with */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
