// Opens this provider's language model for its tests, from a config section and with a fake server that ends with the test.
import type { TestContext } from 'node:test';
import type { LLMProvider } from '../../../src/contracts/llm.ts';
import type { Opened } from '../../../src/contracts/provider.ts';
import { openaiLlmProvider } from '../../../src/providers/openai-compatible/openai-providers.ts';
import { HARBOUR, never } from '../../contracts/llm/law.ts';
import { startOpenai } from '../../fakes/openai-server.ts';

export const CHAT = '/v1/chat/completions';
export const MODEL = 'qwen3-8b';
export const healthy = (): string => JSON.stringify(HARBOUR);

export function open(section: object): Promise<Opened<LLMProvider>> {
  const config = openaiLlmProvider.config.parse({ model: MODEL, ...section });
  return openaiLlmProvider.open(
    config,
    { vaultRoot: '/nowhere', dataFolder: '/nowhere', stateFolder: '/nowhere', log: () => undefined },
    never,
  );
}

export async function opened(
  test: TestContext,
  settings: Parameters<typeof startOpenai>[0] = {},
  section: object = {},
) {
  const server = await startOpenai({ model: MODEL, contextTokens: 8_192, script: healthy, ...settings });
  test.after(() => server.close());
  const { capability: provider, probe } = await open({ endpoint: server.endpoint, ...section });
  return { server, provider, probe };
}
