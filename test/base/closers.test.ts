// Tests that what was opened is closed, last first, also if the last of it cannot be opened or closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Closers, openAll } from '../../src/base/closers.ts';

const closed: string[] = [];

function openThree(closers: Closers): void {
  for (const name of ['first', 'second', 'third'])
    closers.add({
      close: async () => {
        closed.push(name);
        if (name === 'second') throw new Error(name);
      },
    });
}

test('what was opened is closed last first if the next cannot be opened, and its failure is thrown', async () => {
  closed.length = 0;
  const opening = openAll(async (closers) => {
    openThree(closers);
    throw new Error('the fourth');
  });
  await assert.rejects(opening, { message: 'the fourth' });
  assert.deepEqual(closed, ['third', 'second', 'first']);
});

test('all is closed once, and the first failure is thrown', async () => {
  closed.length = 0;
  const { close } = await openAll(async (closers) => {
    openThree(closers);
    return { close: () => closers.close() };
  });
  assert.deepEqual(closed, []);
  await assert.rejects(close());
  await close();
  assert.deepEqual(closed, ['third', 'second', 'first']);
});
