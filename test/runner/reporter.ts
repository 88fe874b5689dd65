// Counts the tests of each file and keeps what failed, for the worker that runs the file.
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
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    count(event);
    if (event.data.nesting > 0) continue;
    announce(report);
    report = { passed: 0, failed: 0, skipped: 0, todo: 0, failures: [] };
  }
  yield '';
}

function count({ type, data }: Ended): void {
  const isFile = data.nesting === 0;
  if (type === 'test:fail') {
    const { error } = data.details;
    const isFromWithin = 'failureType' in error && error.failureType === 'subtestsFailed';
    if (isFromWithin) return;
    report.failed += 1;
    report.failures.push(`${data.name}\n${startAndEnd(inspect(error.cause ?? error))}`);
  } else if (!isFile && data.details.type !== 'suite') {
    if (data.skip !== undefined) report.skipped += 1;
    else if (data.todo !== undefined) report.todo += 1;
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
