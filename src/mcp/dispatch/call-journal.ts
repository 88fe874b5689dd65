// Records the calls: numbers for the metrics, the last failures, and the log fields of a failure.
import { repeatFailure, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { LogFields } from '../../base/log.ts';
import type { ServerReport } from '../../contracts/tool.ts';
import { COUNTERS, type CounterName, createMetrics, type Metrics, shownMetrics } from '../metrics.ts';

const MAX_FAILURES = 50;

export interface CallJournal {
  readonly metrics: Metrics;
  /** Grows whenever a call begins or ends. */
  activity(): number;
  /** Whether a call is in progress. */
  isBusy(): boolean;
  /** From now on calls `listener`, instead of an earlier one, when a call begins. */
  onCall(listener: () => void): void;
  called(tool: string): void;
  /** @returns the failure of this call: one that several calls waited for together has another error id in each of them */
  failed(tool: string, error: VaultgraphError): VaultgraphError;
  /** Called for successes and failures. */
  took(tool: string, ms: number): void;
  /** Adds one to a counter, `late_results_dropped` or `retries_total{ollama,PROVIDER_BUSY}`; a name of no table is left alone. */
  count(name: string): void;
  /** Newest first, fifty at most. */
  failures(): ServerReport['failures'];
  /** Counters and gauges that are not 0: `calls_total{search_text}`, `errors_total{search_text,INVALID_INPUT}`, … */
  counters(): Readonly<Record<string, number>>;
  timings(): NonNullable<ServerReport['timings']>;
}

/** Begins empty; it lives as long as the process. */
export function createCallJournal(): CallJournal {
  const metrics = createMetrics();
  const failures: ServerReport['failures'][number][] = [];
  const reported = new WeakSet<VaultgraphError>();
  let activity = 0;
  let running = 0;
  let begins = (): void => undefined;
  return Object.freeze({
    metrics,
    count: (series: string) => {
      const [, name = '', labels] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
      if (Object.hasOwn(COUNTERS, name)) metrics.add(name as CounterName, ...(labels?.split(',') ?? []));
    },
    activity: () => activity,
    isBusy: () => running > 0,
    onCall: (listener: () => void) => {
      begins = listener;
    },
    called: (tool: string) => {
      activity += 1;
      running += 1;
      begins();
      metrics.add('calls_total', tool);
    },
    took: (tool: string, ms: number) => {
      activity += 1;
      running -= 1;
      metrics.observe('call_ms', ms, tool);
    },
    failed: (tool: string, shared: VaultgraphError) => {
      const error = reported.has(shared) ? repeatFailure(shared) : shared;
      reported.add(error);
      const { code, errorId } = error;
      metrics.add('errors_total', tool, code);
      failures.unshift({ time: new Date().toISOString(), tool, code, error_id: errorId });
      failures.splice(MAX_FAILURES);
      return error;
    },
    failures: () => [...failures],
    counters: () => shownMetrics(metrics).counters,
    timings: () => shownMetrics(metrics).timings,
  });
}

/** Runs one call of a tool and counts it. @throws the failure of `work`, always as a VaultgraphError */
export async function counted<T>(journal: CallJournal, tool: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  journal.called(tool);
  try {
    return await work();
  } catch (thrown) {
    throw journal.failed(tool, toVaultgraphError(thrown));
  } finally {
    journal.took(tool, performance.now() - started);
  }
}

/** Enough to find the line of a bug. */
const MAX_FRAMES = 5;

/**
 * Fields for the record. The cause is named by its class, its code and the places it passed: a message may quote a note,
 * and a source path is cut to its last two segments, because the ones before may contain the user's name.
 */
export function failureFields(error: VaultgraphError): LogFields {
  const cause = rootCause(error);
  return {
    error_id: error.errorId,
    code: error.code,
    category: error.category,
    ...(cause === error ? {} : { cause: cause.name, cause_code: codeOf(cause) }),
    ...(error.code === 'INTERNAL' ? { kind: detailOf(error), frames: framesOf(cause) } : {}),
  };
}

function rootCause(error: Error): Error {
  return error.cause instanceof Error && error.cause !== error ? rootCause(error.cause) : error;
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function detailOf({ details }: VaultgraphError): string | undefined {
  return 'kind' in details ? details.kind : undefined;
}

function framesOf({ stack = '' }: Error): string {
  const places = stack.split('\n').flatMap((line) => /([^/\\() ]+[/\\][^/\\()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  return places.slice(0, MAX_FRAMES).join(' < ');
}
