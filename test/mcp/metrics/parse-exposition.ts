// Parses the Prometheus text format (0.0.4) and refuses anything outside its grammar.
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string | undefined;
  readonly samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/;
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** By the family's name. */
export function parseExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  const families = new Map<string, Family>();
  const helps = new Map<string, string>();
  const seen = new Set<string>();
  let current: [string, Family] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.ok(!helps.has(name), `two HELP for ${name}`);
      helps.set(name, rest);
    } else if (kind === 'TYPE') {
      assert.ok(TYPES.includes(rest) && !families.has(name), `TYPE ${name} ${rest}`);
      current = [name, { type: rest, help: helps.get(name), samples: [] }];
      families.set(...current);
    } else if (!line.startsWith('#')) {
      const sample = parseSample(line);
      assert.ok(current !== undefined && belongs(sample.name, ...current), `${line} is outside its family`);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      assert.ok(!seen.has(key), `${line} appears twice`);
      seen.add(key);
      current[1].samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family);
  return families;
}

function belongs(sample: string, name: string, { type }: Family): boolean {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample) : sample === name;
}

function parseSample(line: string): Sample {
  const [name = ''] = NAME.exec(line) ?? [];
  assert.ok(name !== '', `no name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    for (let match = LABEL.exec(rest); match !== null; match = LABEL.exec(rest)) {
      const [whole, key = '', value = ''] = match;
      assert.ok(!Object.hasOwn(labels, key), `${key} appears twice: ${line}`);
      labels[key] = value.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
      rest = rest.slice(whole.length).replace(/^,/, '');
    }
    assert.ok(rest.startsWith('}'), `labels without an end: ${line}`);
    rest = rest.slice(1);
  }
  assert.match(rest, /^ \S+$/, line);
  assert.match(rest.slice(1), VALUE, line);
  const value = Number(rest.slice(1).replace('Inf', 'Infinity'));
  return { name, labels, value };
}

/** Of each series: rising buckets, the last without a bound and equal to the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const [key, rows] of series) {
    const buckets = rows.filter((row) => row.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual([bounds, counts], [bounds.toSorted((a, b) => a - b), counts.toSorted((a, b) => a - b)], key);
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, key);
    const of = (end: string) => rows.filter((row) => row.name === `${name}_${end}`);
    assert.deepEqual([of('count').length, of('sum').length, of('count')[0]?.value], [1, 1, counts.at(-1)], key);
  }
}
