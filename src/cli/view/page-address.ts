// The address of the graph page: its secret, the address that works once, and the host names that are served.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Other users of the machine can see the opener's arguments, so its address works once and only for a short time. */
const ONCE_VALID_MS = 60_000;
const SECRET_BYTES = 24;

export type PageAddress = ReturnType<typeof createPageAddress>;

export function createPageAddress() {
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
      const name = [...once.keys()].find((known) => isSame(pathname, `/once/${known}`));
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
