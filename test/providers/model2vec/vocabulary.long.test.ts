// The word list off the heap: it must tokenize as the library does with its own, and leave the table in its file.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { checkModel } from '../../../src/providers/model2vec/loaded-model.ts';
import { failuresOf } from '../../../src/providers/model2vec/model-failures.ts';
import { openTokenizer } from '../../../src/providers/model2vec/open-tokenizer.ts';
import { createVocabulary, vocabularyData } from '../../../src/providers/model2vec/read-tokenizer.ts';
import { readTokenizer } from '../../../src/providers/model2vec/tokenizer.ts';
import { never } from '../../contracts/embedding/law.ts';
import { smallModel, withHeader, wordPiece, writeModel } from '../../fakes/model2vec-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TEXTS = ['README.md', 'docs/behaviour.md'].flatMap((page) => readFileSync(join(ROOT, page), 'utf8').split('\n'));
const STRANGE = ['', ' ', '潮の満ち引き', 'naïve façade', '🌊🌊 tide', '<s> low </s>', '[UNK] tide', 'xx'.repeat(200)];

/** A Unigram tokenizer whose tokens are pieces of the texts. */
function unigram() {
  const pieces = new Set(['<unk>', '▁', '<s>']);
  for (const word of TEXTS.join(' ').split(/\s+/))
    for (const length of [1, 2, 3, 5, 8]) for (const piece of [word, `▁${word}`]) pieces.add(piece.slice(0, length));
  const vocab = [...pieces].filter(Boolean).map((piece, at) => [piece, -1 - ((at * 7) % 13)] as const);
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    added_tokens: [{ id: 2, content: '<s>', ...special }],
    normalizer: null,
    pre_tokenizer: metaspace,
    post_processor: null,
    decoder: null,
    model: { type: 'Unigram', unk_id: 0, vocab, byte_fallback: false },
  };
}

const FILES = { WordPiece: wordPiece(smallModel().tokens), Unigram: unigram() };

for (const [kind, file] of Object.entries(FILES))
  test(`a ${kind} tokenizer finds the same tokens as the library`, async () => {
    const bytes = Uint8Array.from(Buffer.from(JSON.stringify(file)));
    const ours = await readTokenizer(bytes, failuresOf('m'));
    const library = await openTokenizer(structuredClone(file));
    const unknown = kind === 'Unigram' ? 0 : 1;
    for (const text of [...TEXTS, ...STRANGE]) {
      const part = text.slice(0, 400);
      const { ids } = library.encode(part, { add_special_tokens: false });
      const known = ids.filter((id) => id !== unknown);
      const counts = { count: ids.length, unknown: ids.length - known.length };
      assert.deepEqual(ours.tokensOf(part), { ids: known.slice(0, 512), ...counts }, part);
    }
  });

test('a vocabulary finds each of its tokens and no other', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `${'é潮🌊a'.charAt(at % 4)}${at.toString(36)}`);
  const { get, has, prefixes } = createVocabulary(vocabularyData(new Map(words.map((word, at) => [word, at * 3]))));
  for (const [at, word] of words.entries()) assert.equal(get(word), at * 3);
  for (const word of words) assert.equal(has(`${word}!`), false);
  assert.deepEqual([get(''), get(undefined)], [undefined, undefined]);
  const tide = createVocabulary(vocabularyData(new Map(['t', 'tid', 'tide', 'ide'].map((word, at) => [word, at]))));
  assert.deepEqual([...tide.prefixes([...'tides'], 0)], ['t', 'tid', 'tide']);
  assert.deepEqual([...tide.prefixes([...'tides'], 1)], ['ide']);
  assert.deepEqual([...prefixes(['~'], 0)], []);
});

test('a large table is not read into memory', async () => {
  const [rows, dims] = [200_000, 64];
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-large-'));
  try {
    writeModel(folder, smallModel());
    const end = rows * dims * 4;
    const header = withHeader(
      JSON.stringify({ embeddings: { dtype: 'F32', shape: [rows, dims], data_offsets: [0, end] } }),
      Buffer.alloc(dims * 4 * 200, 1),
    );
    writeFileSync(join(folder, 'model.safetensors'), header);
    truncateSync(join(folder, 'model.safetensors'), header.length - dims * 4 * 200 + end);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let most = 0;
    const watch = setInterval(() => {
      collect();
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 5);
    collect();
    const before = process.memoryUsage().arrayBuffers;
    assert.equal(await checkModel(folder, never).finally(() => clearInterval(watch)), dims);
    assert.ok(most - before < end / 2, `${most - before} of ${end} bytes`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
