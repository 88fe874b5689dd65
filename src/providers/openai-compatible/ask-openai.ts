// The requests of OpenAI's wire whose answers come whole, each with the shape it must have. Tries nothing twice.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { type Attempt, beginAttempt } from '../model-server/attempt.ts';
import { badResponse, missingModel } from '../model-server/found-failures.ts';
import { type JsonRequest, sendJson } from '../model-server/send.ts';

const EMBEDDED = z.object({
  model: z.string().nullish(),
  data: z.array(z.object({ index: z.int().min(0), embedding: z.unknown() })),
});
const LISTED = z.object({ data: z.array(z.object({ id: z.string() })) });

export type Embedded = z.infer<typeof EMBEDDED>;

/** @param texts as they are to be sent. @throws PROVIDER_*, the signal's reason */
export async function askForVectors(
  texts: readonly string[],
  dimensions: number | undefined,
  attempt: Attempt,
): Promise<Embedded> {
  const { model } = attempt;
  // Who is not asked for numbers may send base64.
  const asked = { model, input: texts, encoding_format: 'float' };
  const body = dimensions === undefined ? asked : { ...asked, dimensions };
  try {
    return await ask({ path: '/embeddings', body }, EMBEDDED, attempt);
  } catch (thrown) {
    throw await withInstalled(thrown, attempt);
  }
}

/** The names of the models there; undefined where the server has no such list. @throws PROVIDER_*, the signal's reason */
export async function listModels(attempt: Attempt): Promise<readonly string[] | undefined> {
  try {
    const { data } = await ask({ path: '/models' }, LISTED, attempt);
    return data.map(({ id }) => id);
  } catch (thrown) {
    if (isCode(thrown, 'PROVIDER_ENDPOINT_UNSUPPORTED')) return undefined;
    throw thrown;
  }
}

async function ask<T>(request: JsonRequest, shape: z.ZodType<T>, attempt: Attempt): Promise<T> {
  const answer = shape.safeParse(await sendJson(request, attempt));
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw badResponse("an answer in OpenAI's shape", `another at \`${issue?.path.join('.') ?? ''}\``, attempt);
}

/** A missing model, with those that are there, where the server lists them; any other failure as it is. */
export async function withInstalled(thrown: unknown, attempt: Attempt): Promise<unknown> {
  if (!isCode(thrown, 'PROVIDER_MODEL_MISSING')) return thrown;
  const [listed] = await Promise.allSettled([listModels(beginAttempt(attempt, attempt.signal))]);
  attempt.signal.throwIfAborted();
  return listed.status === 'fulfilled' && listed.value !== undefined ? missingModel(attempt, listed.value) : thrown;
}

const isCode = (thrown: unknown, code: VaultgraphError['code']): boolean =>
  thrown instanceof VaultgraphError && thrown.code === code;
