// What every Ollama server is, whatever its models are asked for: its name in the config and its first sign of life.
import * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { askOllama } from './ask-ollama.ts';

export const TYPE = 'ollama';
/** It reads a list in memory; whoever asks is waiting for something else meanwhile. */
export const LOADED_LIMIT_MS = 1_500;

const VERSION = z.object({ version: z.string() });

/** One line for a person. @throws PROVIDER_*, the signal's reason */
export async function reachOllama(attempt: Attempt): Promise<string> {
  const { version } = await askOllama(attempt, VERSION, (client) => client.version());
  return `Ollama ${version} answers at ${attempt.endpoint}`;
}
