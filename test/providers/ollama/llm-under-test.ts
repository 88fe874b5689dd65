// Helpers for the Ollama language-model tests: a server on loopback with a chat model, and the opened provider.
import type { TestContext } from 'node:test';
import type { LLMProvider } from '../../../src/contracts/llm.ts';
import type { Opened, ProviderContext } from '../../../src/contracts/provider.ts';
import { ollamaLlmProvider } from '../../../src/providers/ollama/ollama-providers.ts';
import { HARBOUR } from '../../contracts/llm/law.ts';
import type { LoggedRequest } from '../../fakes/http/exchange.ts';
import { CHATTING, type ModelSettings } from '../../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';

const context: ProviderContext = {
  vaultRoot: '/nowhere',
  dataFolder: '/nowhere',
  stateFolder: '/nowhere',
  log: () => undefined,
};

export const CHAT = '/api/chat';
export const healthy = (): string => JSON.stringify(HARBOUR);

/** @param section what differs from a section with only its model and its endpoint */
export async function openLLM(origin: string, section: object = {}): Promise<Opened<LLMProvider>> {
  const config = ollamaLlmProvider.config.parse({ model: 'llama3.2', endpoint: origin, ...section });
  return ollamaLlmProvider.open(config, context, new AbortController().signal);
}

/** @param model what differs from a healthy one that chats */
export async function startAndOpen(test: TestContext, section: object = {}, model: Partial<ModelSettings> = {}) {
  const server = await startOllama({ models: [{ ...CHATTING, ...model }], script: healthy });
  test.after(() => server.close());
  const opened = await openLLM(server.origin, section);
  return { server, opened, provider: opened.capability };
}

export const chatsOf = (server: OllamaServer): readonly LoggedRequest[] => server.requestsTo(CHAT);
