// Changes of properties that would hold up the main thread run in a worker thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from '../../src/compute/jobs.ts';

const frontMatter = (lines: number): string => `---\n${'property: a value\n'.repeat(lines)}---\n`;

test('a change of properties is small by the length of the note times the number of changes', () => {
  const changing = (lines: number, count: number) => {
    const set = Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]));
    return { path: 'N.md', text: frontMatter(lines), changes: { set } };
  };
  for (const job of [jobs.properties, jobs.all_properties]) {
    assert.ok(job.isSmall(changing(10, 5)));
    assert.ok(!job.isSmall(changing(3_000, 1)));
    assert.ok(!job.isSmall(changing(100, 50)));
  }
});
