// Paging: cursors visit each row once, end with the list, and fit one query only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { createPaging } from '../../../src/tools/notes/page.ts';

const paging = createPaging('search_text', { query: 0, folder: 0, limit: 0, cursor: 0 });
const { pageOf } = paging;

function walk(total: number, limit: number): number[] {
  const rows: number[] = [];
  let cursor: string | undefined;
  do {
    const input = { query: 'tide', limit, cursor };
    const page = pageOf(input);
    const shown = Math.max(0, Math.min(page.limit, total - page.offset));
    for (let row = 0; row < shown; row++) rows.push(page.offset + row);
    cursor = paging.next(input, page, { shown, total }).next_cursor;
  } while (cursor !== undefined);
  return rows;
}

test('each row comes once and in order', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 100 }), (total, limit) => {
      assert.deepEqual(walk(total, limit), [...Array(total).keys()]);
    }),
  );
});

test('with a cursor only the limit may change', () => {
  const input = { query: 'tide', folder: 'a', limit: 2 };
  const { next_cursor: cursor } = paging.next(input, pageOf(input), { shown: 2, total: 9 });
  assert.deepEqual(pageOf({ ...input, limit: 5, cursor }), { limit: 5, offset: 2 });
  for (const other of [{ query: 'tides', folder: 'a' }, { query: 'tide' }]) {
    assert.throws(() => pageOf({ ...other, limit: 2, cursor }), isRefusal('search_text'));
  }
  assert.throws(() => createPaging('list_notes', {}).pageOf({ ...input, cursor }), isRefusal('list_notes'));
  for (const forged of ['', 'x', '2.', '-1.abcdefghijkl', `${cursor}x`, '\0']) {
    assert.throws(() => pageOf({ ...input, cursor: forged }), isRefusal('search_text'), forged);
  }
});

function isRefusal(tool: string) {
  return (thrown: unknown) => {
    const { code, details } = thrown as VaultgraphError<'INVALID_INPUT'>;
    return code === 'INVALID_INPUT' && details.tool === tool && details.issues[0]?.path === 'cursor';
  };
}
