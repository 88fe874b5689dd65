// Asks an Ollama server one thing through its own package. The only file that knows that package.
import type { Ollama } from 'ollama';
import type * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { inShape } from '../model-server/found-failures.ts';
import { guardedFetch } from '../model-server/send.ts';

/**
 * The answer in the shape expected: the package's types promise what no server is held to. One client for one call, which
 * ends with the attempt's signal; it holds no socket.
 * @throws PROVIDER_*, the signal's reason
 */
export async function askOllama<T>(
  attempt: Attempt,
  shape: z.ZodType<T>,
  ask: (client: Ollama) => Promise<unknown>,
): Promise<T> {
  // Loaded at the first question, so that a start does not wait for it.
  const { Ollama } = await import('ollama');
  const { endpoint, headers } = attempt;
  const client = new Ollama({ host: endpoint, headers: { ...headers }, fetch: guardedFetch(attempt) });
  return inShape(shape, await ask(client), attempt);
}
