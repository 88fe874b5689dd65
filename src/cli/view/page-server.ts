// The HTTP server of the graph page: listens on this machine only and requires the secret in its address.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NEVER } from '../../base/async/waits.ts';
import { ERRORS, VaultgraphError } from '../../base/errors.ts';
import { decodePath } from '../../base/note-uri.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { PageAnswers } from './page-answers.ts';
import { PAGE_FILES, type PageFile, type PageFiles, vaultFileHeaders } from './page-files.ts';

export type PageServer = Awaited<ReturnType<typeof openPageServer>>;

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

/**
 * `url`: the address with its secret.
 * @param port 0 for any free port. @throws CONFIG_INVALID if the port is not available
 */
export async function openPageServer(answers: PageAnswers, files: PageFiles, port: number) {
  const address = createPageAddress();
  const server = createServer((request, response) => {
    void respond({ request, response, answers, files, address, port: portOf(server) });
  });
  await listening(server, port);
  return Object.freeze({
    url: address.url(portOf(server)),
    /** An address for the browser's opener; it works once. */
    onceUrl: () => address.onceUrl(portOf(server)),
    /** Also ends running requests. */
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
    advice: 'Name another port, or leave --port out to use any free one.',
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
  // Only the path counts: `//name/` or `http://name/` does not refer to another host here.
  const requestUrl = `http://127.0.0.1${request.url ?? '/'}`;
  const url = new URL(URL.canParse(requestUrl) ? requestUrl : 'http://127.0.0.1/');
  const path = address.pathBehind(url.pathname);
  const isOnce = path === undefined && request.method === 'GET' && address.takeOnce(url.pathname);
  if (isOnce) return send(response, 303, 'text/plain; charset=utf-8', '', { location: address.url(port) });
  if (path === undefined) return refuse(response, 403, 'the address is not whole');
  if (path === 'api/places' && request.method === 'POST') return takePlaces(exchange, url.searchParams);
  if (request.method !== 'GET') return refuse(response, 405, 'only GET is answered', { allow: 'GET' });
  if (path.startsWith('api/')) return sendAnswer(exchange, path.slice('api/'.length), url.searchParams);
  if (path.startsWith('file/')) return sendVaultFile(exchange, path.slice('file/'.length));
  return sendFile(exchange, path === '' ? 'page.html' : path);
}

/** The only thing that a page may send: where its notes are. A page of another origin cannot. */
async function takePlaces(
  { request, response, answers, address, port }: Exchange,
  query: URLSearchParams,
): Promise<void> {
  const { origin, 'content-type': type, 'sec-fetch-site': site } = request.headers;
  // Under `no-referrer` a browser may call the origin of this very page `null`.
  if (site !== 'same-origin' && !address.isOrigin(origin, port))
    return refuse(response, 403, 'this origin may not send anything');
  if (type !== 'application/json') return refuse(response, 415, 'only JSON is taken');
  const body = await outcomeOf(bodyOf(request));
  // The page is closed, so no client waits for an answer.
  if ('error' in body) return;
  if (body.value === undefined) return refuse(response, 413, `more than ${MAX_BODY} bytes`);
  const outcome = await outcomeOf(answers.keepPlaces(query, body.value, NEVER));
  if ('error' in outcome)
    return refuse(response, ERRORS[outcome.error.code].http, `${outcome.error.code}: ${outcome.error.message}`);
  send(
    response,
    outcome.value,
    'text/plain; charset=utf-8',
    outcome.value === 200 ? 'not kept: the index has changed' : '',
  );
}

/** Three numbers for each of 200,000 notes. */
const MAX_BODY = 8_000_000;

/** Undefined if there is more than `MAX_BODY`; the rest is read all the same, because a cut connection would lose the answer. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size > MAX_BODY ? undefined : Buffer.concat(chunks).toString('utf8');
}

async function sendVaultFile({ response, answers }: Exchange, encoded: string): Promise<void> {
  const path = decodePath(encoded);
  const headers = vaultFileHeaders(path);
  if (headers === undefined) return refuse(response, 404, 'no file of this type is served');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const outcome = await outcomeOf(answers.file(path, gone.signal));
  if ('error' in outcome)
    return refuse(response, ERRORS[outcome.error.code].http, `${outcome.error.code}: ${outcome.error.message}`);
  const { 'content-type': type = '', ...more } = headers;
  send(response, 200, type, outcome.value, more);
}

async function sendAnswer({ response, answers }: Exchange, path: string, query: URLSearchParams): Promise<void> {
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

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array, more = {}): void {
  response.writeHead(status, { ...HEADERS, ...more, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Other users of the machine can see the opener's arguments, so its address works once and only for a short time. */
const ONCE_VALID_MS = 60_000;
const SECRET_BYTES = 24;

type PageAddress = ReturnType<typeof createPageAddress>;

function createPageAddress() {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const once = new Map<string, number>();
  return Object.freeze({
    /** `http://127.0.0.1:49152/SECRET/`; anyone who has it can read the vault while the server runs. */
    url: (port: number) => `${origin(port)}/${secret}/`,
    /** Redirects the first request within a minute to `url`. */
    onceUrl: (port: number) => {
      const name = randomBytes(SECRET_BYTES).toString('base64url');
      once.set(name, Date.now() + ONCE_VALID_MS);
      return `${origin(port)}/once/${name}`;
    },
    /** The part of a path after the secret, such as `page.js`; undefined if the secret is wrong. */
    pathBehind: (pathname: string) => {
      const [, key = '', ...rest] = pathname.split('/');
      return rest.length > 0 && isSame(key, secret) ? rest.join('/') : undefined;
    },
    /** Whether this is the path of `onceUrl`, which is used up by this call. */
    takeOnce: (pathname: string) => {
      const name = [...once.keys()].find((secret) => isSame(pathname, `/once/${secret}`));
      const until = once.get(name ?? '') ?? 0;
      once.delete(name ?? '');
      return Date.now() < until;
    },
    /** Whether the request's host name is one of this machine, which guards against DNS rebinding. */
    isHost: (host: string | undefined, port: number) => host === `127.0.0.1:${port}` || host === `localhost:${port}`,
    isOrigin: (from: string | undefined, port: number) => from === origin(port) || from === `http://localhost:${port}`,
  });
}

const origin = (port: number): string => `http://127.0.0.1:${port}`;

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
