// Tests the sections of a note: in order, complete, and each fits one prompt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { promptSections } from '../../../src/markdown/chunk/prompt-sections.ts';
import { sizeOf } from '../../../src/markdown/chunk/text-size.ts';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { MARK_TOKENS } from '../../../src/tools/llm/llm-session.ts';
import { coverage } from '../../../src/tools/llm/note-sections.ts';
import type { RequestedNote } from '../../../src/tools/notes/requested-note.ts';
import { runs } from '../../runner/effort.ts';

function noteOf(text: string): RequestedNote {
  const parsed = parseNote(text);
  const from = parsed.bodyOffset;
  const first = splitLines(text.slice(0, from)).starts.length + 1;
  const lines = [first, splitLines(text).starts.length] as const;
  return { path: 'A.md' as never, match: 'exact', title: 'A', etag: '', text, parsed, from, to: text.length, lines };
}

const sectionsFor = (note: RequestedNote, room: number, limit = Number.POSITIVE_INFINITY) =>
  promptSections({ ...note, firstLine: note.lines[0], maxTokens: room - MARK_TOKENS, limit });

test('a note that fits is one section that covers all of it but the front matter', () => {
  const note = noteOf('---\na: b\n---\n# One\n\nfirst\n\n# Two\n\nsecond\n');
  const [only, ...others] = sectionsFor(note, 1_000);
  assert.deepEqual([others, only?.end], [[], note.to]);
  assert.match(only?.text ?? '', /first[\s\S]*second/);
  assert.doesNotMatch(only?.text ?? '', /a: b/);
});

test('a thematic break at the start of a part is not front matter', () => {
  const text = 'Intro.\n---\na: b\n---\nEnd.\n';
  const note = { ...noteOf(text), from: 7, lines: [2, 5] as const };
  assert.match(sectionsFor(note, 1_000)[0]?.text ?? '', /a: b[\s\S]*End/);
});

test('every word is in exactly one section, in order, and each section fits the room', () => {
  const paragraph = fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 120 }));
  fc.assert(
    fc.property(
      fc.array(paragraph, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 300, max: 2_000 }),
      (parts, room) => {
        let word = 0;
        const nextWord = (): string => {
          word += 1;
          return `w${word}`;
        };
        const words = (count: number): string => Array.from({ length: count }, nextWord).join(' ');
        const text = parts
          .map(([isHeading, count]) => `${isHeading ? '## Part\n\n' : ''}${words(count)}.\n`)
          .join('\n');
        const note = noteOf(text);
        const sections = sectionsFor(note, room);
        const found = sections.flatMap((section) => section.text.match(/\bw\d+/g) ?? []);
        assert.deepEqual(
          found,
          Array.from({ length: word }, (_, at) => `w${at + 1}`),
        );
        for (const section of sections) assert.ok(sizeOf(section.text).tokens <= room - MARK_TOKENS);
        const ends = sections.map(({ end }) => end);
        assert.deepEqual(
          ends,
          ends.toSorted((one, other) => one - other),
        );
        const { covered, total } = coverage(note, ends.at(-1) ?? 0);
        assert.equal(covered, total);
      },
    ),
    { numRuns: runs(60) },
  );
});

test('the first sections of a long note are those of all', () => {
  const paragraphs = Array.from(
    { length: 4_000 },
    (_, at) => `${at % 9 === 0 ? '## Part\n\n' : ''}Line ${at} of it.\n`,
  );
  for (const text of [paragraphs.join('\n'), 'word '.repeat(40_000), '[['.repeat(60_000)]) {
    const note = noteOf(text);
    const all = sectionsFor(note, 1_000);
    for (const limit of [1, 3]) assert.deepEqual(sectionsFor(note, 1_000, limit), all.slice(0, limit));
    assert.equal(sectionsFor(note, 0, 1).length, 1, 'a prompt without room for the note');
  }
});
