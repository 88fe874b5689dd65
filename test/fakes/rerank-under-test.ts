// Opens the rerank provider on a fake server that ends with the test.
import type { TestContext } from 'node:test';
import type { Opened } from '../../src/contracts/provider.ts';
import type { RerankProvider } from '../../src/contracts/rerank.ts';
import { rerankServerProvider } from '../../src/providers/rerank-server/rerank-provider.ts';
import { never } from '../contracts/embedding/law.ts';
import { type RerankServer, startReranker } from './rerank-server.ts';

export const MODEL = 'bge-reranker';

export function openReranker(section: object): Promise<Opened<RerankProvider>> {
  const config = rerankServerProvider.config.parse(section);
  const nowhere = { vaultRoot: '/nowhere', dataFolder: '/nowhere', stateFolder: '/nowhere' };
  return rerankServerProvider.open(config, { ...nowhere, log: () => undefined }, never);
}

/** The section without other keys for a server of that wire. */
export const sectionFor = (wire: 'cohere' | 'tei', { endpoint }: Pick<RerankServer, 'endpoint'>) =>
  wire === 'cohere' ? { wire, endpoint, model: MODEL } : { wire, endpoint };

export async function opened(
  test: TestContext,
  settings: Parameters<typeof startReranker>[0] = {},
  section: object = {},
) {
  const server = await startReranker({ model: MODEL, ...settings });
  test.after(() => server.close());
  const { capability: provider, probe } = await openReranker({
    ...sectionFor(settings.wire ?? 'cohere', server),
    ...section,
  });
  return { server, provider, probe };
}
