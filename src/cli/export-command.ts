// `vaultgraph export`: the whole graph, one JSON line a note, for other programs. Knows nothing of how the index is kept.
import { once } from 'node:events';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

export function runExport(options: CommonOptions): Promise<number> {
  return withCore(options, async ({ store, indexer, exportedNotes }) => {
    const job = await bringUpToDate(indexer, { kind: 'catch_up' });
    const { signal } = new AbortController();
    for await (const note of exportedNotes(signal)) {
      if (!process.stdout.write(`${JSON.stringify(note)}\n`)) await once(process.stdout, 'drain');
    }
    const { quarantined } = await store.counts(signal);
    if (quarantined > 0) process.stderr.write(faultText(quarantined));
    return job.counts.failed > 0 ? EXIT.part : EXIT.done;
  });
}

/** What was left out has no line of its own, so it must be told here. */
function faultText(quarantined: number): string {
  return `${quarantined} in quarantine: \`faults\` in a line says why, \`vaultgraph status\` names also what has no line\n`;
}
