// Who may speak to the page's server: the secret in its address, and the names it goes by. Knows nothing of what is served.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A browser's opener shows its arguments to every user of the machine, so what it is given serves once, and soon. */
const ONCE_VALID_MS = 60_000;
const SECRET_BYTES = 24;

export interface PageAddress {
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

export function createPageAddress(): PageAddress {
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
