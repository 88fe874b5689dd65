// Parses a model server's address and refuses one off this machine without permission. Opens no connection.
import * as z from 'zod';
import { isThisMachine, proxyFor } from '../../base/this-machine.ts';

/** Replacements for addresses that mean "all interfaces": Windows does not connect to them. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** An `http` or `https` URL without credentials, query and fragment; normalized, without a trailing slash. */
export function endpointSchema() {
  return z
    .string()
    .min(1)
    .transform((value, context) => {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      const fault = faultOf(url);
      if (url !== undefined && fault === undefined) return normalized(url);
      context.issues.push({ code: 'custom', input: value, message: fault ?? NOT_A_URL });
      return z.NEVER;
    });
}

const NOT_A_URL = 'a URL that begins with http:// or https:// and a host, such as http://127.0.0.1:11434';

/** Does not quote the URL, which may contain a password. */
function faultOf(url: URL | undefined): string | undefined {
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return NOT_A_URL;
  if (url.username !== '' || url.password !== '') return 'a URL without credentials; give them in `headers`';
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(url.href)) return 'a URL without query and fragment';
  return undefined;
}

function normalized(url: URL): string {
  const host = WILDCARDS[url.hostname] ?? url.hostname;
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname.replace(/\/+$/, '')}`;
}

/** Without the port. */
export const hostOf = (endpoint: string): string => new URL(endpoint).hostname;

/** Includes the default port. */
export function hostAndPort(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

interface Endpoints {
  readonly endpoint: string;
  readonly failover: readonly string[];
  readonly allow_remote: boolean;
}

/** For a section's `superRefine`: adds an issue for each endpoint off this machine without `allow_remote`. */
export function refuseRemote({ endpoint, failover, allow_remote }: Endpoints, context: z.RefinementCtx): void {
  if (allow_remote) return;
  const endpoints = [
    { url: endpoint, path: ['endpoint'] },
    ...failover.map((url, at) => ({ url, path: ['failover', at] })),
  ];
  for (const { url, path } of endpoints.filter(({ url }) => !isThisMachine(url))) {
    const proxy = proxyFor(url);
    const hosts = proxy === undefined ? `${hostOf(url)} is` : `${hostOf(url)} and the proxy ${proxy} are`;
    const message = `${hosts} off this machine; texts of notes go there only with allow_remote: true`;
    context.addIssue({ code: 'custom', path, message });
  }
}
