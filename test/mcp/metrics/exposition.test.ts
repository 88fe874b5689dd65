// Tests the metrics text with a parser as strict as that of Prometheus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics, exposition } from '../../../src/mcp/metrics.ts';
import { parseExposition } from './parse-exposition.ts';

test('all kinds of metrics are read back with the counted values', () => {
  const metrics = createMetrics();
  metrics.gauge('index_pending', () => [[3]]);
  metrics.gauge('breaker_state', () => [
    [1, 'embedding'],
    [0, 'llm'],
  ]);
  metrics.add('calls_total', 'search');
  metrics.add('errors_total', 'search', 'quo"te\\ and\nline');
  for (const ms of [3, 7, 80_000]) metrics.observe('call_ms', ms, 'search');
  const families = parseExposition(exposition(metrics));
  assert.equal(families.get('vaultgraph_calls_total')?.type, 'counter');
  assert.deepEqual(families.get('vaultgraph_errors_total')?.samples, [
    { name: 'vaultgraph_errors_total', labels: { tool: 'search', code: 'quo"te\\ and\nline' }, value: 1 },
  ]);
  assert.deepEqual(
    families.get('vaultgraph_breaker_state')?.samples.map(({ labels, value }) => [labels.capability, value]),
    [
      ['embedding', 1],
      ['llm', 0],
    ],
  );
  const { samples = [] } = families.get('vaultgraph_call_ms') ?? {};
  const bucket = (le: string) => samples.find(({ labels }) => labels.le === le)?.value;
  assert.deepEqual([bucket('5'), bucket('10'), bucket('60000'), bucket('+Inf')], [1, 2, 2, 3]);
  assert.equal(samples.find(({ name }) => name.endsWith('_sum'))?.value, 80_010);
});

test('at the start the counters without labels are 0', () => {
  const families = parseExposition(exposition(createMetrics()));
  assert.equal(families.get('vaultgraph_stdout_violations')?.samples[0]?.value, 0);
  assert.equal(families.has('vaultgraph_calls_total'), false);
});

test('the parser refuses what Prometheus refuses', () => {
  for (const wrong of [
    'a 1',
    '# TYPE a counter\na{b=c} 1\n',
    'a 1\n',
    '# TYPE a counter\na{b="x" 1\n',
    '# TYPE a counter\na 1\na 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    '# TYPE a counter\na one\n',
  ])
    assert.throws(() => parseExposition(wrong), assert.AssertionError, wrong);
});
