// Folds texts of several scripts, and finds the places in the text again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldText, foldWithOffsets, PLAIN_CHARACTERS } from '../../../src/markdown/excerpt/fold-text.ts';

const ACCENTED_OR_MARK = /[\p{sc=Latin}\p{M}]/u;

test('characters that are only put in lower case have no other form, accent or mark', () => {
  const plain = new RegExp(`[${PLAIN_CHARACTERS}]`, 'u');
  const characters = Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).filter(
    (character) => character > '\x7F' && plain.test(character),
  );
  assert.ok(characters.length > 30_000, String(characters.length));
  const others = characters.filter(
    (character) => character.normalize('NFKC').normalize('NFC') !== character || ACCENTED_OR_MARK.test(character),
  );
  assert.deepEqual(others, []);
});

test('folds letters, widths, accents and signs of several scripts', () => {
  const forms = [
    ['Überweg', 'uberweg'],
    ['ПРИВЕТ, Йод', 'привет, йод'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ＡＢＣ ｶﾞ', 'abc ガ'],
    ['漢字とカナ、한국어', '漢字とカナ、한국어'],
    ['\u1112\u1161\u11ab', '한'],
    ['مُحَمَّد', 'محمد'],
    ['“it’s” – Straße', '“it’s” – strasse'],
  ] as const;
  for (const [written, folded] of forms) assert.equal(foldText(written), folded);
});

test('finds the place in the text of a place in the folded text', () => {
  const text = '한국어 Straße — ﬁn, ПРИВЕТ Ende';
  const { folded, offsetOf } = foldWithOffsets(text);
  assert.equal(folded, '한국어 strasse — fin, привет ende');
  for (const [word, written] of [
    ['strasse', 'Straße'],
    ['fin', 'ﬁn'],
    ['привет', 'ПРИВЕТ'],
    ['ende', 'Ende'],
  ] as const) {
    assert.equal(offsetOf(folded.indexOf(word)), text.indexOf(written), word);
    assert.equal(offsetOf(folded.indexOf(word) + word.length), text.indexOf(written) + written.length, word);
  }
});
