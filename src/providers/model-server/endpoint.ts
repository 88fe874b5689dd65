// Reads the address of a server of models, and tells whether it is on this machine. Resolves no name, opens no socket.
import * as z from 'zod';

/** What fetch would make of a host that means "wherever I listen", which Windows refuses to connect to. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** An `http` or `https` URL without credentials, query and fragment; comes out normalised, without a slash at the end. */
export function endpointSchema() {
  return z
    .string()
    .min(1)
    .transform((given, context) => {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const fault = faultOf(url);
      if (url !== undefined && fault === undefined) return normalised(url);
      context.issues.push({ code: 'custom', input: given, message: fault ?? NO_URL });
      return z.NEVER;
    });
}

const NO_URL = 'it begins with http:// or https:// and a host, such as http://127.0.0.1:11434';

/** None of the words repeats the URL: there may be a password in it. */
function faultOf(url: URL | undefined): string | undefined {
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return NO_URL;
  if (url.username !== '' || url.password !== '') return 'credentials have no place in a URL, give them in `headers`';
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(url.href)) return 'a URL without query and fragment';
  return undefined;
}

function normalised(url: URL): string {
  const host = WILDCARDS[url.hostname] ?? url.hostname;
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname.replace(/\/+$/, '')}`;
}

/** Loopback and nothing else: a machine in the same house is another machine. */
export function isThisMachine(endpoint: string): boolean {
  const host = hostOf(endpoint);
  return host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host) || /^(?:.+\.)?localhost$/.test(host);
}

/** The host's name or address, without the port. */
export const hostOf = (endpoint: string): string => new URL(endpoint).hostname;

/** The port is told also where the URL leaves it out. */
export function hostAndPort(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

interface Endpoints {
  readonly endpoint: string;
  readonly failover: readonly string[];
  readonly allow_remote: boolean;
}

/** For `superRefine` of a section: an issue for each endpoint off this machine that nobody allowed. */
export function refuseRemote({ endpoint, failover, allow_remote }: Endpoints, context: z.RefinementCtx): void {
  if (allow_remote) return;
  const named = [
    { url: endpoint, path: ['endpoint'] },
    ...failover.map((url, at) => ({ url, path: ['failover', at] })),
  ];
  for (const { url, path } of named.filter(({ url }) => !isThisMachine(url))) {
    const message = `${hostOf(url)} is off this machine; texts of notes go there only with allow_remote: true`;
    context.addIssue({ code: 'custom', path, message });
  }
}
