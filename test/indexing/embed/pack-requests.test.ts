// Requests hold every chunk once, in order, and no more than a provider takes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { packRequests } from '../../../src/indexing/embed/embed-chunks.ts';

const limits = { items: 4, characters: 100, prefix: 5 };
const chunkOf = (length: number, at: number) => ({ hash: `${at}`, title: 'Title', text: 'x'.repeat(length) });
const sizeOf = (length: number): number => length + limits.prefix + 'Title'.length;

it('packs every chunk once, in order, within the limits, and no request could take the next chunk too', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(150), { maxLength: 60 }), (lengths) => {
      const chunks = lengths.map(chunkOf);
      const { full, rest } = packRequests(chunks, limits);
      const requests = [...full, ...(rest.length > 0 ? [rest] : [])];
      assert.deepEqual(requests.flat(), chunks);
      for (const [at, request] of requests.entries()) {
        const characters = request.reduce((sum, { text }) => sum + sizeOf(text.length), 0);
        assert.ok(request.length > 0 && request.length <= limits.items);
        assert.ok(request.length === 1 || characters <= limits.characters);
        const [next] = requests[at + 1] ?? [];
        if (next === undefined) continue;
        assert.ok(request.length === limits.items || characters + sizeOf(next.text.length) > limits.characters);
      }
    }),
  );
});

it('keeps back a request that can still grow', () => {
  const { full, rest } = packRequests([1, 2, 3, 4, 5].map(chunkOf), limits);
  assert.deepEqual([full.length, rest.length], [1, 1]);
  assert.deepEqual(packRequests([], limits), { full: [], rest: [] });
});
