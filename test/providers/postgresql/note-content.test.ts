// The packed content of one file: what is unpacked on another machine equals what was packed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packWords } from '../../../src/postings/word-collector.ts';
import { sealBytes, unsealBytes } from '../../../src/providers/postgresql/checked-values.ts';
import { packContent, unpackContent } from '../../../src/providers/postgresql/write/note-content.ts';
import { indexed } from '../../contracts/store/law.ts';

const TEXT =
  '---\nmost: .inf\nleast: -.inf\nnone: .nan\nzero: -0.0\nlist: [1, a, null]\n---\n# Ebb\nlow \0 water \ud83c\udf0a #tide';

test('content is unpacked as it was packed, with numbers that JSON lacks', () => {
  const note = indexed('Ebb.md', TEXT, { attachment: { text: 'a\0b', fault: 'x' } });
  const words = packWords([note]);
  const content = { encoding: note.encoding, parsed: note.parsed, attachment: note.attachment ?? { text: '' }, words };
  assert.deepEqual(unpackContent('Ebb.md', packContent('Ebb.md', content)), content);
});

test('content in the format of a later version is refused', () => {
  const note = indexed('Ebb.md', 'low');
  const packed = unsealBytes(packContent('Ebb.md', { ...note, words: packWords([note]) }), 'Ebb.md', 'a content');
  packed[0] = 99;
  assert.throws(() => unpackContent('Ebb.md', sealBytes(packed, 'Ebb.md')), { code: 'STORE_SCHEMA_TOO_NEW' });
});
