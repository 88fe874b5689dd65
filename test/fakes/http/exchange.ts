// One request to a fake server, and the ways to answer it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface LoggedRequest {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise text; undefined when empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the body as it came.
  readonly body: any;
  /** `performance.now()` when the request was complete. */
  readonly at: number;
  /** When the response or the socket ended, and whether the response was complete; absent while it is running. */
  ended?: { readonly at: number; readonly whole: boolean };
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The parts are sent one by one, as a stream. */
  readonly body: string | AsyncIterable<string>;
}

export interface Exchange {
  readonly request: LoggedRequest;
  readonly response: ServerResponse;
  /** Aborts if the socket closes before the response is complete. */
  readonly closed: AbortSignal;
  /** The response of a healthy server. */
  answer(): Promise<Answer>;
}

/** Handles an exchange as a healthy server would not. */
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
