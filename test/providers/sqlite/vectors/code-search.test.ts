import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dotProduct } from '../../../../src/contracts/fingerprint.ts';
import { CodeSlots } from '../../../../src/providers/sqlite/vectors/code-cache.ts';
import { selectCandidates } from '../../../../src/providers/sqlite/vectors/nearest.ts';
import {
  centroidOf,
  codeOf,
  projectionOf,
  signBytes,
  unitVector,
} from '../../../../src/providers/sqlite/vectors/vector-codes.ts';
import { clusteredVectors } from './clustered.ts';

function filledSlots(vectors: readonly Float32Array[], centroid: Float32Array) {
  const slots = new CodeSlots(signBytes(centroid.length));
  const codes = Buffer.concat(vectors.map((vector) => codeOf(vector, centroid)));
  const files = vectors.map((_, at) => at + 1);
  slots.add({ files, vectors: files, codes });
  return slots;
}

const unit = (components: readonly number[]): Float32Array =>
  unitVector(Float32Array.from(components), components.length);

describe('codes', () => {
  it('have one sign bit per dimension, in whole words, and the projection on the centroid', () => {
    const vector = Float32Array.from([0.5, -0.5, 0, 0.1, 0, 0, 0, 0.5, 0.5]);
    const centroid = Float32Array.from([0, 0, 0, 0.5, -0.5, 0, 0, 0, 0]);
    const [projection = 0, ...signs] = [...codeOf(vector, centroid)].reverse();
    assert.deepEqual(signs.reverse(), [0b1001_0001, 1, 0, 0]);
    assert.ok(Math.abs(projectionOf(projection) - 0.05) < 0.005);
    assert.deepEqual([1, 32, 33, 384, 768].map(signBytes), [4, 4, 8, 48, 96]);
    assert.deepEqual(centroidOf([Float32Array.of(1, 3), Float32Array.of(2, -3)], 2), Float32Array.of(1.5, 0));
  });
});

describe('selected slots', () => {
  it('are the wanted slots that differ in the fewest bits, at least as many as requested', () => {
    const dims = fc.constantFrom(5, 32, 70, 384);
    const setting = dims.chain((length) => {
      const vector = fc.array(fc.constantFrom(-1, 1), { minLength: length, maxLength: length });
      return fc.record({
        vectors: fc.array(vector, { minLength: 2, maxLength: 60 }),
        count: fc.integer({ min: 1, max: 70 }),
      });
    });
    fc.assert(
      fc.property(setting, ({ vectors, count }) => {
        const [query = [], ...others] = vectors;
        const centroid = new Float32Array(query.length);
        const slots = filledSlots(
          others.map((vector) => unit(vector)),
          centroid,
        );
        const allowed = Uint8Array.from({ length: others.length + 1 }, (_, file) => (file % 3 === 0 ? 0 : 1));
        const differing = (slot: number) => (others[slot] ?? []).filter((side, at) => side !== query[at]).length;
        const eligible = [...others.keys()].filter((slot) => allowed[slot + 1] === 1);
        const selected = selectCandidates(slots, { vector: unit(query), centroid, allowed }, count);
        const last = eligible.map(differing).sort((one, other) => one - other)[count - 1] ?? query.length;
        assert.ok(selected.length >= Math.min(count, eligible.length));
        assert.ok(selected.every((slot) => eligible.includes(slot) && differing(slot) <= last));
        assert.ok(eligible.every((slot) => differing(slot) >= last || selected.includes(slot)));
      }),
    );
  });

  it('include nearly all of the nearest vectors in a set of clusters', () => {
    const source = clusteredVectors(256, 40, 5);
    const vectors = Array.from({ length: 8_000 }, () => unitVector(source.next(), 256));
    const centroid = centroidOf(vectors.slice(0, 500), 256);
    const slots = filledSlots(vectors, centroid);
    let found = 0;
    for (let round = 0; round < 20; round++) {
      const query = unitVector(source.next(), 256);
      const cosines = vectors.map((vector) => dotProduct(query, vector));
      const nearest = [...cosines.keys()]
        .sort((one, other) => (cosines[other] ?? 0) - (cosines[one] ?? 0))
        .slice(0, 10);
      const selected = new Set(selectCandidates(slots, { vector: query, centroid, allowed: undefined }, 400));
      assert.ok(selected.size >= 400 && selected.size < 420);
      found += nearest.filter((slot) => selected.has(slot)).length;
    }
    assert.ok(found >= 195, `${found} of 200`);
  });
});

describe('slots', () => {
  it('are freed by file and reused', () => {
    const slots = new CodeSlots(4);
    const code = (byte: number) => [byte, 0, 0, 0, 100 + byte];
    slots.add({ files: [1, 1, 2], vectors: [11, 12, 21], codes: Uint8Array.from([1, 2, 3].flatMap(code)) });
    slots.free((file) => file === 1);
    assert.deepEqual([slots.end, slots.used], [3, 1]);
    slots.add({ files: [3, 3, 3], vectors: [31, 32, 33], codes: Uint8Array.from([4, 5, 6].flatMap(code)) });
    assert.deepEqual([slots.end, slots.used], [4, 4]);
    const stored = Array.from({ length: 4 }, (_, slot) => [
      slots.files[slot],
      slots.vectors[slot],
      slots.signs[slot * 4],
      slots.projections[slot],
    ]);
    assert.deepEqual(
      stored.sort((one, other) => (one[1] ?? 0) - (other[1] ?? 0)),
      [
        [2, 21, 3, 103],
        [3, 31, 4, 104],
        [3, 32, 5, 105],
        [3, 33, 6, 106],
      ],
    );
    assert.throws(() => slots.add({ files: [4], vectors: [4], codes: new Uint8Array() }), { code: 'INTERNAL' });
  });
});
