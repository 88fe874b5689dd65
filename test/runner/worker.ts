// Runs the test files that the runner names, one after the other in this process.
import { on } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeShared } from './at-end.ts';
import { useBundledThreads } from './bundles.ts';
import { cpuSeconds } from './cpu-time.ts';
import { leaksSince, processState } from './leaks.ts';
import { nextReport, type Report, running } from './reporter.ts';

export interface WorkerReport extends Report {
  /** CPU seconds, those of ended child processes included. */
  readonly cpu: number;
}

/** What a worker sends before it ends because its file took too long. */
export interface HungReport {
  readonly hung: readonly string[];
}

const ROOT = join(import.meta.dirname, '../..');

useBundledThreads();
// The first test has Node install its own listeners.
await test('the test runner starts', () => undefined);
process.on('SIGTERM', () => process.send?.({ hung: [...running] }, () => process.exit(1)));
process.send?.('ready');
for await (const [file] of on(process, 'message', { close: ['disconnect'] })) {
  const before = processState();
  const from = cpuSeconds();
  const reported = nextReport();
  // Node awaits the tests that the file registers, as subtests of this one.
  await test(file, async () => {
    await import(pathToFileURL(join(ROOT, file)).href);
  });
  const report = await reported;
  const leaks = await leaksSince(before);
  const result: WorkerReport = {
    ...report,
    failed: report.failed + leaks.length,
    failures: [...report.failures, ...leaks],
    cpu: cpuSeconds() - from,
  };
  process.send?.(result);
}
await closeShared();
