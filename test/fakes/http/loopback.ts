// A server on loopback for one test, which logs requests, fails on demand and closes all its connections.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Answer, type Exchange, type Fault, type LoggedRequest, sendAnswer } from './exchange.ts';

export type Handler = (request: LoggedRequest, closed: AbortSignal) => Promise<Answer>;

interface Where {
  /** A path as in the log; default: any path. */
  readonly on?: string;
  /** For how many requests; default: forever. */
  readonly times?: number;
  readonly when?: (request: LoggedRequest) => boolean;
}

export interface Loopback {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  readonly port: number;
  /** In the order they arrived. */
  readonly requests: readonly LoggedRequest[];
  requestsTo(path: string): readonly LoggedRequest[];
  /** Applies from the next matching request on. Of several matching faults, the first one is used until its count is reached. */
  fail(fault: Fault, where?: Where): void;
  /** Removes every fault. Running requests continue as they started. */
  heal(): void;
  /** Closes the port and every socket; connections are refused from now on. */
  refuse(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
  /** Waits until `count` requests to the path have ended, answered or not; fails after a minute. */
  untilEnded(path: string, count: number): Promise<void>;
  /** @throws the first error of the fake itself */
  close(): Promise<void>;
}

const MAX_WAIT_MS = 60_000;

interface Rule extends Where {
  readonly fault: Fault;
  left: number;
}

/** @param host `127.0.0.1` or `::1` */
export async function openLoopback(handler: Handler, host = '127.0.0.1'): Promise<Loopback> {
  const requests: LoggedRequest[] = [];
  const broken: unknown[] = [];
  const ended = new Set<() => void>();
  let rules: Rule[] = [];

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closing = new AbortController();
    const request = await logged(message);
    requests.push(request);
    response.once('close', () => {
      request.ended = { at: performance.now(), whole: response.writableFinished };
      if (!response.writableFinished) closing.abort();
      for (const look of [...ended]) look();
    });
    const answer = (): Promise<Answer> => handler(request, closing.signal);
    await perform(takeFault(rules, request), { request, response, closed: closing.signal, answer }, broken);
  };

  const server = createServer((message, response) => {
    serve(message, response).catch((thrown: unknown) => {
      // A client may disconnect while its request is still being read.
      if (!message.destroyed || message.complete) broken.push(thrown);
      response.destroy();
    });
  });
  const port = await listen(server, host, 0);

  return Object.freeze({
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    requestsTo: (path: string) => requests.filter((request) => request.path === path),
    fail: (fault: Fault, where: Where = {}) => {
      rules.push({ ...where, fault, left: where.times ?? Number.POSITIVE_INFINITY });
    },
    heal: () => {
      rules = [];
    },
    refuse: () => shut(server),
    reopen: async () => {
      await listen(server, host, port);
    },
    untilEnded: (path: string, count: number) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`not ${count} requests to ${path} have ended`)), MAX_WAIT_MS);
        const look = (): void => {
          if (requests.filter((request) => request.path === path && request.ended).length < count) return;
          ended.delete(look);
          clearTimeout(late);
          resolve();
        };
        ended.add(look);
        look();
      }),
    close: async () => {
      await shut(server);
      if (broken.length > 0) throw broken[0];
    },
  });
}

/** Runs changes at the nth request to a path. */
export function atNthRequest(path: string) {
  let seen = 0;
  const due = new Map<number, () => void>();
  return {
    /** From now on, before the request is answered. */
    at: (nth: number, change: () => void) => void due.set(seen + nth, change),
    count: (request: LoggedRequest) => {
      if (request.path !== path) return;
      seen += 1;
      due.get(seen)?.();
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function shut(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function logged(message: IncomingMessage): Promise<LoggedRequest> {
  const body = await text(message);
  const { method = '', headers } = message;
  const { pathname } = new URL(message.url ?? '/', 'http://fake.invalid');
  return { method, path: pathname, headers, body: parsed(body), at: performance.now() };
}

function parsed(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function takeFault(rules: readonly Rule[], request: LoggedRequest): Fault | undefined {
  const rule = rules.find(
    ({ on = request.path, left, when }) => on === request.path && left > 0 && (when?.(request) ?? true),
  );
  if (rule === undefined) return undefined;
  rule.left -= 1;
  return rule.fault;
}

/** Errors after the client disconnected are ignored. */
async function perform(fault: Fault | undefined, exchange: Exchange, broken: unknown[]): Promise<void> {
  try {
    if (fault !== undefined) await fault(exchange);
    else await sendAnswer(exchange.response, await exchange.answer());
  } catch (thrown) {
    if (!exchange.closed.aborted) broken.push(thrown);
    exchange.response.destroy();
  }
}
