// Decides which HTTP requests are answered at all: by the address, host name and origin they come with.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface GuardOptions {
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Addresses and CIDR ranges; empty if clients connect directly. */
  readonly trustedProxies: readonly string[];
}

/** Those that decide who is answered and how: with two values, this server and a proxy before it could each read another one. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'origin', 'authorization', 'content-type', 'content-encoding', 'content-length'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'],
]);

/** The name of a header that may occur once and occurs more often. Node would keep one of its values, or join them. */
export function repeatedHeader({ headersDistinct }: IncomingMessage): string | undefined {
  return Object.keys(headersDistinct).find(
    (name) => SINGLE_HEADERS.has(name) && (headersDistinct[name]?.length ?? 0) > 1,
  );
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export class Guards {
  readonly #options: GuardOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #proxies: BlockList;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
    this.#proxies = addressList(options.trustedProxies);
  }

  /** Why the request is refused; undefined if it is not. */
  refusal(request: IncomingMessage): string | undefined {
    if (!this.#isFromProxy(request)) return 'requests are answered only through a trusted proxy';
    if (!this.#isHost(request.headers.host)) return 'this host name is not served';
    if (!this.isOrigin(request)) return 'this origin is not allowed';
    return undefined;
  }

  /** A web page of another origin must not reach the server through the user's browser. */
  isOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined) return true;
    if (this.#options.allowedOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }

  #isFromProxy({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
    if (this.#options.trustedProxies.length === 0) return true;
    const address = remoteAddress.replace(/^::ffff:/, '');
    return this.#proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  /** A name that an attacker points to this machine (DNS rebinding) is none of those that clients use. */
  #isHost(header: string | undefined): boolean {
    const host = header?.toLowerCase() ?? '';
    const name = host.replace(/:\d+$/, '');
    if (this.#hosts.has(host) || this.#hosts.has(name)) return true;
    if (LOOPBACK_NAMES.has(name)) return true;
    return !this.#options.isLoopback && this.#hosts.size === 0 && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }
}

function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(prefix), type);
  }
  return list;
}
