// All metrics as the text that Prometheus reads (exposition format 0.0.4).
import { BOUNDS, COUNTERS, GAUGES, HISTOGRAMS, type Histogram, type Metrics, type Series } from './registry.ts';

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
    const own = series.filter((each) => each.name === name);
    const zero = own.length === 0 && labels.length === 0 && type === 'counter' ? [`${PREFIX}${name} 0`] : [];
    const rows = own.flatMap((each) =>
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
