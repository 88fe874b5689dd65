// Requests to an Ollama server through its package: version, installed models, loaded models.
import type { Ollama } from 'ollama';
import * as z from 'zod';
import { type Attempt, beginAttempt } from '../model-server/attempt.ts';
import { inShape } from '../model-server/failures.ts';
import { guardedFetch } from '../model-server/send.ts';

export const TYPE = 'ollama';

/** Present for a model that another machine runs. */
export const REMOTE = z.object({ remote_host: z.string().optional(), remote_model: z.string().optional() });
const VERSION = z.object({ version: z.string() });
const LOADED = z.object({ models: z.array(z.object({ name: z.string() })).nullable() });
const TAGS = z.object({ models: z.array(REMOTE.extend({ name: z.string() })).nullable() });
const SHOW = REMOTE.extend({ capabilities: z.array(z.string()).optional() });
/** The capability in Ollama's words. */
const OLLAMA_CAPABILITY = { embedding: 'embedding', llm: 'completion' } as const;

/**
 * Checks the answer's shape, because the package's types are not checked at run time. Creates one client for each call, which ends
 * with the attempt's signal and holds no socket.
 * @throws PROVIDER_*, the signal's reason
 */
export async function callOllama<T>(
  attempt: Attempt,
  shape: z.ZodType<T>,
  request: (client: Ollama) => Promise<unknown>,
): Promise<T> {
  // Loaded with the first request, so that the server starts without it.
  const { Ollama } = await import('ollama');
  const { endpoint, headers } = attempt;
  const client = new Ollama({ host: endpoint, headers: { ...headers }, fetch: guardedFetch(attempt) });
  return inShape(shape, await request(client), attempt);
}

/** One line of text for the user. @throws PROVIDER_*, the signal's reason */
export async function reachOllama(attempt: Attempt): Promise<string> {
  const { version } = await callOllama(attempt, VERSION, (client) => client.version());
  return `Ollama ${version} answers at ${attempt.endpoint}`;
}

/** Whether the model is in the server's memory. Loads nothing. @throws PROVIDER_*, the signal's reason */
export async function isLoaded(attempt: Attempt): Promise<boolean> {
  const { models } = await callOllama(attempt, LOADED, (client) => client.ps());
  return (models ?? []).some(({ name }) => isSameModel(name, attempt.model));
}

/** The names of the installed models that have the capability and run on that machine. Loads nothing. @throws PROVIDER_* */
export async function installedModels(
  capability: keyof typeof OLLAMA_CAPABILITY,
  endpoint: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const attempt = () => beginAttempt({ capability, provider: TYPE, endpoint, model: '', headers: {} }, signal);
  const { models } = await callOllama(attempt(), TAGS, (client) => client.list());
  const found: string[] = [];
  for (const { name, ...listed } of models ?? []) {
    const shown = await callOllama(attempt(), SHOW, (client) => client.show({ model: name }));
    const isLocal = [listed, shown].every(({ remote_host, remote_model }) => !remote_host && !remote_model);
    if (isLocal && shown.capabilities?.includes(OLLAMA_CAPABILITY[capability])) found.push(name);
  }
  return found;
}

/** The part of a name that Ollama's own list omits. */
const DEFAULT_REGISTRY = /^(?:registry\.ollama\.ai\/)?(?:library\/)?/;
const DEFAULT_TAG = ':latest';

/** Ignores case, the default registry and the default tag. */
export const isSameModel = (one: string, other: string): boolean => fullName(one) === fullName(other);

function fullName(name: string): string {
  const short = name.toLowerCase().replace(DEFAULT_REGISTRY, '');
  return /:[^/]*$/.test(short) ? short : short + DEFAULT_TAG;
}
