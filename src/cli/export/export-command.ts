// `vaultgraph export`: prints the whole graph to stdout for other programs.
import { once } from 'node:events';
import { caughtUp } from '../bring-up-to-date.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { withCore } from '../with-core.ts';
import { exportText, type FormatName } from './export-text.ts';

export interface ExportOptions extends CommonOptions {
  readonly format: FormatName;
}

export function runExport(options: ExportOptions): Promise<number> {
  return withCore(options, async (core) => {
    const { store, indexer } = core;
    const { signal } = new AbortController();
    const job = await caughtUp(indexer, options);
    if (job.error !== undefined) throw job.error;
    for await (const text of exportText(options.format, core, signal)) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    }
    const { quarantined } = await store.counts(signal);
    if (quarantined > 0) process.stderr.write(faultText(quarantined));
    return job.counts.failed > 0 ? EXIT.part : EXIT.done;
  });
}

/** Warns about notes that the export omits. */
function faultText(quarantined: number): string {
  return `${quarantined} in quarantine: \`faults\` in a line says why, \`vaultgraph status\` names also what has no line\n`;
}
