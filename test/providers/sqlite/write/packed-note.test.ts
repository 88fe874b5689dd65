// Tasks are unpacked as they were packed, with any mark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packTasks, unpackTasks } from '../../../../src/providers/sqlite/write/packed-note.ts';

const mark = fc.oneof(
  fc.constantFrom(' ', 'x', ':', '-', '1', '海', '🔥'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const day = fc.constantFrom('2026-11-20', '0999-01-01');

test('unpacked tasks equal the packed ones', () => {
  const task = fc.record(
    {
      line: fc.integer({ min: 1, max: 9_999_999 }),
      mark: mark.filter((one) => !/[\n\r]/.test(one)),
      ...{ due: day, scheduled: day, start: day },
    },
    { requiredKeys: ['line', 'mark'] },
  );
  fc.assert(
    fc.property(fc.array(task, { minLength: 1, maxLength: 20 }), (tasks) => {
      assert.deepEqual(
        unpackTasks(packTasks(tasks)),
        tasks.map((one) => ({ ...one })),
      );
    }),
  );
});

test('an open task without a due date takes only its line number', () => {
  const tasks = [
    { line: 12, mark: ' ' },
    { line: 13, mark: 'x' },
    { line: 14, mark: ' ', due: '2026-11-20' },
  ];
  assert.equal(packTasks(tasks), '12\n13:x\n14: :2026-11-20');
});
