import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import { checkVectors } from '../../../src/providers/model-server/silent-cuts.ts';
import { assertEach } from '../../assert-each.ts';
import { attemptAt } from './attempts.ts';

const attempt = attemptAt('http://127.0.0.1:11434');
const check = (raw: unknown, ids: readonly string[] = ['a', 'b'], some: { dimensions?: number; dims?: number } = {}) =>
  checkVectors(raw, { ids, ...some }, attempt);

function refuses(code: ErrorCode, work: () => unknown): void {
  assert.throws(work, (thrown) => {
    assert.ok(thrown instanceof VaultgraphError);
    assert.equal(thrown.code, code);
    return (thrown.details as { level?: string }).level === 'call';
  });
}

describe('vectors in an answer', () => {
  it('are scaled to unit length and keep their ids and order', () => {
    const { succeeded, failed } = check([
      [3, 4],
      [0, -2],
    ]);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      succeeded.map(({ id, result }) => [id, [...result]]),
      [
        ['a', [...Float32Array.of(0.6, 0.8)]],
        ['b', [0, -1]],
      ],
    );
  });

  it('P13 fail the call when their count is wrong, or they are empty, not lists or not numbers', () => {
    const wrong = [
      [[1]],
      [[1], [1], [1]],
      [],
      null,
      undefined,
      {},
      'x',
      [[1], []],
      [[], []],
      [[1], ['1']],
      [[1], null],
      [[1], 1],
    ];
    for (const raw of wrong) refuses('PROVIDER_BAD_RESPONSE', () => check(raw));
  });

  it('P13 fail the call when they differ in length, from each other or from the model', () => {
    refuses('PROVIDER_BAD_RESPONSE', () => check([[1, 2], [1]]));
    refuses('PROVIDER_BAD_RESPONSE', () =>
      check(
        [
          [1, 2],
          [3, 4],
        ],
        ['a', 'b'],
        { dims: 3 },
      ),
    );
    refuses('PROVIDER_BAD_RESPONSE', () => check([[1, 2], [3]], ['a', 'b'], { dimensions: 1 }));
  });

  it('P11 fail with an unsuitable model when their length is not the configured one', () => {
    refuses('PROVIDER_MODEL_UNSUITABLE', () =>
      check(
        [
          [1, 2],
          [3, 4],
        ],
        ['a', 'b'],
        { dimensions: 3, dims: 9 },
      ),
    );
    assert.equal(
      check(
        [
          [1, 2],
          [3, 4],
        ],
        ['a', 'b'],
        { dimensions: 2, dims: 9 },
      ).succeeded.length,
      2,
    );
  });

  it('P13 a vector that is zero or not finite fails alone', () => {
    for (const bad of [
      [0, 0],
      [-0, 0],
      [null, 1],
      [1, Number.POSITIVE_INFINITY],
      [Number.NaN, 1],
    ]) {
      const { succeeded, failed } = check([[1, 0], bad, [0, 1]], ['a', 'b', 'c']);
      assertEach(succeeded, ({ id }) => id, ['a', 'c']);
      const [item] = failed;
      assert.equal(item?.id, 'b');
      assert.equal(item?.error.code, 'PROVIDER_BAD_RESPONSE');
      assert.equal((item?.error.details as { level?: string }).level, 'item');
    }
  });

  it('are finite and of unit length for all finite numbers, however large or small', () => {
    const component = fc.double({ noNaN: true, noDefaultInfinity: true });
    const vectors = fc
      .integer({ min: 1, max: 8 })
      .chain((dims) =>
        fc.array(fc.array(component, { minLength: dims, maxLength: dims }), { minLength: 1, maxLength: 5 }),
      );
    fc.assert(
      fc.property(vectors, (raw) => {
        const ids = raw.map((_, at) => `${at}`);
        const { succeeded, failed } = check(raw, ids);
        assert.equal(succeeded.length + failed.length, raw.length);
        for (const { id } of failed) assert.ok(raw[Number(id)]?.every((each) => each === 0));
        for (const { id, result } of succeeded) {
          assert.equal(result.length, raw[Number(id)]?.length);
          assert.ok(Math.abs(Math.hypot(...result) - 1) < 1e-5, `${result}`);
          // The direction stays: no component changes its sign.
          for (const [at, each] of result.entries()) assert.ok(each * Math.sign(raw[Number(id)]?.[at] as number) >= 0);
        }
      }),
    );
  });
});
