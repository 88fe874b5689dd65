import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createCallJournal } from '../../../src/mcp/dispatch/call-journal.ts';
import { BOUNDS, COUNTERS, createHistogram, createMetrics, shownMetrics } from '../../../src/mcp/metrics.ts';
import { runs } from '../../runner/effort.ts';

test('the output has the counted values and omits zeros', () => {
  const metrics = createMetrics();
  metrics.gauge('index_pending', () => [[0]]);
  metrics.gauge('breaker_state', () => [
    [1, 'embedding'],
    [0, 'llm'],
  ]);
  assert.deepEqual(shownMetrics(metrics), { counters: { 'breaker_state{embedding}': 1 }, timings: [] });
  metrics.add('errors_total', 'search', 'INVALID_INPUT');
  metrics.add('errors_total', 'search', 'INVALID_INPUT');
  metrics.add('calls_total', 'search');
  metrics.observe('call_ms', 12.4, 'search');
  const { counters, timings } = shownMetrics(metrics);
  assert.deepEqual(Object.keys(counters), [
    'calls_total{search}',
    'errors_total{search,INVALID_INPUT}',
    'breaker_state{embedding}',
  ]);
  assert.equal(counters['errors_total{search,INVALID_INPUT}'], 2);
  assert.deepEqual(timings, [{ of: 'call_ms{search}', count: 1, p50: 12, p95: 12, max: 12 }]);
});

test('a histogram counts all values, and its quantiles are those of the last 256', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 600 }), (values) => {
      const histogram = createHistogram();
      for (const value of values) histogram.observe(value);
      const { count, p50, p95, max } = histogram.summary();
      const last = values.slice(-256).sort((a, b) => a - b);
      const rank = (share: number): number | undefined => last[Math.ceil(last.length * share) - 1];
      assert.deepEqual([count, max], [values.length, Math.max(...values)]);
      assert.deepEqual([p50, p95], [rank(0.5), rank(0.95)]);
      assert.equal(
        histogram.sum(),
        values.reduce((sum, value) => sum + value, 0),
      );
      for (const [at, upTo] of histogram.cumulated().entries())
        assert.equal(upTo, values.filter((value) => value <= (BOUNDS[at] ?? 0)).length);
    }),
    { numRuns: runs(100) },
  );
});

test('the journal accepts the counter names that the layers use', () => {
  const journal = createCallJournal();
  journal.count('retries_total{ollama,PROVIDER_BUSY}');
  journal.count('late_results_dropped');
  journal.count('lease_takeovers');
  journal.count('no_such_counter');
  journal.called('search');
  journal.took('search', 3);
  journal.failed('search', new VaultgraphError('NOT_READY', { phase: 'migrating' }));
  assert.deepEqual(journal.counters(), {
    'calls_total{search}': 1,
    'errors_total{search,NOT_READY}': 1,
    'retries_total{ollama,PROVIDER_BUSY}': 1,
    lease_takeovers: 1,
    late_results_dropped: 1,
  });
  assert.equal(journal.timings()[0]?.count, 1);
});

test('every counter in the source is in the table', () => {
  const root = join(import.meta.dirname, '../../../src');
  const texts = globSync('**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/\bcount\(['`](\w+)/g)].map(([, name = '']) => name));
  assert.ok(named.length >= 4);
  for (const name of named) assert.ok(Object.hasOwn(COUNTERS, name), name);
});
