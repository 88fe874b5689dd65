// One request to a fake server and the ways to answer it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface LoggedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As JSON where it is JSON, else as text; undefined when empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the body as it came.
  readonly body: any;
  /** Milliseconds of `performance.now()` when the whole request was there. */
  readonly at: number;
  /** When answer or socket ended, whichever came first, and whether the answer was whole by then; absent while it goes on. */
  ended?: { readonly at: number; readonly whole: boolean };
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parts are sent one by one, as a stream. */
  readonly body: string | AsyncIterable<string>;
}

export interface Exchange {
  readonly request: LoggedRequest;
  readonly response: ServerResponse;
  /** Aborts when the socket is gone before the answer was whole. */
  readonly closed: AbortSignal;
  /** What the healthy server would answer. */
  answer(): Promise<Answer>;
}

/** Does with an exchange what a healthy server would not. */
export type Fault = (exchange: Exchange) => Promise<void>;

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const TEXT_HEADERS = { 'content-type': 'text/plain' };

export const jsonAnswer = (status: number, value: unknown): Answer => ({
  status,
  headers: JSON_HEADERS,
  body: JSON.stringify(value),
});

export const textAnswer = (status: number, body: string): Answer => ({ status, headers: TEXT_HEADERS, body });

export async function sendAnswer(response: ServerResponse, { status, headers = {}, body }: Answer): Promise<void> {
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    return;
  }
  response.writeHead(status, headers).flushHeaders();
  for await (const part of body) response.write(part);
  response.end();
}
