// Tests signatures of texts: they estimate the share of common runs of words for long and short texts, and lines do not depend on blanks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimatedOverlap, firstLines, hashText, textSketch } from '../../../src/markdown/excerpt/text-signature.ts';

const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `word${from + at}`).join(' ');
const runsOf = (text: string): Uint32Array => {
  const { runs } = textSketch(hashText(text), new Set());
  assert.ok(runs !== null, text);
  return runs;
};

test('the overlap is estimated without a bias, for texts of any length', () => {
  for (const length of [10, 40, 150, 2_000]) {
    for (const share of [0.2, 0.5, 0.8]) {
      const shift = Math.round((length * (1 - share)) / (1 + share));
      const common = length - shift;
      const trials = 60;
      let sum = 0;
      for (let trial = 0; trial < trials; trial += 1) {
        const at = trial * 10_000;
        sum += estimatedOverlap(runsOf(words(at, at + length + 2)), runsOf(words(at + shift, at + shift + length + 2)));
      }
      const overlap = common / (length + shift);
      assert.ok(Math.abs(sum / trials - overlap) < 0.04, `${length} words: ${sum / trials} for ${overlap}`);
    }
  }
});

test('texts of the same runs have one signature, whatever their order and count', () => {
  const sentences = Array.from({ length: 40 }, (_, at) => words(at * 20, at * 20 + 20));
  const [once, twice] = [sentences, [...sentences, ...sentences]].map((all) => all.join('\n'));
  assert.equal(estimatedOverlap(runsOf(once as string), runsOf(twice as string)) > 0.9, true);
  assert.deepEqual(runsOf(once as string), runsOf(`---\ntitle: x\n---\n${once}`));
});

test('a line has the same hash whatever blanks are around it, and a blank one has none', () => {
  const [plain, indented] = ['First line\n\nSecond one', '  First line\t\n \t\r\n\tSecond one\r\n'].map(hashText);
  assert.equal(plain?.lines.length, 4);
  assert.deepEqual(indented?.lines, plain?.lines);
  assert.notDeepEqual(firstLines(hashText('First  line')), firstLines(hashText('First line')));
});
