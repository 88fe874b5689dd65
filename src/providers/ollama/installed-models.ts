// Which models an Ollama server has, and what each can do. Sends no text and loads nothing.
import * as z from 'zod';
import type { ProviderDetails } from '../../base/errors.ts';
import { beginAttempt } from '../model-server/attempt.ts';
import { askOllama } from './ask-ollama.ts';
import { TYPE } from './ollama-server.ts';

const REMOTE = z.object({ remote_host: z.string().optional(), remote_model: z.string().optional() });
const TAGS = z.object({ models: z.array(REMOTE.extend({ name: z.string() })).nullable() });
const SHOW = REMOTE.extend({ capabilities: z.array(z.string()).optional() });
const NEEDED = { embedding: 'embedding', llm: 'completion' } as const;

/** The names of those that can serve the capability and run on that machine, as the server lists them. @throws PROVIDER_* */
export async function installedModels(
  capability: ProviderDetails['capability'],
  endpoint: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const attempt = () => beginAttempt({ capability, provider: TYPE, endpoint, model: '', headers: {} }, signal);
  const { models } = await askOllama(attempt(), TAGS, (client) => client.list());
  const found: string[] = [];
  for (const { name, ...listed } of models ?? []) {
    const shown = await askOllama(attempt(), SHOW, (client) => client.show({ model: name }));
    const isHere = [listed, shown].every(({ remote_host, remote_model }) => !remote_host && !remote_model);
    if (isHere && shown.capabilities?.includes(NEEDED[capability])) found.push(name);
  }
  return found;
}
