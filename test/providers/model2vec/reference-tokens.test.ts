// Token ids are those of the reference: `reference-tokens.jsonl` has texts, then small tokenizers with the ids that PyPI's tokenizers 0.23.3 gave for them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCharsmap } from '../../../src/providers/model2vec/charsmap.ts';
import { openTokenizer } from '../../../src/providers/model2vec/open-tokenizer.ts';

interface Tokenized {
  readonly kind: string;
  readonly file: object;
  readonly ids: readonly (readonly number[])[];
}

const lines = readFileSync(join(import.meta.dirname, 'reference-tokens.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const [texts, ...tokenizers] = lines.map((line) => JSON.parse(line)) as [string[], ...Tokenized[]];

for (const { kind, file, ids } of tokenizers)
  test(`${kind}: the ids are those of the reference, also of words that were met before`, async () => {
    const tokenizer = await openTokenizer(file);
    for (const _ of [1, 2])
      for (const [at, text] of texts.entries())
        assert.deepEqual(tokenizer.encode(text, { add_special_tokens: false }).ids, ids[at], JSON.stringify(text));
  });

test('a table of characters that is cut or not one leaves texts as they are', () => {
  for (const bytes of [
    [],
    [1],
    [255, 255, 255, 255],
    [8, 0, 0, 0, 0, 1],
    Array.from({ length: 64 }, (_, at) => at * 7),
  ])
    assert.equal(createCharsmap(Buffer.from(bytes).toString('base64'))('a ½ e\u0301'), 'a ½ e\u0301');
});
