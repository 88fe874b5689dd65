// A batch: each input in one list, and what ends it before its last item.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBatch } from '../../src/base/batch.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import { assertEach } from '../assert-each.ts';

const { signal } = new AbortController();
const missing = (ref: string) =>
  new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions: [], unresolved_link: false });

test('a failure of all that is needed leaves the rest untried, each with an error of its own', async () => {
  const worked: string[] = [];
  const work = async (id: string, index: number): Promise<number> => {
    worked.push(id);
    if (id === 'b') throw missing(id);
    return index;
  };
  const { succeeded, failed } = await runBatch(['a', 'b', 'c', 'd'], signal, work, { endsAll: () => true });
  assert.deepEqual([succeeded, worked], [[{ id: 'a', result: 0 }], ['a', 'b']]);
  assert.deepEqual(
    failed.map(({ id, error }) => [id, error.code, error.untried, error.message.startsWith('not tried: ')]),
    [
      ['b', 'NOTE_NOT_FOUND', false, false],
      ['c', 'NOTE_NOT_FOUND', true, true],
      ['d', 'NOTE_NOT_FOUND', true, true],
    ],
  );
  assert.equal(new Set(failed.map(({ error }) => error.errorId)).size, 3);
});

test('where it is too late, that is why the rest was not begun, whatever failed before', async () => {
  let requested = 0;
  const late = () => new VaultgraphError('DEADLINE_EXCEEDED', { budget_ms: 1, phase: 'x', committed: 'none' });
  const tooLate = () => {
    requested += 1;
    return requested > 1 ? late() : undefined;
  };
  const { failed } = await runBatch(['a', 'b'], signal, async (id) => Promise.reject(missing(id)), {
    tooLate,
    endsAll: () => true,
  });
  assertEach(failed, ({ error }) => error.code, ['NOTE_NOT_FOUND', 'DEADLINE_EXCEEDED']);
});
