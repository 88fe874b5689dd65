// Sends one request to a model server and reads its answer, whole or line by line. Retries nothing.
import { parsedJson } from '../../base/plain-object.ts';
import { type Attempt, beginRequest, endRequest } from './attempt.ts';
import { badResponse, lostFailure, refusalFailure, serverMessage } from './failures.ts';
import type { HttpRequest, Reply } from './transport.ts';

/** Twice the size of sixteen vectors of the largest known model. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A line of progress or of a few words has some hundred characters. */
const MAX_LINE_BYTES = 1_000_000;

export interface JsonRequest {
  /** Appended to the endpoint, `/embeddings`. */
  readonly path: string;
  /** With a body the request is a POST, without one a GET. */
  readonly body?: object;
}

/** The answer's JSON, of any shape, but without an error in it. @throws PROVIDER_*, the signal's reason */
export async function sendJson(request: JsonRequest, attempt: Attempt): Promise<unknown> {
  return readAnswer(await openRequest(request, attempt), attempt);
}

/** A successful answer whose body is still to be read. @throws PROVIDER_*, EGRESS_BLOCKED, the signal's reason */
export function openRequest({ path, body }: JsonRequest, attempt: Attempt): Promise<Reply> {
  const headers = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...attempt.headers,
  };
  const request = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
  return openReply(`${attempt.endpoint}${path}`, { ...request, headers }, attempt);
}

/**
 * A `fetch` for a package that makes its own requests. Only successful answers reach the package, because packages handle failures
 * in different ways, such as printing them. The answer is parsed here, and only `json()` can read it.
 */
export function guardedFetch(attempt: Attempt): typeof fetch {
  return async (target, { method = 'GET', headers, body } = {}) => {
    const request = { method, headers: Object.fromEntries(new Headers(headers)) };
    const reply = await openReply(String(target), typeof body === 'string' ? { ...request, body } : request, attempt);
    const answer = await readAnswer(reply, attempt);
    return Object.assign(new Response(null), { json: async () => answer });
  };
}

async function openReply(url: string, request: HttpRequest, attempt: Attempt): Promise<Reply> {
  const { trace } = attempt;
  beginRequest(attempt);
  try {
    // Loaded with the first request: Node's HTTP modules take a tenth of the start.
    const { sendRequest } = await import('./transport.ts');
    const reply = await sendRequest(url, request, attempt);
    if (trace !== undefined) trace.phase = 'body';
    if (reply.status < 200 || reply.status > 299) throw await refusal(url, reply, attempt);
    return reply;
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
}

async function refusal(url: string, reply: Reply, attempt: Attempt): Promise<unknown> {
  const body = await readText(reply, attempt);
  const { status } = reply;
  return refusalFailure(
    { status, body, path: new URL(url).pathname, retryAfter: reply.header('retry-after') },
    attempt,
  );
}

async function readAnswer(reply: Reply, attempt: Attempt): Promise<unknown> {
  const text = await readText(reply, attempt).catch((thrown: unknown) => {
    throw lostFailure(thrown, attempt);
  });
  const answer = parseJson(text, attempt, reply.header('content-type'));
  const hasError = typeof answer === 'object' && answer !== null && 'error' in answer && Boolean(answer.error);
  if (hasError) throw badResponse('an answer', `the error ${JSON.stringify(serverMessage(text))}`, attempt);
  endRequest(attempt);
  return answer;
}

/** Ends with the signal that the request was made with. */
async function readText(reply: Reply, attempt: Attempt): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of reply.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, which closes the socket.
    if (bytes > MAX_BYTES) throw badResponse(`at most ${MAX_BYTES} bytes`, 'more', attempt);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Yields each line of an answer as soon as it is complete, without empty lines. @throws PROVIDER_BAD_RESPONSE, PROVIDER_UNAVAILABLE, the signal's reason */
export async function* bodyLines(reply: Reply, attempt: Attempt): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of reply.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (Buffer.byteLength(rest) > MAX_LINE_BYTES)
        throw badResponse(`lines of at most ${MAX_LINE_BYTES} bytes`, 'more', attempt);
      yield* lines.filter((line) => line.trim() !== '');
    }
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
  if (rest.trim() !== '') yield rest;
}

/** @throws PROVIDER_BAD_RESPONSE */
export function parseJson(text: string, attempt: Attempt, contentType?: string | null): unknown {
  const answer = parsedJson(text);
  if (answer !== undefined) return answer;
  const type = contentType?.split(';')[0];
  const received = text === '' ? 'an empty body' : `something else${type === undefined ? '' : ` (${type})`}`;
  throw badResponse('JSON', received, attempt);
}
