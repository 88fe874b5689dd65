// Long lists pass between threads in slices, between which other calls run, and arrive as they were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotePath } from '../../src/base/note.ts';
import { jobs } from '../../src/compute/jobs.ts';
import { listAt, takeApart } from '../../src/compute/long-lists.ts';
import { createCompute } from '../../src/compute/offload.ts';
import { parseNote } from '../../src/markdown/parse/parse-note.ts';

const never = new AbortController().signal;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test('a value is the same after its long lists were taken out, and no slice has more than 2,000 items', () => {
  const bytes = new Uint8Array(3);
  const deep = { a: { b: { c: { d: { e: { f: { g: { h: numbers(2_001) } } } } } } } };
  const values = [
    undefined,
    null,
    'text',
    numbers(2_000),
    numbers(4_001),
    { rows: numbers(10_000), few: [1, { rows: numbers(2_001) }], bytes, none: null },
    [numbers(3_000), numbers(1), numbers(3_000)],
    deep,
  ];
  for (const value of values) {
    const { rest, places, slices } = takeApart(value);
    assert.ok(slices.every(({ items }) => items.length <= 2_000));
    const lists = places.map((place) => listAt(rest, place));
    for (const { place, items } of slices) lists[place]?.push(...items);
    assert.deepEqual(rest, value);
  }
});

test('the thread that parses a note with many links, headings and tasks answers with all of them, and other work runs in between', async () => {
  const text = numbers(10_000)
    .map((at) => `## Head ${at}\n\n- [ ] do [[Note ${at}]] ^b${at}\n`)
    .join('\n');
  const compute = createCompute();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  try {
    const path = 'Long.md' as NotePath;
    const parts = ['headings', 'links', 'blocks'] as const;
    const { headings, links, blocks } = parseNote(text);
    assert.deepEqual(await compute.run(jobs.outline, { path, text, parts }, never), { headings, links, blocks });
    const part = { kind: 'subpath', subpath: '#Head 9999' } as const;
    const { line } = await compute.run(jobs.locate, { path, text, part, argument: 'note' }, never);
    assert.equal(line, headings.at(-1)?.line);
    const span = { line: headings[5_000]?.line ?? 0, endLine: Number.MAX_SAFE_INTEGER };
    const page = { path, text, of: 'links', span, from: 10, limit: 5 } as const;
    const found = await compute.run(jobs.rows_within, page, never);
    assert.deepEqual(found, { rows: links.slice(5_010, 5_015), total: 5_000, first: 5_010 });
    const tasks = await compute.run(jobs.tasks, { text }, never);
    assert.equal(tasks.length, 10_000);
  } finally {
    clearInterval(timer);
    await compute.close();
  }
  assert.ok(turns > 0);
});
