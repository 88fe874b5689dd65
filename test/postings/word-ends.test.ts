// The last parts of compounds, through the text index.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { runs } from '../runner/effort.ts';
import { VaultOfWords } from './vault-of-words.ts';

const inBody = (text: string) => ['', '', '', '', '', text];

function vaultOf(...texts: readonly string[]): VaultOfWords {
  const vault = new VaultOfWords();
  vault.add(texts.map(inBody));
  return vault;
}

const found = (vault: VaultOfWords, word: string, limit = 100): string[] =>
  vault
    .index()
    .compoundsOf(word, limit)
    .map((one) => `${one.first} ${one.word} ${one.docFrequency}`);

test('a word is the last part of longer words, in its forms', () => {
  const vault = vaultOf(
    'Haftpflichtversicherung und Krankenversicherungen, versichert',
    'Haftpflichtversicherung ansvarsförsäkringarna Fahrschulen Krankenhaus',
  );
  const insured = ['kranken krankenversicherungen 1', 'haftpflicht haftpflichtversicherung 2'];
  assert.deepEqual(found(vault, 'versicherung'), insured);
  assert.deepEqual(found(vault, 'versicherungen'), insured);
  assert.deepEqual(found(vault, 'versicherung', 1), insured.slice(0, 1));
  assert.deepEqual(found(vault, 'forsakring'), ['ansvars ansvarsforsakringarna 1']);
  assert.deepEqual(found(vault, 'schule'), ['fahr fahrschulen 1']);
  assert.deepEqual(found(vault, 'haus'), ['kranken krankenhaus 1']);
});

test('no compound is found by three letters, by the whole of it, by other letters or by an ending alone', () => {
  const vault = vaultOf('Weinglas Haustür Versicherung электростанция homework networks 123versicherung');
  for (const word of ['tur', 'glas', 'versicherung', 'станция', 'worker', 'ungen', '', '!'])
    assert.deepEqual(found(vault, word), []);
});

const part = fc.constantFrom(
  'haft',
  'pflicht',
  'kranken',
  'schule',
  'schulen',
  'glas',
  'ung',
  'ungen',
  'arbeit',
  'xyzzy',
);
const compound = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

test('after any changes and merges, compounds are found as by a look at every word', () => {
  const texts = fc.array(compound, { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), compound, fc.nat(5), (notes, word, gone) => {
      const vault = new VaultOfWords();
      for (const words of notes) vault.add([inBody(words.join(' '))]);
      vault.remove(gone);
      const before = found(vault, word);
      vault.merge(0, notes.length);
      assert.deepEqual(found(vault, word), before);
      const living = new Set([...vault.notes.values()].flatMap((fields) => fields.join(' ').split(' ')));
      const isLast = (other: string) => other.endsWith(word) && other.length >= Math.max(9, word.length + 3);
      const listed = before.map((one) => one.split(' ')[1] ?? '');
      assert.deepEqual(
        [...living].filter((other) => word.length > 3 && isLast(other) && !listed.includes(other)),
        [],
      );
      assert.deepEqual(
        listed.filter((other) => !living.has(other)),
        [],
      );
    }),
    { numRuns: runs(1_000) },
  );
});
