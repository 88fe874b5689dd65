// `vaultgraph index`: brings the index up to date and says what it found. Knows nothing of how the index is kept.
import type { IndexJob } from '../contracts/indexer.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

interface IndexOptions extends CommonOptions {
  readonly rebuild?: boolean;
  readonly confirm?: boolean;
}

export function runIndex(options: IndexOptions): Promise<number> {
  return withCore(options, async ({ indexer }) => {
    const kind = options.rebuild ? 'rebuild' : 'catch_up';
    const job = await bringUpToDate(indexer, { kind, confirmed: options.confirm ?? false });
    process.stdout.write(options.json ? `${JSON.stringify(jobJson(job))}\n` : jobText(job));
    return job.counts.failed > 0 ? EXIT.part : EXIT.done;
  });
}

function jobJson(job: IndexJob): object {
  const failed = job.failures.map(({ id, error: { code, message, hint, retryable } }) => ({
    id,
    error: { code, message, hint, retryable },
  }));
  return { id: job.id, kind: job.kind, state: job.state, counts: job.counts, failed };
}

function jobText(job: IndexJob): string {
  const { listed, indexed, failed, removed } = job.counts;
  const rows = job.failures.map(({ id, error }) => `  ${id}: [${error.code}] ${error.message}\n`);
  return `${job.state}: ${listed} files, ${indexed} indexed, ${removed} removed, ${failed} failed\n${rows.join('')}`;
}
