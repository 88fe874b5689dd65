// Adds a store in memory to the catalog: a folder and a line, and the whole server works on it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openGraphCore } from '../../src/app/graph-core.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import { readConfig } from '../../src/config/config.ts';
import { providerCatalog } from '../../src/providers/catalog.ts';
import { createMemoryStore } from '../contracts/memory-store.ts';
import { placeFor } from '../lifecycle/sample-providers.ts';

test('a third store takes a folder and a line in the catalog', async (context) => {
  const place = placeFor(context);
  const file = place.write(`vault: { path: ${JSON.stringify(place.vault)} }\nproviders: { store: { type: memory } }\n`);
  const sources = place.sources({ config: file, dataDir: join(place.home, 'data') });
  const config = await readConfig(sources, [...providerCatalog, createMemoryStore()]);
  const core = await openGraphCore(config, () => undefined);
  try {
    const { id } = await core.indexer.start({ kind: 'catch_up' });
    const { state } = await core.indexer.ended(id, NEVER);
    assert.equal(state, 'succeeded');
    const { structured } = await core.call(
      'status',
      {},
      { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: '' },
    );
    assert.match(JSON.stringify(structured), /"capability":"store","type":"memory"/);
    assert.equal(existsSync(join(config.dataFolder, 'index.db')), false);
  } finally {
    await core.close();
  }
});
