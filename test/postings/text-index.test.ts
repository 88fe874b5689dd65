import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bestOf } from '../../src/postings/rank.ts';
import type { TextIndex } from '../../src/postings/text-index.ts';
import { type SoughtWords, soughtWords } from '../../src/postings/words.ts';
import { createSeededRandom } from '../bench/random.ts';
import { runs } from '../runner/effort.ts';
import { note, reference, scan, VaultOfWords, word } from './vault-of-words.ts';

const step = fc.oneof(
  fc.record({ add: fc.array(note, { minLength: 1, maxLength: 6 }) }),
  fc.record({ remove: fc.nat(20) }),
  fc.record({ rewrite: fc.nat(20), as: note }),
  fc.record({ merge: fc.nat(4), count: fc.integer({ min: 1, max: 4 }) }),
);
const sought = fc
  .record({ words: fc.array(word, { minLength: 1, maxLength: 3 }), kind: fc.constantFrom('word', 'phrase', 'prefix') })
  .map(({ words, kind }) => soughtWords({ text: words.join(' '), kind: kind as 'word' }))
  .filter((one) => one !== undefined);

function take(vault: VaultOfWords, one: typeof step extends fc.Arbitrary<infer Step> ? Step : never): void {
  const docs = [...vault.notes.keys()];
  if ('add' in one) vault.add(one.add);
  else if ('merge' in one) vault.merge(one.merge, one.count);
  else if ('remove' in one) vault.remove(docs[one.remove] ?? -1);
  else {
    vault.remove(docs[one.rewrite] ?? -1);
    vault.add([one.as]);
  }
}

function foundIn(index: TextIndex, term: SoughtWords) {
  const { notes, count, frequencies, fields } = index.tally(term);
  const found = [...notes.subarray(0, count)].map(
    (each) => [index.files[each] ?? -1, { frequency: frequencies[each] ?? 0, fields: fields[each] ?? 0 }] as const,
  );
  return new Map(found.sort(([one], [other]) => one - other));
}

/** With others that search between the steps. */
function foundInSteps(index: TextIndex, terms: readonly SoughtWords[]) {
  const steps = index.find(terms);
  let count = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    count += 1;
    const found = step.done ? step.value : new Map();
    index.withFound(found, () => terms.map((term) => foundIn(index, term)));
    if (!step.done) continue;
    const each = index.withFound(step.value, () => terms.map((term) => [term, foundIn(index, term)] as const));
    return Object.assign(new Map(each), { steps: count });
  }
}

function scoresOf(index: TextIndex, terms: readonly SoughtWords[]): Map<number, number> {
  const scores = index.scores();
  for (const term of terms) scores.add(index.tally(term), index);
  return new Map([...scores.matching(1)].map((each) => [index.files[each] ?? -1, scores.scores[each] ?? 0]));
}

test('after any changes and merges, words, phrases and prefixes are found as by a scan, with the same scores', () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(steps, fc.array(sought, { minLength: 1, maxLength: 4 }), (changes, terms) => {
      const vault = new VaultOfWords();
      for (const one of changes) take(vault, one);
      const index = vault.index();
      assert.equal(index.live, vault.notes.size);
      for (const term of terms) {
        const expected = scan(vault.notes, term);
        assert.deepEqual(foundIn(index, term), expected);
        assert.deepEqual(foundInSteps(index, [term]).get(term), expected);
        assert.equal(index.count(term, Number.POSITIVE_INFINITY), expected.size);
        assert.ok(expected.size <= 2 || index.count(term, 2) > 2);
      }
      const [actual, expected] = [scoresOf(index, terms), reference(vault.notes, terms)];
      assert.deepEqual([...actual.keys()].sort(), [...expected.keys()].sort());
      for (const [doc, score] of actual) assert.ok(Math.abs(score - (expected.get(doc) ?? 0)) < 1e-9);
    }),
    { numRuns: runs(3_000) },
  );
});

test('words with a beginning are listed in the order of their code points, with their notes', () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(steps, word, fc.integer({ min: 1, max: 9 }), (changes, start, limit) => {
      const vault = new VaultOfWords();
      for (const one of changes) take(vault, one);
      const all = [...new Set([...vault.notes.values()].flatMap((texts) => texts.join(' ').split(/(海)|\s/u)))];
      const [beginning] = soughtWords({ text: start, kind: 'word' })?.words ?? [];
      const expected = all
        .flatMap((each) => soughtWords({ text: each ?? '', kind: 'word' }) ?? [])
        .filter(({ words: [first] }) => Buffer.from(first ?? []).indexOf(Buffer.from(beginning ?? [])) === 0)
        .map((term) => ({ word: Buffer.from(term.words[0] ?? []), docFrequency: scan(vault.notes, term).size }))
        .sort((one, other) => Buffer.compare(one.word, other.word))
        .map(({ word, docFrequency }) => ({ word: word.toString(), docFrequency }));
      const distinct = [...new Map(expected.map((each) => [each.word, each])).values()];
      assert.deepEqual(vault.index().wordsFrom(beginning ?? new Uint8Array(0), limit), distinct.slice(0, limit));
    }),
    { numRuns: runs(1_000) },
  );
});

test('long lists, many rows and long words are found, also after a merge', () => {
  const vault = new VaultOfWords();
  const texts = Array.from({ length: 900 }, (_, at) => [
    '',
    '',
    '',
    '',
    '',
    `the the n${at} n${at % 7}x end ${'y'.repeat(300)}z`,
  ]);
  for (const from of [0, 300, 600]) vault.add(texts.slice(from, from + 300));
  vault.remove(301);
  for (const merged of [false, true]) {
    if (merged) vault.merge(0, 3);
    for (const text of ['the', 'the the', 'the n17', 'n3x end', 'n88', 'gone', `${'y'.repeat(300)}z`]) {
      const term = soughtWords({ text, kind: 'phrase' }) as SoughtWords;
      assert.deepEqual(foundIn(vault.index(), term), scan(vault.notes, term), text);
    }
    const prefix = soughtWords({ text: 'the n1', kind: 'prefix' }) as SoughtWords;
    assert.deepEqual(foundIn(vault.index(), prefix), scan(vault.notes, prefix));
  }
});

test('phrases and beginnings of words of all notes are found in several steps', () => {
  const vault = new VaultOfWords();
  const words = Array.from({ length: 700 }, (_, at) => `ab${at}`).join(' ');
  const notes = Array.from({ length: 300 }, (_, at) => [
    '',
    '',
    '',
    '',
    '',
    `${'of the '.repeat(300)} x${at} ${words}`,
  ]);
  vault.add(notes);
  const index = vault.index();
  for (const [text, kind] of [
    ['of the', 'phrase'],
    ['the o', 'prefix'],
    ['ab', 'prefix'],
  ] as const) {
    const term = soughtWords({ text, kind }) as SoughtWords;
    const found = foundInSteps(index, [term]);
    assert.ok(found.steps > 1, `${text} was found in one step`);
    assert.deepEqual(found.get(term), scan(vault.notes, term));
  }
});

test('the best notes are as many as wanted, and all that tie with the last', () => {
  const scores = Float64Array.of(1, 5, 3, 3, 4);
  const best = (wanted: number) => {
    const { better, tied } = bestOf(Int32Array.of(0, 1, 2, 3, 4), scores, wanted);
    return `${better.toSorted()}/${tied.toSorted()}`;
  };
  assert.deepEqual([0, 1, 2, 3, 4, 9].map(best), ['/', '/1', '1/4', '1,4/2,3', '1,4/2,3', '0,1,2,3,4/']);
});

test('few and many wanted notes are chosen alike', () => {
  const random = createSeededRandom(7);
  const notes = Int32Array.from({ length: 3_000 }, (_, note) => note);
  const scores = Float64Array.from(notes, () => random.below(900) / 7);
  const descending = scores.toSorted().reverse();
  for (const wanted of [1, 2, 20, 999, 1_000, 1_001, 2_999]) {
    const { better, tied } = bestOf(notes, scores, wanted);
    const least = descending[wanted - 1] as number;
    assert.deepEqual(
      better,
      notes.filter((note) => (scores[note] as number) > least),
    );
    assert.deepEqual(
      tied,
      notes.filter((note) => scores[note] === least),
    );
  }
});
