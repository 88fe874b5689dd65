// Asks an Ollama server whether a model is in its memory. Loads nothing.
import * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { askOllama } from './ask-ollama.ts';
import { isSameModel } from './model-name.ts';

const LOADED = z.object({ models: z.array(z.object({ name: z.string() })).nullable() });

/** @throws PROVIDER_*, the signal's reason */
export async function isLoaded(attempt: Attempt): Promise<boolean> {
  const { models } = await askOllama(attempt, LOADED, (client) => client.ps());
  return (models ?? []).some(({ name }) => isSameModel(name, attempt.model));
}
