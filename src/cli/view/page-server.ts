// The HTTP server of the graph page: for this machine only, and there only for whoever has its address.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VaultgraphError } from '../../base/errors.ts';
import type { PageAnswers } from './page-answers.ts';
import { PAGE_FILES, type PageFile, type PageFiles } from './page-files.ts';

export interface PageServer {
  /** With its secret. */
  readonly url: string;
  /** For a program that opens it: leads there once. */
  onceUrl(): string;
  /** Ends what is under way too. */
  close(): Promise<void>;
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = Object.freeze({
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
});

/** @param port 0 for any free one. @throws CONFIG_INVALID where the port cannot be had */
export async function openPageServer(answers: PageAnswers, files: PageFiles, port: number): Promise<PageServer> {
  const address = createPageAddress();
  const server = createServer((request, response) => {
    void respond({ request, response, answers, files, address, port: portOf(server) });
  });
  await listening(server, port);
  return Object.freeze({
    url: address.url(portOf(server)),
    onceUrl: () => address.onceUrl(portOf(server)),
    close: () => closed(server),
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  const [outcome] = await Promise.allSettled([once(server, 'listening')]);
  if (outcome.status === 'fulfilled') return;
  const { code } = outcome.reason as NodeJS.ErrnoException;
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [{ file: '--port', what: `no server can listen on port ${port} (${code})` }],
  });
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await ended;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: PageAnswers;
  readonly files: PageFiles;
  readonly address: PageAddress;
  readonly port: number;
}

async function respond(exchange: Exchange): Promise<void> {
  const { request, response, address, port } = exchange;
  if (!address.isHost(request.headers.host, port)) return refuse(response, 403, 'this name is not served');
  // Only a path is looked at: `//name/` or `http://name/` leads to no other host here.
  const given = `http://127.0.0.1${request.url ?? '/'}`;
  const url = new URL(URL.canParse(given) ? given : 'http://127.0.0.1/');
  const path = address.pathBehind(url.pathname);
  const isOnce = path === undefined && request.method === 'GET' && address.takeOnce(url.pathname);
  if (isOnce) return send(response, 303, 'text/plain; charset=utf-8', '', { location: address.url(port) });
  if (path === undefined) return refuse(response, 403, 'the address is not whole');
  if (request.method !== 'GET') return refuse(response, 405, 'only GET is answered', { allow: 'GET' });
  if (path.startsWith('api/')) return tell(exchange, path.slice('api/'.length), url.searchParams);
  return sendFile(exchange, path === '' ? 'page.html' : path);
}

async function tell({ response, answers }: Exchange, path: string, query: URLSearchParams): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await answers.answer(path, query, gone.signal);
  if (answer === undefined) return refuse(response, 404, 'there is no such thing to ask');
  send(response, answer.status, 'application/json; charset=utf-8', JSON.stringify(answer.body));
}

async function sendFile({ response, files }: Exchange, name: string): Promise<void> {
  if (!Object.hasOwn(PAGE_FILES, name)) return refuse(response, 404, 'there is no such file');
  const [read] = await Promise.allSettled([files.read(name as PageFile)]);
  if (read.status === 'rejected') return refuse(response, 500, `${name} is missing from this installation`);
  send(response, 200, PAGE_FILES[name as PageFile], read.value);
}

function refuse(response: ServerResponse, status: number, why: string, more: Record<string, string> = {}): void {
  send(response, status, 'text/plain; charset=utf-8', `${why}\n`, more);
}

function send(response: ServerResponse, status: number, type: string, body: string, more = {}): void {
  response.writeHead(status, { ...HEADERS, ...more, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** A browser's opener shows its arguments to every user of the machine, so what it is given serves once, and soon. */
const ONCE_VALID_MS = 60_000;
const SECRET_BYTES = 24;

interface PageAddress {
  /** `http://127.0.0.1:49152/SECRET/`; whoever has it may read the vault while the server runs. */
  url(port: number): string;
  /** Leads to `url` for the first who asks, within a minute. */
  onceUrl(port: number): string;
  /** What stands behind the secret in a path, `page.js`; undefined where the secret is wrong. */
  pathBehind(pathname: string): string | undefined;
  /** Whether this is the path of `onceUrl`, which it is no longer then. */
  takeOnce(pathname: string): boolean;
  /** Whether a request was sent to this server under a name of this machine, and not under one that leads here by a trick. */
  isHost(host: string | undefined, port: number): boolean;
}

function createPageAddress(): PageAddress {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const once = new Map<string, number>();
  return Object.freeze({
    url: (port: number) => `${origin(port)}/${secret}/`,
    onceUrl: (port: number) => {
      const name = randomBytes(SECRET_BYTES).toString('base64url');
      once.set(name, Date.now() + ONCE_VALID_MS);
      return `${origin(port)}/once/${name}`;
    },
    pathBehind: (pathname: string) => {
      const [, given = '', ...rest] = pathname.split('/');
      return rest.length > 0 && isSame(given, secret) ? rest.join('/') : undefined;
    },
    takeOnce: (pathname: string) => {
      const name = [...once.keys()].find((known) => isSame(pathname, `/once/${known}`));
      const until = once.get(name ?? '') ?? 0;
      once.delete(name ?? '');
      return Date.now() < until;
    },
    isHost: (host: string | undefined, port: number) => host === `127.0.0.1:${port}` || host === `localhost:${port}`,
  });
}

const origin = (port: number): string => `http://127.0.0.1:${port}`;

/** How long it takes tells nothing of where they differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
