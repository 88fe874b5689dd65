// Counts the tests of each file and keeps what failed, for the worker that runs the file.
import { join } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  todo: number;
  readonly failures: string[];
}

const MAX_LINES = 40;
/** Registers each file as a test. */
const WORKER = join(import.meta.dirname, 'worker.ts');

type Ended = Extract<TestEvent, { readonly type: 'test:pass' | 'test:fail' }>;

/** The names of the tests that have begun and not ended. */
export const running = new Set<string>();

let report: Report = { passed: 0, failed: 0, skipped: 0, todo: 0, failures: [] };
let announce: (ended: Report) => void = () => undefined;

/** The report of the test file that runs next; it settles when the file's last test has ended. */
export function nextReport(): Promise<Report> {
  return new Promise((resolve) => {
    announce = resolve;
  });
}

/** The worker makes each file one outermost test, so what ends at the outermost level is a file. */
export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  for await (const event of source) {
    if (event.type === 'test:dequeue') running.add(event.data.name);
    if (event.type === 'test:complete') running.delete(event.data.name);
    if (event.type === 'test:enqueue' && isLost(event.data))
      fail(`${event.data.name}\nis registered after its file has awaited something, so it runs outside of the file`);
    if ((event.type !== 'test:pass' && event.type !== 'test:fail') || isLost(event.data)) continue;
    count(event);
    if (event.data.nesting > 0) continue;
    if (report.passed + report.failed + report.skipped + report.todo === 0) fail('the file registers no test');
    announce(report);
    report = { passed: 0, failed: 0, skipped: 0, todo: 0, failures: [] };
  }
  yield '';
}

/** Whether it is neither a file nor in one. */
const isLost = ({ nesting, file }: { readonly nesting: number; readonly file?: string | undefined }): boolean =>
  nesting === 0 && file !== WORKER;

function fail(failure: string): void {
  report.failed += 1;
  report.failures.push(failure);
}

function count({ type, data }: Ended): void {
  const isFile = data.nesting === 0;
  if (type === 'test:fail') {
    const { error } = data.details;
    const isFromWithin = 'failureType' in error && error.failureType === 'subtestsFailed';
    if (isFromWithin) return;
    fail(`${data.name}\n${startAndEnd(inspect(error.cause ?? error))}`);
  } else if (data.skip !== undefined) {
    // The tests of a suite that is skipped are not registered.
    report.skipped += 1;
  } else if (!isFile && data.details.type !== 'suite') {
    if (data.todo !== undefined) report.todo += 1;
    else report.passed += 1;
  }
}

/** The first and last lines, because the difference of two large values hides what else failed. */
function startAndEnd(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= 2 * MAX_LINES) return text;
  const left = lines.length - 2 * MAX_LINES;
  return [...lines.slice(0, MAX_LINES), `... ${left} lines ...`, ...lines.slice(-MAX_LINES)].join('\n');
}
