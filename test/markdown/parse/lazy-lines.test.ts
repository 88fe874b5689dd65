// Lines that continue quotes and items lazily, blanks before tabs, and other marks that Obsidian reads in its own way.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../../assert-each.ts';

const LINKS: readonly [text: string, links: readonly string[]][] = [
  // After a line at the margin, no line of the item loses its indentation.
  ['- a\n    - P\nlazy\n\n    - [[X]]', []],
  ['- a\nlazy\n\n    [[X]]', []],
  ['10. a\nlazy\n\n    [[X]]', []],
  ['- a\n b\n\n     [[X]]', []],
  ['- a\n b\n\n    - [[X]]', ['X']],
  ['- a\n\n\t- b\nlazy\n\n\t- [[X]]', []],
  ['> - a\n> lazy\n>\n>     - [[X]]', []],
  ['- a\nlazy\n\n  - [[X]]', ['X']],
  ['- a\nlazy\n- b\n\n    - [[X]]', ['X']],
  ['- a\nlazy\n    - [[X]]', ['X']],
  ['- a\n    - [[X]]', ['X']],
  // An item without text on its first line.
  ['* \n\n\t* [[X]]', ['X']],
  ['- \n\n    [[X]]', ['X']],
  ['-\n\n\n  - [[X]]', ['X']],
  ['-\n\n[[X]]', ['X']],
  // Blanks before a tab are no code.
  [' \t[[X]]', ['X']],
  ['  \t- [[X]]', ['X']],
  [' \t> [[X]]', ['X']],
  ['\t[[X]]', []],
  ['    [[X]]', []],
  // A fence takes in the lines that a paragraph would.
  ['> ```\n[[X]]', []],
  ['- > ~~~\n[[X]]', []],
  ['> - ~~~\n[[X]]', []],
  ['- ```\n> [[X]]', []],
  ['> ~~~\n4. [[X]]', []],
  ['> ~~~\n- [[X]]', ['X']],
  ['> ~~~\n\n[[X]]', ['X']],
  ['> ~~~\n# [[X]]', ['X']],
  ['- ~~~\n- [[X]]', ['X']],
  ['- ~~~\n~~~\n[[X]]', []],
  ['4. a\n  > q\n\n   ```java\nx\n[[X]]', []],
  // Indented code ends a quote, and a quote goes on however far its mark is indented.
  ['> a\n    [[X]]', []],
  ['> a\n     > [[X]]', ['X']],
  ['>\nlazy\n    [[X]]', []],
  ['>\n- [[X]]', ['X']],
  ['> a\n^id\n    [[X]]', ['X']],
  // Another list, or a block that ends one, is code where it is indented as such; the next item of the list is not.
  ['100. a\n    - [[X]]', []],
  ['   - a\n    - [[X]]', ['X']],
  [' 10. a\n    ```\n[[X]]', ['X']],
  // After a checkbox the first block of the item begins.
  ['- [ ] ```\n  [[X]]', []],
  ['- [ ] 1. [[X]]', ['X']],
  ['- [ ] > [[X]]\n  > ~~~\n  > [[Y]]', ['X']],
  // A rule with a tab in it is none, so what is below it belongs to the item.
  ['-\t---\n\t[[X]]', ['X']],
  ['***\t\n\t[[X]]', ['X']],
  ['- ---\n\t[[X]]', []],
  // A link whose address is a link.
  ['[t]([https://x](https://x))', []],
  ['[t]([x](y))', ['[x](y)']],
];

for (const [text, links] of LINKS)
  it(`${JSON.stringify(text)} has the links ${JSON.stringify(links)}`, () => {
    assertEach(parseNote(text).links, ({ link }) => link, links);
  });

it('a line of no-break spaces ends a paragraph, and underlined it is an empty heading', () => {
  const headings = (text: string) =>
    parseNote(text).headings.map(({ text: heading, level, line }) => [heading, level, line]);
  assert.deepEqual(headings('*M*\n\u00a0\n-----'), [['', 2, 2]]);
  assert.deepEqual(headings('a\n\u2003\n==='), [['', 1, 2]]);
  assert.deepEqual(headings('a\nb\n---'), []);
  assert.deepEqual(headings('a\n ==='), []);
  assert.deepEqual(headings('- [ ] # a'), []);
});

it('a slash at the end of a tag belongs to it only before another tag', () => {
  const tags = (text: string) => parseNote(text).tags.map(({ tag }) => tag);
  assert.deepEqual(tags('#A/#B'), ['#A/', '#B']);
  assert.deepEqual(tags('#A//#B #C/'), ['#A//', '#B', '#C']);
  assert.deepEqual(tags('#1/#B'), []);
});

it('a line is one task, whatever begins after its checkbox', () => {
  const tasks = parseNote('- [ ] - [x] a\n- [x] 1. b\n- [ ] # c\n').tasks.map(({ mark, text }) => [mark, text]);
  assert.deepEqual(tasks, [
    [' ', '- [x] a'],
    ['x', '1. b'],
    [' ', '# c'],
  ]);
});
