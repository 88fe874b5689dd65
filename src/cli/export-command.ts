// `vaultgraph export`: the whole graph, one JSON line a note, for other programs. Knows nothing of how the index is kept.
import { once } from 'node:events';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

export function runExport(options: CommonOptions): Promise<number> {
  return withCore(options, async ({ indexer, exportedNotes }) => {
    const job = await bringUpToDate(indexer, { kind: 'catch_up' });
    for await (const note of exportedNotes(new AbortController().signal)) {
      if (!process.stdout.write(`${JSON.stringify(note)}\n`)) await once(process.stdout, 'drain');
    }
    return job.counts.failed > 0 ? EXIT.part : EXIT.done;
  });
}
