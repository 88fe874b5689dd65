// Everything that is counted and measured: names, labels, what they say.

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
}

/** Only ever grow. */
export const COUNTERS = Object.freeze({
  calls_total: { help: 'Tool calls that began.', labels: ['tool'] },
  errors_total: { help: 'Tool calls that failed.', labels: ['tool', 'code'] },
  retries_total: { help: 'Requests to a provider that were sent again.', labels: ['provider', 'code'] },
  lease_takeovers: { help: 'Times this process took over writing the index from one that stood still.', labels: [] },
  stdout_violations: { help: 'Writes to stdout by others than the protocol.', labels: [] },
  late_results_dropped: { help: 'Answers that came when nobody waited any more.', labels: [] },
}) satisfies Readonly<Record<string, Described>>;

/** As they stand when they are asked for. */
export const GAUGES = Object.freeze({
  breaker_state: { help: 'Of a provider: 0 closed, 1 open.', labels: ['capability'] },
  index_pending: { help: 'Notes that are changed and not indexed yet.', labels: [] },
  quarantined: { help: 'Notes that could not be indexed whole.', labels: [] },
}) satisfies Readonly<Record<string, Described>>;

/** In milliseconds. */
export const HISTOGRAMS = Object.freeze({
  call_ms: { help: 'Milliseconds that a tool call took.', labels: ['tool'] },
  provider_ms: { help: 'Milliseconds that a request to a provider took, with its waits.', labels: ['capability'] },
}) satisfies Readonly<Record<string, Described>>;

export type CounterName = keyof typeof COUNTERS;
export type GaugeName = keyof typeof GAUGES;
export type HistogramName = keyof typeof HISTOGRAMS;

/** Upper bounds in milliseconds; what took longer is counted in the total alone. */
export const BOUNDS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
