import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { changesFinding, crashFinding, metricsFinding } from '../../../src/cli/doctor/record.ts';
import { createCallJournal } from '../../../src/mcp/dispatch/call-journal.ts';
import { exposition } from '../../../src/mcp/metrics.ts';

function place(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-doctor-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const kept = (path: string) => ({ outputs: { metrics: { key: 'metrics.file', path, place: { file: 'c' } } } as const });

function metricsOf(calls: number, failures: number, code: 'INVALID_INPUT' | 'NOT_READY' = 'NOT_READY') {
  const journal = createCallJournal();
  for (let at = 0; at < calls; at += 1) journal.called('search');
  const error =
    code === 'NOT_READY'
      ? new VaultgraphError('NOT_READY', { phase: 'migrating' })
      : new VaultgraphError('INVALID_INPUT', { tool: 'search', issues: [], accepted: [] });
  for (let at = 0; at < failures; at += 1) journal.failed('search', error);
  return journal;
}

test('a change that is not complete is a warning', () => {
  const { status: whole, detail: proof } = changesFinding([], { intact: 3, damages: [] });
  assert.deepEqual([whole, /3 changes can be undone/.test(proof)], ['ok', true]);
  const { status, detail } = changesFinding(['chg_a', 'chg_b'], { intact: 3, damages: [] });
  assert.deepEqual([status, detail], ['warning', '2 changes are not complete (chg_a)']);
});

test('a damaged change is a warning, and one that was interrupted a failure with the notes in doubt', () => {
  const damage = { change: 'chg_a', file: 'chg_a.4096.done', damaged: ['a.md'], intact: ['b.md'] };
  const done = changesFinding([], { intact: 1, damages: [damage] });
  assert.deepEqual([done.status, /damaged: a\.md$/.test(done.detail)], ['warning', true]);
  const unfinished = changesFinding(['chg_a'], { intact: 1, damages: [damage, { ...damage, unfinished: true }] });
  assert.deepEqual([unfinished.status, /in doubt: a\.md, b\.md; 2 changes/.test(unfinished.detail)], ['failing', true]);
  assert.ok('hint' in unfinished && unfinished.hint.includes('--set-aside-changes'));
});

test('many failures, output noise on stdout and an open circuit breaker are warnings; mistakes of callers are not', async (context) => {
  const file = join(place(context), 'graph.prom');
  const judged = async (journal: ReturnType<typeof metricsOf>) => {
    writeFileSync(file, exposition(journal.metrics));
    return metricsFinding(kept(file));
  };
  assert.equal((await judged(metricsOf(30, 2))).status, 'ok');
  const many = await judged(metricsOf(30, 4));
  assert.deepEqual(
    [many.status, many.detail],
    ['warning', '30 calls, 4 failed for reasons other than their arguments; many calls fail'],
  );
  assert.equal((await judged(metricsOf(30, 25, 'INVALID_INPUT'))).status, 'ok');
  assert.equal((await judged(metricsOf(5, 5))).status, 'ok', 'too few to tell');
  const noisy = metricsOf(1, 0);
  noisy.count('stdout_violations');
  assert.match((await judged(noisy)).detail, /1 writes to stdout/);
  const open = metricsOf(1, 0);
  open.metrics.gauge('breaker_state', () => [[1, 'embedding']]);
  assert.match((await judged(open)).detail, /circuit breaker of a provider is open/);
});

test('the files of all processes count; those of another day and other files do not', async (context) => {
  const folder = place(context);
  for (const [name, calls] of [
    ['graph-12.prom', 10],
    ['graph-345.prom', 5],
    ['graph-x.prom', 100],
    ['graph-99.prom', 1_000],
  ] as const)
    writeFileSync(join(folder, name), exposition(metricsOf(calls, 0).metrics));
  utimesSync(join(folder, 'graph-99.prom'), new Date(0), new Date(0));
  const found = await metricsFinding(kept(join(folder, 'graph-{pid}.prom')));
  assert.match(found.detail, /^15 calls/);
  assert.equal((await metricsFinding(kept(join(folder, 'none', 'x.prom')))).status, 'ok');
  assert.match((await metricsFinding({ outputs: {} })).detail, /metrics\.file/);
});

test('M11 the last crash is a warning', (context) => {
  const dataFolder = place(context);
  assert.equal(crashFinding({ dataFolder }).status, 'ok');
  const crash = {
    time: new Date().toISOString(),
    version: '1.2.3',
    kind: 'RangeError',
    frames: ['at work (x.js:1:2)'],
  };
  writeFileSync(join(dataFolder, 'crash.json'), JSON.stringify(crash));
  const found = crashFinding({ dataFolder });
  assert.equal(found.status, 'warning');
  assert.match(found.detail, /RangeError, version 1\.2\.3, at work/);
});
