// One attempt to call a model server: its target, its start time and the details of its failures.

import * as z from 'zod';
import type { ProviderDetails } from '../../base/errors.ts';
import { isThisMachine, proxyFor } from '../../base/this-machine.ts';
import type { ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';

/** The same for all attempts. */
export interface ModelServer {
  /** Also the config section that failures name. */
  readonly capability: ProviderDetails['capability'];
  /** The `type` in the config. */
  readonly provider: string;
  /** The address as the endpoint schema normalizes it. */
  readonly endpoint: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a missing model may be downloaded, where the server can. */
  readonly autoPull?: 'never' | 'once';
  /** Whether a name of this machine may have the address of another. */
  readonly allowRemote?: boolean;
}

export interface Attempt extends ModelServer {
  /** Ends the request and closes its socket. */
  readonly signal: AbortSignal;
  readonly autoPull: 'never' | 'once';
  readonly trace?: ProviderTrace;
  readonly beganMs: number;
  /** Keys and texts that are sent: no error repeats them, whatever the server answers. */
  readonly secrets: readonly string[];
}

/** @param texts as the caller gave them, without prefixes */
export function beginAttempt(
  server: ModelServer,
  signal: AbortSignal,
  call?: ProviderCall,
  texts: readonly string[] = [],
): Attempt {
  signal.throwIfAborted();
  const { capability, provider, endpoint, model, headers, autoPull = 'never', allowRemote = false } = server;
  const keys = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
  const target = { capability, provider, endpoint, model, headers, autoPull, allowRemote };
  const attempt = { ...target, signal, beganMs: performance.now(), secrets: [...texts, ...keys] };
  if (call === undefined) return attempt;
  call.trace.attempts += 1;
  return { ...attempt, trace: call.trace };
}

/** An attempt may take several requests; the last one counts as its answer. */
export function beginRequest({ trace }: Attempt): void {
  if (trace === undefined) return;
  trace.phase = 'headers';
  delete trace.servedBy;
}

/** Records which server answered. Called once the whole answer has arrived. */
export function endRequest({ provider, endpoint, trace }: Attempt): void {
  if (trace !== undefined) trace.servedBy = `${provider}@${hostAndPort(endpoint)}`;
}

/** @param tokens of all texts of the call, as the server counted them */
export function reportTokens(tokens: number | undefined, { trace }: Attempt): void {
  if (trace !== undefined && tokens !== undefined) trace.tokens = tokens;
}

export function attemptDetails(attempt: Attempt, level: ProviderDetails['level'] = 'call'): ProviderDetails {
  const { capability, provider, endpoint, model, beganMs } = attempt;
  const elapsed_ms = Math.round(performance.now() - beganMs);
  const proxy = proxyFor(endpoint);
  const target = { capability, provider, endpoint, ...(proxy !== undefined && { proxy }), model };
  return { ...target, attempts: 1, elapsed_ms, level };
}

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
