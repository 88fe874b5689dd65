// Opens this provider for its tests, from a config section and with a fake server that ends with the test.
import type { TestContext } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createLog } from '../../../src/base/log.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Opened } from '../../../src/contracts/provider.ts';
import { openaiEmbeddingProvider } from '../../../src/providers/openai-compatible/openai-providers.ts';
import { inputs, never, newCall } from '../../contracts/embedding/law.ts';
import { type OpenaiServer, startOpenai } from '../../fakes/openai-server.ts';

export type Section = Readonly<Record<string, unknown>>;

export function open(section: Section): Promise<Opened<EmbeddingProvider>> {
  const config = openaiEmbeddingProvider.config.parse({ model: 'embeddinggemma', ...section });
  const context = {
    vaultRoot: '/nowhere',
    dataFolder: '/nowhere',
    stateFolder: '/nowhere',
    log: createLog('error', () => undefined),
  };
  return openaiEmbeddingProvider.open(config, context, never);
}

export interface Opening {
  readonly server: OpenaiServer;
  readonly provider: EmbeddingProvider;
  readonly opened: Opened<EmbeddingProvider>;
}

/** @param section beside the endpoint */
export async function opened(
  context: TestContext,
  settings: Parameters<typeof startOpenai>[0] = {},
  section: Section = {},
): Promise<Opening> {
  const server = await startOpenai(settings);
  context.after(() => server.close());
  const opened = await open({ endpoint: server.endpoint, ...section });
  return { server, opened, provider: opened.capability };
}

/** What embedding the texts fails with. */
export async function failureOf(
  provider: EmbeddingProvider,
  texts: readonly string[] = ['a text of a note'],
  signal: AbortSignal = never,
): Promise<VaultgraphError> {
  const [ended] = await Promise.allSettled([provider.embed(inputs(...texts), 'document', newCall(), signal)]);
  if (ended.status === 'rejected' && ended.reason instanceof VaultgraphError) return ended.reason;
  throw new Error('it was answered, or failed without a code', { cause: ended });
}

export const detailsOf = (failure: VaultgraphError): Readonly<Record<string, unknown>> =>
  failure.details as unknown as Record<string, unknown>;
