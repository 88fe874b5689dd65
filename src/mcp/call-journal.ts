// Counts what was called and keeps the last failures, for `status`. Knows nothing of how a call is made.
import type { VaultgraphError } from '../base/errors.ts';
import type { ServerReport } from '../contracts/tool.ts';

const MOST_FAILURES = 50;

export interface CallJournal {
  called(tool: string): void;
  failed(tool: string, error: VaultgraphError): void;
  /** Adds one to a counter without labels, `late_results_dropped` or `stdout_violations`. */
  count(name: string): void;
  /** Newest first, fifty at most. */
  failures(): ServerReport['failures'];
  /** `calls_total{search_text}`, `errors_total{search_text,INVALID_INPUT}`, … */
  counters(): Readonly<Record<string, number>>;
}

/** Begins empty; it lives as long as the process. */
export function createCallJournal(): CallJournal {
  const counters = new Map<string, number>();
  const failures: ServerReport['failures'][number][] = [];
  const count = (name: string): void => {
    counters.set(name, (counters.get(name) ?? 0) + 1);
  };
  return Object.freeze({
    count,
    called: (tool: string) => count(`calls_total{${tool}}`),
    failed: (tool: string, { code, errorId }: VaultgraphError) => {
      count(`errors_total{${tool},${code}}`);
      failures.unshift({ time: new Date().toISOString(), tool, code, error_id: errorId });
      failures.splice(MOST_FAILURES);
    },
    failures: () => [...failures],
    counters: () => Object.fromEntries([...counters].sort(([a], [b]) => (a < b ? -1 : 1))),
  });
}
