// Tests the edit that turns words into a link: edit_note accepts it, and it changes only that place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../../src/base/note.ts';
import { editNote } from '../../../src/markdown/edit/note.ts';
import { linkAt } from '../../../src/markdown/links/insert-links.ts';
import { mentionsIn } from '../../../src/markdown/links/mentions.ts';
import { candidatesByName, resolveLink } from '../../../src/markdown/links/resolve-link.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { spelled } from '../../../src/tools/llm/suggest_links.ts';
import { minimum, runs } from '../../runner/effort.ts';

const path = (name: string): NotePath => name as NotePath;
const SOURCE = path('Notes/Here.md');
const PATHS = ['Moon.md', 'Sky/Moon.md', 'Notes/Tide.md', 'Deep/er/Old Harbour.md', 'a|b.md', 'Board.canvas'].map(path);
const files = candidatesByName([SOURCE, ...PATHS]);

function linkTo(target: string, text: string, from: number, to: number) {
  const spelling = spelled(path(target), SOURCE, files);
  return spelling === undefined ? undefined : linkAt(text, { from, to }, spelling);
}

test('the link has the shortest spelling that leads to the target and keeps the words', () => {
  const link = (text: string, words: string, target: string) => {
    const from = text.indexOf(words);
    return linkTo(target, text, from, from + words.length)?.link;
  };
  assert.equal(link('The Tide.', 'Tide', 'Notes/Tide.md'), '[[Tide]]');
  assert.equal(link('The tide.', 'tide', 'Notes/Tide.md'), '[[Tide|tide]]');
  assert.equal(link('By the moon.', 'moon', 'Sky/Moon.md'), '[[Sky/Moon|moon]]');
  assert.equal(link('A board.', 'board', 'Board.canvas'), '[[Board.canvas|board]]');
  assert.equal(link('| a tide |\n| --- |\n| low tide |\n', 'low tide', 'Notes/Tide.md'), '[[Tide\\|low tide]]');
  assert.equal(link('Of a|b here.', 'here', 'a|b.md'), undefined, 'no wikilink can contain that name');
  assert.equal(link('In `tide`.', 'tide', 'Notes/Tide.md'), undefined, 'code is not a link');
});

const line = fc.constantFrom(
  'The tide and the Moon.',
  '- [ ] the old harbour at tide',
  '> quoted tide',
  '# Tide of the Moon',
  '| tide | moon |',
  '| --- | --- |',
  '`tide` in code, tide in text',
  '[[Tide]] and tide',
  'tide tide tide',
  '```',
  '%% tide %%',
  '**tide** _moon_ #tide',
  '[tide](moon.md) moon',
  '',
  '👩‍👩‍👧 tide 今日はmoonだ',
  '    tide indented',
  '$tide$ tide ^tide',
);

test('each mention of a note gives an edit that edit_note accepts and that changes nothing else', () => {
  const targets = { tide: 'Notes/Tide.md', moon: 'Sky/Moon.md', 'old harbour': 'Deep/er/Old Harbour.md' } as const;
  const ends = fc.constantFrom('\n', '\r\n');
  let made = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 9 }), ends, fc.boolean(), (lines, end, hasFront) => {
      const text = `${hasFront ? `---${end}a: tide${end}---${end}` : ''}${lines.join(end)}${end}`;
      const { links: before } = parseNote(text);
      for (const [name, target] of Object.entries(targets)) {
        for (const place of mentionsIn(text, [name])) {
          const written = linkTo(target, text, place.offset, place.end);
          if (written === undefined) continue;
          made += 1;
          const { link, edit } = written;
          const after = editNote(SOURCE, text, [edit]).text;
          assert.equal(after, text.slice(0, place.offset) + link + text.slice(place.end), JSON.stringify(text));
          const { links } = parseNote(after);
          const now = links.find(({ offset }) => offset === place.offset);
          assert.deepEqual([links.length, now?.display], [before.length + 1, place.text]);
          assert.equal(resolveLink(now?.link ?? '', SOURCE, files).path, target);
        }
      }
    }),
    { numRuns: runs(400) },
  );
  assert.ok(made > minimum(400), String(made));
});
