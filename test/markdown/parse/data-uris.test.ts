// Tests that embedded files are left out of texts, and that nothing else is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blankDataUris, withoutDataUris } from '../../../src/markdown/parse/text-run.ts';
import { runs } from '../../runner/effort.ts';

test('a data URI is left out, from its scheme to the end of its data', () => {
  for (const [written, left] of [
    ['![x](data:image/png;base64,iVBORw0KGgo=) and', '![x]() and'],
    ['<img src="data:image/svg+xml;utf8,%3Csvg%3E" alt="a">', '<img src="" alt="a">'],
    ['[f](<data:text/plain;charset=utf-8;base64,QUJD>)', '[f](<>)'],
    ['data:;base64,QUJD next', ' next'],
    ['data:text/plain,a%20b', ''],
  ] as const) {
    assert.equal(withoutDataUris(written), left);
    assert.equal(blankDataUris(written).length, written.length);
  }
});

test('text that only looks like one stays', () => {
  for (const text of ['the data: 1,2', 'metadata:image/png,x', 'data:a,b', 'data:image/png', 'data:,x'])
    assert.equal(withoutDataUris(text), text);
});

const piece = fc.constantFrom(
  'data:',
  'image/png',
  ';base64',
  ',',
  'QUJD',
  ' ',
  '\n',
  '(',
  ')',
  '"',
  'x',
  ';a=b',
  '港',
);

test('lines and, with blanks, offsets stay the same in any text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const blank = blankDataUris(text);
      assert.equal(withoutDataUris(text).split('\n').length, text.split('\n').length);
      assert.equal(blank.length, text.length);
      for (const [at, sign] of [...blank].entries()) assert.ok(sign === ' ' || sign === [...text][at]);
      assert.equal(withoutDataUris(blank), blank, 'nothing is left of it');
    }),
    { numRuns: runs(1_000) },
  );
});
