// Sends one request to a server of models and reads its whole answer, or fails with what the table says. Tries nothing twice.
import { type Attempt, beginRequest, endRequest } from './attempt.ts';
import { lostFailure, refusalFailure } from './failure-table.ts';
import { saidIn } from './foreign-text.ts';
import { badResponse } from './found-failures.ts';

/** Sixteen vectors of the largest model known are two of them; beyond this, somebody is filling our memory. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface JsonRequest {
  /** Behind the endpoint, `/embeddings`. */
  readonly path: string;
  /** With it the request is a POST, without it a GET. */
  readonly body?: object;
}

/** The answer's JSON, of whatever shape, without an error in it. @throws PROVIDER_*, the signal's reason */
export async function sendJson(request: JsonRequest, attempt: Attempt): Promise<unknown> {
  return wholeAnswer(await openAnswer(...wired(request, attempt), attempt), attempt);
}

/**
 * The same for a package that brings its own requests: nothing but success reaches it, because what packages do with
 * failures differs, down to printing them. Its answers are parsed once, here; only `json()` reads them.
 */
export function guardedFetch(attempt: Attempt): typeof fetch {
  return async (target, init = {}) => {
    const answer = await wholeAnswer(await openAnswer(target, init, attempt), attempt);
    return Object.assign(new Response(null), { json: async () => answer });
  };
}

/** The fetch arguments of a request. */
export function wired({ path, body }: JsonRequest, { endpoint, headers }: Attempt): [string, RequestInit] {
  const accept = { accept: 'application/json' };
  if (body === undefined) return [`${endpoint}${path}`, { headers: { ...accept, ...headers } }];
  const sent = { ...accept, 'content-type': 'application/json', ...headers };
  return [`${endpoint}${path}`, { method: 'POST', headers: sent, body: JSON.stringify(body) }];
}

/** An answer that began with success; its body is still to be read. @throws PROVIDER_*, the signal's reason */
export async function openAnswer(
  target: string | URL | Request,
  init: RequestInit,
  attempt: Attempt,
): Promise<Response> {
  const { signal, trace } = attempt;
  beginRequest(attempt);
  try {
    // A redirect is an answer like any other: texts go to the endpoint in the config and nowhere else.
    const reply = await fetch(target, { ...init, signal, redirect: 'manual' });
    if (trace !== undefined) trace.phase = 'body';
    if (!reply.ok) throw await refused(reply, attempt);
    return reply;
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
}

async function refused(reply: Response, attempt: Attempt): Promise<unknown> {
  const { status, headers, url } = reply;
  const body = await readWhole(reply, attempt);
  return refusalFailure({ status, body, path: new URL(url).pathname, retryAfter: headers.get('retry-after') }, attempt);
}

async function wholeAnswer(reply: Response, attempt: Attempt): Promise<unknown> {
  const text = await readOrLose(reply, attempt);
  const answer = parseJson(text, attempt, reply.headers.get('content-type'));
  const hasError = typeof answer === 'object' && answer !== null && 'error' in answer && Boolean(answer.error);
  if (hasError) throw badResponse('an answer', `the error ${JSON.stringify(saidIn(text))}`, attempt);
  endRequest(attempt);
  return answer;
}

async function readOrLose(reply: Response, attempt: Attempt): Promise<string> {
  try {
    return await readWhole(reply, attempt);
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
}

/** Dies with the signal that the request was made with. */
async function readWhole(reply: Response, attempt: Attempt): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, and so closes the socket.
    if (bytes > MAX_BYTES) throw badResponse(`at most ${MAX_BYTES} bytes`, 'more', attempt);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** @throws PROVIDER_BAD_RESPONSE */
export function parseJson(text: string, attempt: Attempt, contentType?: string | null): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Its message quotes the answer, so it is not made a cause.
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const kind = contentType?.split(';')[0];
    const received = text === '' ? 'an empty body' : `what is none${kind === undefined ? '' : ` (${kind})`}`;
    throw badResponse('JSON', received, attempt);
  }
}
