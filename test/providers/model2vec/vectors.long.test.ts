// The vectors of models that are small enough to compute by hand.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { assertEach } from '../../assert-each.ts';
import { inputs, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import type { ModelToWrite, NumberType } from '../../fakes/model2vec-folder.ts';
import { withModel } from './model-folder.ts';

const TOKENS = ['[UNK]', 'low', 'tide', '##s', 'a'];
const ROWS = [
  [9, 9],
  [3, 0],
  [0, 4],
  [-1, 1],
  [1, 1],
];
const PLAIN: ModelToWrite = { tokens: TOKENS, rows: ROWS };

/** That the text has the direction of (x, y). */
async function assertVector(model: ModelToWrite, text: string, x: number, y: number, most = 1e-6): Promise<void> {
  await withModel(model, async ({ capability }) => {
    const vector = await vectorOf(capability, text);
    const length = Math.hypot(x, y);
    assert.equal(vector.length, 2);
    assert.ok(Math.abs((vector[0] ?? 0) - x / length) < most, `${vector} for ${text}`);
    assert.ok(Math.abs((vector[1] ?? 0) - y / length) < most, `${vector} for ${text}`);
  });
}

suite('the vector of a text', () => {
  test('is the sum of its tokens, of unit length', async () => {
    await assertVector(PLAIN, 'low', 1, 0);
    await assertVector(PLAIN, 'low tide', 3, 4);
    await assertVector(PLAIN, 'Low, LOW tides!', 3 + 3 + 0 - 1, 4 + 1);
  });

  test('ignores unknown words and characters', async () => {
    await assertVector(PLAIN, 'low xyz tide … 潮', 3, 4);
  });

  test('weights each token if the model has weights', async () => {
    const weights = [7, 2, 0.5, 1, 0];
    await assertVector({ ...PLAIN, weights }, 'low tide', 2 * 3, 0.5 * 4);
    await assertVector({ ...PLAIN, weights }, 'low a tide tides', 2 * 3 - 1, 0.5 * 4 + 0.5 * 4 + 1);
  });

  test("uses the mapped rows, but the token's own weight", async () => {
    const shared = {
      tokens: TOKENS,
      rows: [
        [3, 0],
        [0, 4],
      ],
      mapping: [0, 0, 1, 1, 0],
    };
    for (const mappingType of ['I64', 'I32'] as const) {
      await assertVector({ ...shared, mappingType }, 'low tides', 3, 4 + 4);
      const weights = [7, 2, 0.5, 3, 0];
      await assertVector({ ...shared, mappingType, weights }, 'low tides', 2 * 3, 0.5 * 4 + 3 * 4);
    }
  });

  const types: readonly NumberType[] = ['F64', 'F32', 'F16', 'BF16', 'I8'];
  for (const type of types) {
    test(`reads numbers of type ${type}`, async () => {
      await assertVector({ ...PLAIN, type }, 'low tides', 3 - 1, 4 + 1);
      await assertVector({ ...PLAIN, type, weights: [1, 2, 3, 1, 1] }, 'low tides', 6 - 1, 12 + 1);
    });
  }

  test('reads small, large and special 16-bit numbers', async () => {
    const odd = [
      [1, 0],
      [2 ** -14, 2 ** -20],
      [-65_504, 1],
    ];
    const tokens = ['[UNK]', 'low', 'tide'];
    await assertVector({ tokens, rows: odd, type: 'F16' }, 'low', 1, 2 ** -6);
    await assertVector({ tokens, rows: odd, type: 'F16' }, 'tide', -65_504, 1);
    await assertVector(
      {
        tokens,
        rows: [
          [1, 0],
          [1.5e38, -3e38],
          [0, 1],
        ],
        type: 'BF16',
      },
      'low',
      1,
      -2,
      1e-2,
    );
  });

  test('reads the first 512 tokens', async () => {
    await assertVector(PLAIN, `${'a '.repeat(511)}low`, 511 + 3, 511);
    await assertVector(PLAIN, `${'a '.repeat(512)}low`, 1, 1);
    await assertVector(PLAIN, `${'xyz a '.repeat(300)}low`, 300 + 3, 300, 1e-2);
  });

  test('reads no more characters than 512 tokens of median length', async () => {
    const usual = (5 + 3 + 4 + 3 + 1) / 5;
    assert.equal(Math.floor(usual), 3);
    const most = 512 * 3;
    await assertVector(PLAIN, `${' '.repeat(most - 3)}low tide`, 3, 0);
    await assertVector(PLAIN, `🌊${' '.repeat(most - 4)}low tide`, 3, 0);
  });

  test('includes the prefix', async () => {
    const section = { query_prefix: 'low ', document_prefix: '{title} ' };
    await withModel(
      PLAIN,
      async ({ capability }) => {
        const [question = 0] = await vectorOf(capability, 'tide', 'query');
        assert.ok(Math.abs(question - 0.6) < 1e-6);
        const titled = [{ id: '1', text: 'tide', title: 'Low low' }];
        const { succeeded } = await capability.embed(titled, 'document', newCall(), never);
        assert.ok(Math.abs((succeeded[0]?.result[0] ?? 0) - 6 / Math.hypot(6, 4)) < 1e-6);
      },
      section,
    );
  });
});

suite('a text without a vector', () => {
  const failuresOf = (model: ModelToWrite, ...texts: string[]): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      withModel(model, async ({ capability }) => {
        const { succeeded, failed } = await capability.embed(inputs(...texts, 'low'), 'document', newCall(), never);
        assertEach(succeeded, ({ id }) => id, [`text ${texts.length}`]);
        for (const { error } of failed) {
          assert.ok(error instanceof VaultgraphError);
          assert.equal(error.code, 'PROVIDER_BAD_RESPONSE');
          assert.equal((error.details as { level?: string }).level, 'item');
          assert.doesNotMatch(JSON.stringify([error.message, error.details]), /secret/);
        }
        resolve(failed.map(({ error }) => (error.details as { received?: string }).received));
      }).catch(reject);
    });

  test('fails alone: no known word, zeros, NaN', async () => {
    assert.deepEqual(await failuresOf(PLAIN, 'secret', '潮'), ['none', 'none']);
    const rows = [
      [9, 9],
      [3, 0],
      [-3, 0],
      [0, 0],
      [Number.NaN, 1],
    ];
    const received = ['a vector of zeros', 'a vector that is not finite'];
    assert.deepEqual(await failuresOf({ tokens: TOKENS, rows }, 'low tide', 'a low'), received);
  });

  test('also fails if all its weights are zero', async () => {
    assert.deepEqual(await failuresOf({ ...PLAIN, weights: [1, 1, 0, 1, 0] }, 'tide a'), ['a vector of zeros']);
  });
});
