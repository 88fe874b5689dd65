// Runs laws of the contract of stores on a PostgreSQL server that is 5 ms away, and fewer of them 50 ms away.
import { after, before } from 'node:test';
import { changingLaws } from '../../contracts/store/changing.ts';
import { generationLaws } from '../../contracts/store/generations.ts';
import { createFreshLaw, createLaw, type StoreUnderTest } from '../../contracts/store/law.ts';
import { linkingLaws } from '../../contracts/store/linking.ts';
import { listingLaws } from '../../contracts/store/listing.ts';
import { searchingLaws } from '../../contracts/store/searching.ts';
import { sharingLaws } from '../../contracts/store/sharing.ts';
import { vectorLaws } from '../../contracts/store/vectors.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { startProxy, type TestProxy } from '../../postgresql/proxy.ts';
import type { TestServer } from '../../postgresql/server.ts';
import { openStore, type StoreConfig, storeConfig } from './postgres-index.ts';

function throughProxy(server: () => TestServer, ms: number) {
  let proxy: TestProxy;
  before(async () => {
    proxy = await startProxy(server());
    proxy.delay({ toServer: ms / 2, toClient: ms / 2 });
  });
  after(() => proxy.close());
  let schemas = 0;
  return () => {
    schemas += 1;
    const place = { host: proxy.host, port: proxy.port, schema: `law_${schemas}` };
    return openWithOthers(storeConfig(server(), 'postgres', place));
  };
}

async function openWithOthers(config: StoreConfig): Promise<StoreUnderTest> {
  const { store, close, release } = await openStore(config);
  return { store, again: () => openWithOthers(config), close, ...(release && { release }) };
}

describePostgres('5 ms away', (server) => {
  const open = throughProxy(server, 5);
  const law = createLaw(open);
  changingLaws(law);
  linkingLaws(law);
  listingLaws(law);
  searchingLaws(law);
  sharingLaws(createFreshLaw(open), open);
  generationLaws(law);
  vectorLaws(law);
});

describePostgres('50 ms away', (server) => {
  const open = throughProxy(server, 50);
  changingLaws(createLaw(open));
  sharingLaws(createFreshLaw(open), open);
});
