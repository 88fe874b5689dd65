import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMetricsFile } from '../../src/app/metrics-file.ts';
import type { OutputFile } from '../../src/config/server-settings.ts';
import { until } from '../until.ts';

function fileIn(context: TestContext, name: string): OutputFile & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-metrics-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return { key: 'metrics.file', path: join(folder, name), place: { file: 'config.yaml', line: 2, column: 18 }, folder };
}

test('the file is written immediately, periodically and at the end, each time completely', async (context) => {
  const file = fileIn(context, 'graph-{pid}.prom');
  let writes = 0;
  const text = (): string => {
    writes += 1;
    return `${writes} ${'x'.repeat(100_000)}\n`;
  };
  const metrics = await openMetricsFile(file, text, () => undefined, 10);
  const path = join(file.folder, `graph-${process.pid}.prom`);
  await until(() => {
    assert.equal(readFileSync(path, 'utf8').trimEnd().split(' ')[1]?.length, 100_000);
    return writes >= 5;
  }, 'five writes');
  await metrics.close();
  assert.equal(readFileSync(path, 'utf8').split(' ')[0], String(writes));
  const last = writes;
  await sleep(50);
  assert.equal(writes, last, 'nothing is written after the end');
  assert.deepEqual(readdirSync(file.folder), [`graph-${process.pid}.prom`]);
});

test('a file that cannot be written is a config fault at startup', async (context) => {
  const { folder, ...file } = fileIn(context, 'graph.prom/x');
  await (
    await openMetricsFile(
      { ...file, path: join(folder, 'graph.prom') },
      () => 'a',
      () => undefined,
    )
  ).close();
  await assert.rejects(
    openMetricsFile(
      file,
      () => 'a',
      () => undefined,
    ),
    /config\.yaml:2:18: `metrics\.file` cannot be written \((ENOTDIR|EEXIST)\)/,
  );
});

test('a later write failure is logged once, and writing resumes when possible', {
  skip: process.getuid?.() === 0,
}, async (context) => {
  const file = fileIn(context, 'graph.prom');
  const logged: string[] = [];
  let writes = 0;
  const log = (level: string, event: string) => void logged.push(`${level} ${event}`);
  const text = (): string => {
    writes += 1;
    return String(writes);
  };
  const metrics = await openMetricsFile(file, text, log, 5);
  chmodSync(file.folder, 0o500);
  const before = writes;
  await until(() => writes >= before + 4, 'four more writes');
  chmodSync(file.folder, 0o700);
  await metrics.close();
  assert.deepEqual(logged, ['warn metrics_file_failed']);
  assert.equal(readFileSync(file.path, 'utf8'), String(writes));
});
