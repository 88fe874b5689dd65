// Requests to an OpenAI-compatible server: embeddings and the list of models. Retries nothing.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { type Attempt, beginAttempt } from '../model-server/attempt.ts';
import { inShape, missingModel } from '../model-server/failures.ts';
import { sendJson } from '../model-server/send.ts';
import { COUNT } from '../model-server/silent-cuts.ts';

export const TYPE = 'openai-compatible';

const EMBEDDED = z.object({
  model: z.string().nullish(),
  data: z.array(z.object({ index: z.int().min(0), embedding: z.unknown() })),
  usage: z.object({ prompt_tokens: COUNT }).nullish().catch(undefined),
});
const LISTED = z.object({ data: z.array(z.object({ id: z.string() })) });

export type EmbeddingAnswer = z.infer<typeof EMBEDDED>;

/** @param texts as they are to be sent. @throws PROVIDER_*, the signal's reason */
export async function requestVectors(
  texts: readonly string[],
  dimensions: number | undefined,
  attempt: Attempt,
): Promise<EmbeddingAnswer> {
  // Without `encoding_format` some servers send base64.
  const body = { model: attempt.model, input: texts, encoding_format: 'float', ...(dimensions && { dimensions }) };
  try {
    return inShape(EMBEDDED, await sendJson({ path: '/embeddings', body }, attempt), attempt);
  } catch (thrown) {
    throw await withInstalled(thrown, attempt);
  }
}

/** The server's models; undefined where it has no such list. @throws PROVIDER_*, the signal's reason */
export async function listModels(attempt: Attempt): Promise<readonly string[] | undefined> {
  try {
    const { data } = inShape(LISTED, await sendJson({ path: '/models' }, attempt), attempt);
    return data.map(({ id }) => id);
  } catch (thrown) {
    if (isCode(thrown, 'PROVIDER_ENDPOINT_UNSUPPORTED')) return undefined;
    throw thrown;
  }
}

/** Adds the installed models to PROVIDER_MODEL_MISSING where the server lists them; returns any other error unchanged. */
export async function withInstalled(thrown: unknown, attempt: Attempt): Promise<unknown> {
  if (!isCode(thrown, 'PROVIDER_MODEL_MISSING')) return thrown;
  const [listed] = await Promise.allSettled([listModels(beginAttempt(attempt, attempt.signal))]);
  attempt.signal.throwIfAborted();
  return listed.status === 'fulfilled' && listed.value !== undefined ? missingModel(attempt, listed.value) : thrown;
}

const isCode = (thrown: unknown, code: VaultgraphError['code']): boolean =>
  thrown instanceof VaultgraphError && thrown.code === code;
