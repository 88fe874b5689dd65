// Counts what the server does, in numbers, gauges and histograms, and writes them in the text form of Prometheus.

/** In the order of the table, then of the labels' values. */
interface Series<Name, Value> {
  readonly name: Name;
  /** In the order of the labels' names. */
  readonly labels: readonly string[];
  readonly value: Value;
}

export interface Metrics {
  add(name: CounterName, ...labels: string[]): void;
  observe(name: HistogramName, ms: number, ...labels: string[]): void;
  /** What the gauges show from now on. */
  gauge(name: GaugeName, read: () => readonly (readonly [value: number, ...labels: string[]])[]): void;
  counters(): readonly Series<CounterName, number>[];
  gauges(): readonly Series<GaugeName, number>[];
  histograms(): readonly Series<HistogramName, Histogram>[];
}

export function createMetrics(): Metrics {
  const counts = new Map<CounterName, Map<string, number>>();
  const durations = new Map<HistogramName, Map<string, Histogram>>();
  const readings = new Map<GaugeName, Parameters<Metrics['gauge']>[1]>();
  return Object.freeze({
    add: (name: CounterName, ...labels: string[]) => {
      const values = valuesOf(counts, name);
      const key = keyOf(labels);
      values.set(key, (values.get(key) ?? 0) + 1);
    },
    observe: (name: HistogramName, ms: number, ...labels: string[]) => {
      const values = valuesOf(durations, name);
      const key = keyOf(labels);
      const histogram = values.get(key) ?? createHistogram();
      values.set(key, histogram);
      histogram.observe(ms);
    },
    gauge: (name, read) => void readings.set(name, read),
    counters: () => seriesOf(COUNTERS, counts),
    histograms: () => seriesOf(HISTOGRAMS, durations),
    gauges: () =>
      namesOf(GAUGES).flatMap((name) =>
        (readings.get(name)?.() ?? []).map(([value, ...labels]) => ({ name, labels, value })),
      ),
  } satisfies Metrics);
}

/** Such as `calls_total{search_text}`, as shown in `status`. */
function shownSeries({ name, labels }: Pick<Series<string, unknown>, 'name' | 'labels'>): string {
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
}

/**
 * What is worth a reader's time: nothing that is 0, nothing that never happened.
 * `counters`: counters and gauges that are not 0.
 * `timings`: one row per histogram that has values.
 */
export function shownMetrics(metrics: Metrics) {
  const rows = [...metrics.counters(), ...metrics.gauges()].filter(({ value }) => value !== 0);
  return {
    counters: Object.fromEntries(rows.map((row) => [shownSeries(row), row.value])),
    timings: metrics.histograms().map((row) => ({ of: shownSeries(row), ...row.value.summary() })),
  };
}

const SEPARATOR = '\0';
const keyOf = (labels: readonly string[]): string => labels.join(SEPARATOR);

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

function valuesOf<Name, Value>(all: Map<Name, Map<string, Value>>, name: Name): Map<string, Value> {
  const values = all.get(name) ?? new Map<string, Value>();
  all.set(name, values);
  return values;
}

function seriesOf<Name extends string, Value>(
  table: Readonly<Record<Name, unknown>>,
  all: ReadonlyMap<Name, ReadonlyMap<string, Value>>,
): Series<Name, Value>[] {
  return namesOf(table).flatMap((name) =>
    [...(all.get(name) ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => ({ name, labels: key === '' ? [] : key.split(SEPARATOR), value })),
  );
}

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
}

/** Never decrease. */
export const COUNTERS = Object.freeze({
  calls_total: { help: 'Tool calls started.', labels: ['tool'] },
  errors_total: { help: 'Tool calls that failed.', labels: ['tool', 'code'] },
  retries_total: { help: 'Requests to a provider that were sent again.', labels: ['provider', 'code'] },
  lease_takeovers: { help: 'Times this process took over the index lease from a process that stalled.', labels: [] },
  stdout_violations: { help: 'Writes to stdout that were not protocol messages.', labels: [] },
  late_results_dropped: { help: 'Answers that arrived after their caller had stopped waiting.', labels: [] },
}) satisfies Readonly<Record<string, Described>>;

/** Read when they are shown. */
const GAUGES = Object.freeze({
  breaker_state: { help: 'Circuit breaker of a provider: 0 closed, 1 open.', labels: ['capability'] },
  index_pending: { help: 'Changed notes that are not indexed yet.', labels: [] },
  quarantined: { help: 'Notes that could not be indexed completely.', labels: [] },
}) satisfies Readonly<Record<string, Described>>;

/** In milliseconds. */
const HISTOGRAMS = Object.freeze({
  call_ms: { help: 'Milliseconds that a tool call took.', labels: ['tool'] },
  provider_ms: { help: 'Milliseconds that a request to a provider took, with its waits.', labels: ['capability'] },
}) satisfies Readonly<Record<string, Described>>;

export type CounterName = keyof typeof COUNTERS;
type GaugeName = keyof typeof GAUGES;
type HistogramName = keyof typeof HISTOGRAMS;

/** Upper bounds in milliseconds; longer times are counted in the total only. */
export const BOUNDS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];

type Histogram = ReturnType<typeof createHistogram>;

const KEPT = 256;

export function createHistogram() {
  const buckets = new Array<number>(BOUNDS.length).fill(0);
  const last = new Float64Array(KEPT);
  let [count, sum, max] = [0, 0, 0];
  return Object.freeze({
    /** Milliseconds. */
    observe: (value: number) => {
      const bucket = BOUNDS.findIndex((bound) => value <= bound);
      if (bucket >= 0) buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      last[count % KEPT] = value;
      count += 1;
      sum += value;
      max = Math.max(max, value);
    },
    /** How many there were up to each of `BOUNDS`. */
    cumulated: () => {
      let upTo = 0;
      return buckets.map((some) => {
        upTo += some;
        return upTo;
      });
    },
    sum: () => sum,
    /** The quantiles are those of the last 256; the rest is of all. */
    summary: () => {
      const sorted = last.slice(0, Math.min(count, KEPT)).sort();
      return { count, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: Math.round(max) };
    },
  });
}

/** The least value that so many are not above. */
function quantile(sorted: Float64Array, share: number): number {
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}

// All metrics as the text that Prometheus reads (exposition format 0.0.4).

const PREFIX = 'vaultgraph_';

/**
 * Ends with a line end, as a reader of files demands.
 * @param vaults the metrics of several vaults by name; what they count of their calls is in `metrics` already
 */
export function exposition(metrics: Metrics, vaults: ReadonlyMap<string, Metrics> = new Map()): string {
  const all = <Value>(seriesOf: (one: Metrics) => readonly Series<string, Value>[]): Labelled<Value>[] => [
    ...seriesOf(metrics).map((series) => ({ ...series, own: [] })),
    ...[...vaults].flatMap(([name, one]) =>
      seriesOf(one)
        .filter((series) => !OF_CALLS.includes(series.name))
        .map((series) => ({ ...series, own: [['vault', name] as const] })),
    ),
  ];
  return [
    ...family(
      'counter',
      COUNTERS,
      all((one) => one.counters()),
      plainLines,
    ),
    ...family(
      'gauge',
      GAUGES,
      all((one) => one.gauges()),
      plainLines,
    ),
    ...family(
      'histogram',
      HISTOGRAMS,
      all((one) => one.histograms()),
      histogramLines,
    ),
    '',
  ].join('\n');
}

const OF_CALLS: readonly string[] = ['calls_total', 'errors_total', 'call_ms'];

interface Labelled<Value> extends Series<string, Value> {
  /** Labels that come first. */
  readonly own: Labels;
}

type Table = Readonly<Record<string, { readonly help: string; readonly labels: readonly string[] }>>;
type Labels = readonly (readonly [name: string, value: string])[];

/** A metric without labels is listed from the start, as 0. */
function family<Value>(
  type: string,
  table: Table,
  series: readonly Labelled<Value>[],
  lines: (name: string, labels: Labels, value: Value) => string[],
): string[] {
  return Object.entries(table).flatMap(([name, { help, labels }]) => {
    const named = series.filter((each) => each.name === name);
    const zero = named.length === 0 && labels.length === 0 && type === 'counter' ? [`${PREFIX}${name} 0`] : [];
    const rows = named.flatMap((each) =>
      lines(
        `${PREFIX}${name}`,
        [...each.own, ...each.labels.map((value, at): [string, string] => [labels[at] ?? 'label', value])],
        each.value,
      ),
    );
    if (rows.length + zero.length === 0) return [];
    return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} ${type}`, ...zero, ...rows];
  });
}

const plainLines = (name: string, labels: Labels, value: number): string[] => [`${name}${braces(labels)} ${value}`];

function histogramLines(name: string, labels: Labels, histogram: Histogram): string[] {
  const { count } = histogram.summary();
  const bucket = (bound: number | '+Inf', upTo: number): string =>
    `${name}_bucket${braces([...labels, ['le', String(bound)]])} ${upTo}`;
  return [
    ...histogram.cumulated().map((upTo, at) => bucket(BOUNDS[at] ?? '+Inf', upTo)),
    bucket('+Inf', count),
    `${name}_sum${braces(labels)} ${histogram.sum()}`,
    `${name}_count${braces(labels)} ${count}`,
  ];
}

function braces(labels: Labels): string {
  if (labels.length === 0) return '';
  return `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
