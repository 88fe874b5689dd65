// Requests hold every chunk once, in order, and no more than a provider takes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type ChunkToEmbed, fittingRequest, type RequestLimits } from '../../../src/indexing/embed/notes-to-embed.ts';

const limits = { items: 4, characters: 100, prefix: 5 };
const chunkOf = (length: number, at: number) => ({ hash: `${at}`, title: 'Title', text: 'x'.repeat(length) });
const sizeOf = (length: number): number => length + limits.prefix + 'Title'.length;

/** All requests, the last of which may have room for more. */
function requestsFor(chunks: readonly ChunkToEmbed[], of: RequestLimits): ChunkToEmbed[][] {
  const requests: ChunkToEmbed[][] = [];
  for (let from = 0; from < chunks.length; ) {
    const { count } = fittingRequest(chunks.slice(from), of);
    requests.push(chunks.slice(from, from + count));
    from += count;
  }
  return requests;
}

it('packs every chunk once, in order, within the limits, and no request could take the next chunk too', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(150), { maxLength: 60 }), (lengths) => {
      const chunks = lengths.map(chunkOf);
      const requests = requestsFor(chunks, limits);
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

it('says whether a request can still grow', () => {
  assert.deepEqual(fittingRequest([1, 2, 3, 4, 5].map(chunkOf), limits), { count: 4, isFull: true });
  assert.deepEqual(fittingRequest([1, 2, 3, 4].map(chunkOf), limits), { count: 4, isFull: true });
  assert.deepEqual(fittingRequest([1, 2].map(chunkOf), limits), { count: 2, isFull: false });
  assert.deepEqual(fittingRequest([150, 1].map(chunkOf), limits), { count: 1, isFull: true });
  assert.deepEqual(fittingRequest([], limits), { count: 0, isFull: false });
});
