// Checks that lines are wrapped to a width in columns, with commands and URLs that can be copied.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { programName } from '../../src/base/command-line.ts';
import { cutToWidth, widthOf, wrapText } from '../../src/cli/screen/wrap-text.ts';

suite('text wrapped for a terminal', () => {
  test('characters have the columns that terminals give them', () => {
    for (const [text, width] of [
      ['abc', 3],
      ['潮汐', 4],
      ['ｶﾅ', 2],
      ['한국어', 6],
      ['e\u0301', 1],
      ['👩‍👩‍👧‍👦', 2],
      ['🫠', 2],
      ['✓', 1],
      ['❤️', 2],
      ['\u001b[31mred\u001b[39m', 3],
      ['a\u200bb', 2],
    ] as const)
      assert.equal(widthOf(text), width, text);
    assert.equal(cutToWidth('潮汐表', 5), '潮汐');
  });

  test('each line fits, and nothing but blanks at its ends changes', () => {
    const long = 'a'.repeat(130);
    for (const text of [
      'short\n\nand a line that is a little longer than forty columns, with words',
      `in ${long}/${long}/x.md and more`,
      '潮汐の表を見ると、満潮と干潮の時刻がわかります。'.repeat(4),
      `🌊 ${'👩‍👩‍👧‍👦'.repeat(60)}`,
      `label      ${'word '.repeat(40)}`,
      `  - ${'item '.repeat(40)}`,
    ])
      for (const columns of [80, 40, 21]) {
        const wrapped = wrapText(text, columns);
        for (const line of wrapped.split('\n')) assert.ok(widthOf(line) <= columns, line);
        assert.equal(wrapped.replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
      }
  });

  test('further lines begin below the text of a label or a mark', () => {
    assert.equal(wrapText('index      one two three four', 22), 'index      one two\n           three four');
    assert.equal(wrapText('  vault  one two three four', 22), '  vault  one two three\n         four');
    assert.equal(wrapText('a.very.long.key  one two three', 22), 'a.very.long.key  one\n  two three');
    assert.equal(wrapText('✓ node: one two three four five', 22), '✓ node: one two three\n  four five');
  });

  test('a command stays on one line, or continues after a backslash; a text that is not ours gets none', () => {
    const command = `${programName()} index --vault "my notes"`;
    const wrapped = wrapText(`The index is older than the notes: run \`${command}\` now`, widthOf(command) + 5);
    assert.ok(wrapped.includes(command), wrapped);
    const narrow = wrapText(`Run \`${command}\` now`, 30).split('\n');
    assert.ok(narrow.length > 2 && narrow.some((line) => line.endsWith(' \\')));
    assert.equal(narrow.join(' ').replaceAll(/ \\(?= )/g, ''), `Run \`${command}\` now`);
    assert.ok(!wrapText(`Run \`${command}\` now`, 30, false).includes('\\'));
  });

  test('a URL is never divided', () => {
    const url = `http://127.0.0.1:7332/?token=${'x'.repeat(80)}`;
    assert.ok(wrapText(`open ${url} in a browser`, 40).split('\n').includes(url));
  });
});
