// Makes one HTTP request. One to this machine uses no proxy, and connects only to a loopback address.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList } from 'node:net';
import { isThisMachine } from '../../base/this-machine.ts';
import type { Attempt } from './attempt.ts';
import { blockedEgress } from './failures.ts';

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  /** Null where the answer has no such header. */
  header(name: string): string | null;
  /** To be read once. Leaving it early closes the socket. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** `dns.lookup` for all addresses of a name; a test gives names other addresses. */
export type Lookup = (
  name: string,
  options: LookupOptions & { readonly all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Redirects are not followed: texts go only to the endpoint in the config. @throws EGRESS_BLOCKED, system errors, the signal's reason */
export function sendRequest(
  url: string,
  request: HttpRequest,
  attempt: Attempt,
  resolve: Lookup = lookup,
): Promise<Reply> {
  return isThisMachine(url) ? sendHere(new URL(url), request, attempt, resolve) : sendAway(url, request, attempt);
}

/** `fetch` goes through a proxy if Node was started to use one. */
async function sendAway(url: string, request: HttpRequest, { signal }: Attempt): Promise<Reply> {
  const { status, headers, body } = await fetch(url, { ...request, signal, redirect: 'manual' });
  return { status, header: (name) => headers.get(name), body: body ?? emptyBody() };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** `fetch` cannot do this: it goes through a proxy for a name of this machine, too, and connects to any address that the name has. */
function sendHere(url: URL, { method, headers, body }: HttpRequest, attempt: Attempt, resolve: Lookup): Promise<Reply> {
  const { request: open } = url.protocol === 'https:' ? https : http;
  // `agent: false` uses a new connection without the proxy of the global agent.
  const options = { method, headers, agent: false, signal: attempt.signal, lookup: loopbackLookup(attempt, resolve) };
  return new Promise((answer, reject) => {
    const request = open(url, options as http.RequestOptions);
    let reply: IncomingMessage | undefined;
    request.once('response', (message) => {
      reply = message;
      const header = (name: string): string | null => {
        const value = message.headers[name];
        return (Array.isArray(value) ? value[0] : value) ?? null;
      };
      answer({ status: message.statusCode ?? 0, header, body: message });
    });
    request.on('error', (thrown) => {
      // A malformed body is reported here; without this, its reader sees only a lost connection.
      reply?.destroy(thrown);
      reject(thrown);
    });
    request.end(body);
  });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = ({ address, family }: LookupAddress): boolean =>
  LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');

/** Called by the socket itself, so that the address checked is the one it connects to. */
function loopbackLookup(attempt: Attempt, resolve: Lookup) {
  return (
    name: string,
    options: LookupOptions,
    answer: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const allowed = attempt.allowRemote ? addresses : addresses?.filter(isLoopback);
      const [first] = allowed ?? [];
      if (error !== null) answer(error, []);
      else if (first === undefined) answer(blockedEgress(addresses[0]?.address ?? name, attempt, name), []);
      else if (options.all === true) answer(null, allowed);
      else answer(null, first.address, first.family);
    });
  };
}
