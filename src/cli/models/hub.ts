// Asks a hub of models for the revision, the size and the hash of a file, and opens its content.
import { errnoOf } from '../../base/errno.ts';
import { CONNECTION_ERRORS, VaultgraphError } from '../../base/errors.ts';
import { isThisMachine } from '../../base/this-machine.ts';

export interface HubFile {
  readonly file: string;
  readonly bytes: number;
  /** Undefined for a small file, of which the hub has only a hash of another kind. */
  readonly sha256: string | undefined;
  /** The commit that the hub resolved the revision to. */
  readonly revision: string;
  /** Where the content comes from, if the hub sends downloads to another host. */
  readonly servedBy: string | undefined;
}

export interface HubPlace {
  /** Origin and path, without a slash at the end. */
  readonly hub: string;
  readonly repository: string;
  /** A branch, tag or commit. */
  readonly revision: string;
}

const MAX_REDIRECTS = 5;
/** Both until the headers of an answer and between two pieces of its body. */
export const IDLE_MS = 30_000;

export const hostOf = (url: string): string => new URL(url).host;

/** @throws DOWNLOAD_FAILED */
export async function describeFile(place: HubPlace, file: string, signal: AbortSignal): Promise<HubFile> {
  let url = urlOf(place, file);
  const host = hostOf(url);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const { status, headers } = await request(url, file, { method: 'HEAD' }, signal);
    const next = redirectTarget(status, headers, url, file);
    const linkedSize = headers.get('x-linked-size');
    const isHere = next === undefined || hostOf(next) === host;
    if (next !== undefined && linkedSize === null && isHere) {
      url = next;
      continue;
    }
    if (next === undefined && status !== 200) throw failed(url, file, statusText(status));
    const revision = headers.get('x-repo-commit');
    const bytes = Number(linkedSize ?? (next === undefined ? headers.get('content-length') : null) ?? Number.NaN);
    if (revision === null || !REVISION.test(revision) || !Number.isSafeInteger(bytes))
      throw failed(url, file, 'the answer names no commit and size, as the answer of a hub does');
    const servedBy = isHere ? undefined : hostOf(next);
    return { file, bytes, sha256: sha256Of(headers), revision, servedBy };
  }
  throw failed(url, file, `more than ${MAX_REDIRECTS} redirects`);
}

const REVISION = /^[\w./-]{1,100}$/;

/** A file in large-file storage has its SHA-256 as its tag; the tag of another is a hash of git. */
function sha256Of(headers: Headers): string | undefined {
  const tag = headers.get('x-linked-etag') ?? headers.get('etag') ?? '';
  return /^(?:W\/)?"?([\da-f]{64})"?$/.exec(tag)?.[1];
}

export interface OpenContent {
  readonly body: AsyncIterable<Uint8Array>;
  /** 0 if the server does not continue where an earlier download ended. */
  readonly from: number;
}

/**
 * @param from continues after this many bytes
 * @param onHost is called with each other host that the hub redirects to, before it is contacted
 * @throws DOWNLOAD_FAILED
 */
export async function openContent(
  place: HubPlace,
  file: string,
  from: number,
  onHost: (host: string) => void,
  signal: AbortSignal,
): Promise<OpenContent> {
  let url = urlOf(place, file);
  const range: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const { status, headers, body } = await request(url, file, { headers: range }, signal);
    const next = redirectTarget(status, headers, url, file);
    if (next === undefined) {
      if (status !== 200 && status !== 206) throw failed(url, file, statusText(status));
      return { body: body ?? emptyBody(), from: isContinued(status, headers, from) ? from : 0 };
    }
    await body?.cancel();
    if (hostOf(next) !== hostOf(url)) onHost(hostOf(next));
    url = next;
  }
  throw failed(url, file, `more than ${MAX_REDIRECTS} redirects`);
}

const isContinued = (status: number, headers: Headers, from: number): boolean =>
  status === 206 && (headers.get('content-range') ?? '').startsWith(`bytes ${from}-`);

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

const urlOf = ({ hub, repository, revision }: HubPlace, file: string): string =>
  `${hub}/${repository}/resolve/${encodeURIComponent(revision)}/${file}`;

/** Undefined if the answer is not a redirect. @throws DOWNLOAD_FAILED if it leads to an address that could be read on the way */
function redirectTarget(status: number, headers: Headers, from: string, file: string): string | undefined {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return undefined;
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isSafe = next?.protocol === 'https:' || (next?.protocol === 'http:' && isThisMachine(next.href));
  if (next !== undefined && isSafe) return next.href;
  throw failed(from, file, `it redirects to ${next?.origin ?? 'no address'}, which is not https`);
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: 'access denied, or no such repository',
  403: 'access denied',
  404: 'no such repository, revision or file',
  416: 'it cannot be continued',
  429: 'too many requests; try later',
};

const statusText = (status: number): string =>
  `HTTP ${status}${MEANINGS[status] === undefined ? '' : ` (${MEANINGS[status]})`}`;

/** Without compression, so that the bytes are those of the file. @throws DOWNLOAD_FAILED, the signal's reason */
async function request(url: string, file: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), 'accept-encoding': 'identity' };
  try {
    return await fetch(url, { ...init, headers, signal, redirect: 'manual' });
  } catch (thrown) {
    signal.throwIfAborted();
    throw failed(url, file, connectionReason(thrown), thrown);
  }
}

/** `fetch` hides the system's error in a cause. */
export function connectionReason(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = errnoOf(cause);
  return CONNECTION_ERRORS[code] ?? (code === 'unknown' ? 'connection lost' : code);
}

export function failed(url: string, file: string, reason: string, cause?: unknown): VaultgraphError {
  return new VaultgraphError('DOWNLOAD_FAILED', { host: hostOf(url), file, reason }, { cause });
}
