// Helpers for the Ollama embedding tests: a server on loopback, and the opened provider.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Opened, ProviderContext } from '../../../src/contracts/provider.ts';
import { ollamaEmbeddingProvider } from '../../../src/providers/ollama/ollama-providers.ts';
import { failureOf } from '../../contracts/model-law.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';

const context: ProviderContext = {
  vaultRoot: '/nowhere',
  dataFolder: '/nowhere',
  stateFolder: '/nowhere',
  log: () => undefined,
};

/** @param section what differs from a section with only its model and its endpoint */
export async function openOllama(origin: string, section: object = {}): Promise<Opened<EmbeddingProvider>> {
  const config = ollamaEmbeddingProvider.config.parse({ model: 'embeddinggemma', endpoint: origin, ...section });
  return ollamaEmbeddingProvider.open(config, context, new AbortController().signal);
}

export async function startAndOpen(
  test: TestContext,
  section: object = {},
  start: Parameters<typeof startOllama>[0] = {},
) {
  const server = await startOllama(start);
  test.after(() => server.close());
  const opened = await openOllama(server.origin, section);
  return { server, opened, provider: opened.capability };
}

/** Texts that a request body of any path held. */
export const sentTexts = ({ requests }: OllamaServer): string[] =>
  requests.flatMap(({ body }) => (Array.isArray(body?.input) ? body.input : []));

export async function failsWith(
  work: Promise<unknown>,
  code: ErrorCode,
  details: object = {},
): Promise<VaultgraphError> {
  const failure = await failureOf(work);
  assert.equal(failure.code, code);
  assert.deepEqual({ ...(failure.details as object), ...details }, failure.details);
  return failure;
}
