// `vaultgraph doctor --rebuild-index`: moves the index aside, builds a new one and prints where the old one is.
import type { VaultgraphError } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import { bringUpToDate, embeddingEnded } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { configFor } from './config-for.ts';
import { withCore } from './with-core.ts';

export async function rebuildIndex(options: CommonOptions): Promise<void> {
  const { sections, vaultRoot, dataFolder } = await configFor(options);
  const log = createLog('warn', (line) => process.stderr.write(line));
  for (const { provider, config } of sections) {
    const kept = await provider.setAside?.(config, { vaultRoot, dataFolder, log });
    if (kept !== undefined) process.stderr.write(`the index before was moved to ${kept}\n`);
  }
  await withCore(options, async ({ indexer }) => {
    await bringUpToDate(indexer, { kind: 'catch_up' }, options);
    const embedding = await embeddingEnded(indexer, options);
    if (embedding?.error) process.stderr.write(withoutVectors(embedding.error));
  });
}

/** The index itself is complete again; later checks report what is wrong with the provider. */
function withoutVectors({ code, message, hint }: VaultgraphError): string {
  return `the vectors are not complete: [${code}] ${message}\nHint: ${hint}\n`;
}
