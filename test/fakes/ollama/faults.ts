// The refusals of a real Ollama, with its messages, and answers with bad vectors.
import { type Fault, jsonAnswer, textAnswer } from '../http/exchange.ts';
import { empty, instead } from '../http/faults.ts';
import { vectorFaults } from '../http/vector-faults.ts';
import { missingModel } from './embed.ts';

/** Any rejection; `retryAfter` is sent as the header without change. */
export function says(status: number, error: string, retryAfter?: string): Fault {
  const answer = jsonAnswer(status, { error });
  return instead(
    retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } },
  );
}

export const modelMissing = (name = 'embeddinggemma'): Fault => instead(missingModel(name));
/** As worded by `chat`, `generate` and `show`. */
export const modelMissingQuoted = (name = 'embeddinggemma'): Fault => says(404, `model '${name}' not found`);
export const noSuchPath = (): Fault => instead(textAnswer(404, '404 page not found'));
export const wrongMethod = (): Fault => instead(textAnswer(405, '405 method not allowed'));
export const busy = (retryAfter?: string): Fault =>
  says(503, 'server busy, please try again.  maximum pending requests exceeded', retryAfter);
export const rateLimited = (retryAfter?: string): Fault => says(429, 'too many requests', retryAfter);
export const unauthorized = (): Fault => says(401, 'unauthorized');
export const forbidden = (): Fault => empty(403);
export const tooLong = (): Fault => says(400, 'the input length exceeds the context length');
export const tooLongToCut = (): Fault =>
  says(400, 'input exceeds maximum context length and cannot be truncated further');
export const crashed = (): Fault => says(400, 'do embedding request: Post "http://127.0.0.1:39211/v1/embeddings": EOF');
export const notANumber = (): Fault => says(400, 'embedding contains NaN or Inf values');
export const cannotEmbed = (name = 'embeddinggemma'): Fault => says(400, `"${name}" does not support embeddings`);
export const loadFailed = (): Fault => says(500, 'llama-server process has terminated: signal: killed');
export const cancelledInQueue = (): Fault => says(499, 'request canceled');

export const vectors = vectorFaults((body, change) => ({ ...body, embeddings: change(body.embeddings) }));
