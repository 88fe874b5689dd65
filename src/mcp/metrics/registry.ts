// The values of all metrics of this process, from its start on.
import { createHistogram, type Histogram, type Summary } from './histogram.ts';
import { COUNTERS, type CounterName, GAUGES, type GaugeName, HISTOGRAMS, type HistogramName } from './table.ts';

/** In the order of the table, then of the labels' values. */
export interface Series<Name, Value> {
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

/** `calls_total{search_text}`, as it stands in `status`. */
export function shownSeries({ name, labels }: Pick<Series<string, unknown>, 'name' | 'labels'>): string {
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
}

export interface ShownMetrics {
  /** Counters and gauges that are not 0. */
  readonly counters: Readonly<Record<string, number>>;
  /** By the histogram, as far as there was anything to measure. */
  readonly timings: readonly ({ readonly of: string } & Summary)[];
}

/** What is worth a reader's time: nothing that is 0, nothing that never happened. */
export function shownMetrics(metrics: Metrics): ShownMetrics {
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
