// Tables stored with one byte per number: the vectors stay almost the same.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeAsInt8 } from '../../../src/providers/model2vec/int8-table.ts';
import { never, vectorOf } from '../../contracts/embedding/law.ts';
import { type ModelToWrite, smallModel } from '../../fakes/model2vec-folder.ts';
import { withModel } from './model-folder.ts';

const TEXTS = ['harbour', 'the lamp of the lighthouse turns', 'She planted beans, quiet numbers.'];
const { weights = [], ...plain } = smallModel(64);
/** Rows of very different length, which one scale for all could not represent. */
const uneven = plain.rows.map((row, at) => row.map((number) => number * 10 ** (at % 7)));
const mapping = plain.tokens.map((_, at) => (at * 5) % plain.tokens.length);

const MODELS: Readonly<Record<string, ModelToWrite>> = {
  'without weights': plain,
  'with weights': { ...plain, weights },
  'with half floats': { ...plain, weights, type: 'F16' },
  'with a mapping': { ...plain, weights, mapping },
  'with a mapping and no weights': { ...plain, mapping, mappingType: 'I32' },
  'with rows of different length': { ...plain, rows: uneven, weights },
};

for (const [kind, model] of Object.entries(MODELS))
  test(`a model ${kind} keeps its vectors in a quarter of the bytes`, () =>
    withModel(model, async ({ capability, folder }) => {
      const before = await Promise.all(TEXTS.map((text) => vectorOf(capability, text)));
      const size = () => statSync(join(folder, 'model.safetensors')).size;
      const large = size();
      await storeAsInt8(folder, never);
      assert.ok(size() < large, `${size()} of ${large} bytes`);
      for (const [at, text] of TEXTS.entries()) {
        const after = await vectorOf(capability, text);
        const cosine = after.reduce((sum, number, dim) => sum + number * (before[at]?.[dim] ?? 0), 0);
        assert.ok(cosine > 0.9996, `${cosine} for ${text}`);
      }
      const small = size();
      await storeAsInt8(folder, never);
      assert.equal(size(), small);
    }));
