// Tests how a chunk that a model refuses is cut in two.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Chunk, chunkNote } from '../../../src/markdown/chunk/chunks.ts';
import { halvesOf, halvesOfLines } from '../../../src/markdown/chunk/halves.ts';
import { runs } from '../../runner/effort.ts';

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/** The parts that are left when every part that can be cut is. */
function partsOf(chunk: Chunk): Chunk[] {
  const halves = halvesOf(chunk);
  return halves === undefined ? [chunk] : halves.flatMap(partsOf);
}

describe('the halves of a chunk', () => {
  it('are cut where a break costs least, and keep a short path', () => {
    const paragraphs = [
      'The harbour is quiet. It lies below the cliff.',
      'The tide comes in. Boats rise with it slowly.',
    ];
    const halves = halvesOf({ text: `Tide\n\n${paragraphs.join('\n\n')}`, lines: [1, 5] });
    assert.deepEqual(
      halves?.map(({ text }) => text),
      paragraphs.map((text) => `Tide\n\n${text}`),
    );
    const [first, second] = halvesOf({ text: `Tide\n\n${paragraphs[0]} ${paragraphs[1]}`, lines: [1, 5] }) ?? [];
    assert.deepEqual(
      [first?.text, second?.text],
      paragraphs.map((text) => `Tide\n\n${text}`),
    );
  });

  it('do not repeat a path that is long beside the content', () => {
    const path = 'A very long title of a note > And a long heading below it';
    const [first, second] = halvesOf({ text: `${path}\n\nOne word, then another one.`, lines: [1, 5] }) ?? [];
    assert.equal(withoutBlanks(`${first?.text}${second?.text}`), withoutBlanks(`${path}One word, then another one.`));
  });

  it('have lines that together are those of the chunk', () => {
    const lines = Array.from({ length: 10 }, (_, at) => `Line ${at} has some words in it.`);
    const [chunk] = chunkNote('Tide', `# Ebb\n\n${lines.join('\n')}\n`, 450);
    const [first, second] = halvesOf(chunk as Chunk) ?? [];
    assert.deepEqual([chunk?.lines, first?.lines[0], second?.lines[1]], [[1, 12], 1, 12]);
    assert.deepEqual([first?.lines[1], second?.lines[0]], [7, 6], 'the second begins no later than its first line');
  });

  it('of lines of a note repeat nothing and begin at their own lines', () => {
    const lines = ['Short.', '', ...Array.from({ length: 8 }, (_, at) => `Line ${at} has some words in it.`)];
    const halves = halvesOfLines({ text: lines.join('\n'), lines: [11, 20] }) ?? [];
    for (const { text, lines: span } of halves)
      assert.deepEqual(text.split('\n'), lines.slice(span[0] - 11, span[1] - 10));
    const [first, second] = halves;
    assert.deepEqual([first?.lines[0], second?.lines], [11, [(first?.lines[1] ?? 0) + 1, 20]]);
  });

  it('are none for a text of 64 characters', () => {
    assert.equal(halvesOf({ text: 'x'.repeat(64), lines: [1, 1] }), undefined);
    assert.equal(halvesOf({ text: 'x'.repeat(65), lines: [1, 1] })?.length, 2);
  });

  it('hold all characters in order, are never blank, and end within a few cuts', () => {
    const unit = fc.constantFrom('a', 'é', '潮', '𝕏', ' ', '\n', '\n\n', '. ', '。', 'word ');
    const text = fc.array(unit, { minLength: 1, maxLength: 900 }).map((some) => some.join('').trim() || 'x');
    const path = fc.constantFrom('', 'Tide\n\n', 'A title that is longer > With a heading\n\n');
    fc.assert(
      fc.property(path, text, (head, content) => {
        const chunk: Chunk = { text: head + content, lines: [3, 9] };
        const parts = partsOf(chunk);
        assert.deepEqual(partsOf(chunk), parts);
        for (const part of parts) {
          assert.ok(part.text.trim() !== '' && part.text.length <= 64 && part.text.isWellFormed(), part.text);
          assert.ok(part.lines[0] >= 3 && part.lines[0] <= part.lines[1] && part.lines[1] <= 9);
        }
        const left = parts.map((part) => withoutBlanks(part.text)).join('');
        if (head === '' && !content.includes('\n\n')) assert.equal(left, withoutBlanks(content));
        let at = 0;
        for (const character of withoutBlanks(content)) {
          at = left.indexOf(character, at) + 1;
          assert.ok(at > 0, 'every character is in one of the parts, after the one before');
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
