// Tests where each edit of a note goes, how it is separated from its neighbours, and what is refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { editNote, type NoteEdit } from '../../../src/markdown/edit/note.ts';
import { assertEach } from '../../assert-each.ts';

const edit = (text: string, ...edits: NoteEdit[]): string => editNote('N.md', text, edits).text;

function refusal(text: string, ...edits: NoteEdit[]): VaultgraphError {
  try {
    edit(text, ...edits);
  } catch (refused) {
    if (refused instanceof VaultgraphError) return refused;
    throw refused;
  }
  return assert.fail('it was not refused');
}

/** The code, and the rule of an argument that is refused. */
function why(text: string, ...edits: NoteEdit[]): string {
  const { code, details } = refusal(text, ...edits);
  return 'issues' in details ? `${code} ${details.issues[0]?.path}: ${details.issues[0]?.rule}` : code;
}

const append = (text: string, target?: string): NoteEdit => ({ op: 'append', text, target });
const prepend = (text: string, target?: string): NoteEdit => ({ op: 'prepend', text, target });
const after = (target: string, text: string): NoteEdit => ({ op: 'insert_after', target, text });
const before = (target: string, text: string): NoteEdit => ({ op: 'insert_before', target, text });
const section = (target: string, text: string): NoteEdit => ({ op: 'replace_section', target, text });
const replace = (target: string, text: string, more: Partial<NoteEdit> = {}): NoteEdit => ({
  op: 'replace_text',
  target,
  text,
  ...more,
});

suite('append', () => {
  test('adds blocks at the end of the note, with a final line end if there was one', () => {
    assert.equal(edit('a', append('b')), 'a\n\nb');
    assert.equal(edit('a\n', append('b')), 'a\n\nb\n');
    assert.equal(edit('a\n\n\n', append('b')), 'a\n\n\nb\n');
    assert.equal(edit('', append('b')), 'b\n');
    assert.equal(edit('---\na: 1\n---', append('b')), '---\na: 1\n---\nb');
    assert.equal(edit('a\n', append('\n\n  b\n\nc  \n\n')), 'a\n\n  b\n\nc  \n');
  });

  test('continues a list or a table of the same kind only', () => {
    assert.equal(edit('- a\n', append('- b')), '- a\n- b\n');
    assert.equal(edit('- [ ] a\n  more\n', append('- [ ] b')), '- [ ] a\n  more\n- [ ] b\n');
    assert.equal(edit('1. a', append('2. b')), '1. a\n2. b');
    assert.equal(edit('* a\n', append('- b')), '* a\n\n- b\n');
    assert.equal(edit('> - a\n', append('- b')), '> - a\n\n- b\n');
    assert.equal(edit('| a |\n|---|\n', append('| 1 |\n| 2 |')), '| a |\n|---|\n| 1 |\n| 2 |\n');
    assert.equal(edit('| a |\n|---|\n', append('| b |\n|---|')), '| a |\n|---|\n\n| b |\n|---|\n');
    assert.equal(edit('| a |\n', append('| b |')), '| a |\n\n| b |\n');
  });

  test('to a heading goes after its own text, before its first subsection', () => {
    const text = '# A\n\na\n\n## B\n\nb\n\n# C\n';
    assert.equal(edit(text, append('x', '#A')), '# A\n\na\n\nx\n\n## B\n\nb\n\n# C\n');
    assert.equal(edit(text, append('x', '#A#B')), '# A\n\na\n\n## B\n\nb\n\nx\n\n# C\n');
    assert.equal(edit(text, append('x', '#C')), '# A\n\na\n\n## B\n\nb\n\n# C\n\nx\n');
    assert.equal(edit('# A\n- a\n\n# B\n', append('- b', '#A')), '# A\n- a\n- b\n\n# B\n');
  });

  test('is refused inside unclosed code, math, HTML or comments', () => {
    for (const open of ['```\n# a', '~~~', '$$\nx', '<!-- x', '%%\nx', '<pre>\n']) {
      assert.match(why(`# H\n\n${open}`, append('b')), /^INVALID_INPUT edits\.0: the note ends inside/, open);
      assert.match(why(`# H\n\n${open}`, append('b', '#H')), /^INVALID_INPUT edits\.0: the note ends inside/, open);
    }
    assert.equal(edit('- ```\n  code\n', append('b')), '- ```\n  code\n\nb\n');
  });
});

suite('prepend', () => {
  test('goes after the front matter and the blank lines below it', () => {
    assert.equal(edit('---\na: 1\n---\n\nb', prepend('x')), '---\na: 1\n---\n\nx\n\nb');
    assert.equal(edit('---\na: 1\n---\nb', prepend('x')), '---\na: 1\n---\nx\n\nb');
    assert.equal(edit('b', prepend('x')), 'x\n\nb');
    assert.equal(edit('- b', prepend('- x')), '- x\n- b');
  });

  test('does not turn existing text into front matter', () => {
    assert.equal(edit('b\n\n---\n', prepend('---\n\nx')), '\n---\n\nx\n\nb\n\n---\n');
  });
});

suite('insertion at a heading', () => {
  test('goes below its line, with or without a blank line as elsewhere in the note', () => {
    assert.equal(edit('# A\n\na\n', after('#A', 'x')), '# A\n\nx\n\na\n');
    assert.equal(edit('# A\na\n', after('#A', 'x')), '# A\nx\n\na\n');
    assert.equal(edit('# A\n- a\n', after('#A', '- x')), '# A\n- x\n- a\n');
    assert.equal(edit('# A\n# B\n', after('#A', 'x')), '# A\nx\n# B\n');
    assert.equal(edit('# A\n\n# B\n', after('#A', 'x')), '# A\n\nx\n\n# B\n');
    assert.equal(edit('# A\na\n# B', after('#B', 'x')), '# A\na\n# B\nx');
    assert.equal(edit('# B', prepend('x', '#B')), '# B\n\nx');
    assert.equal(edit('A\n===\na', after('#A', 'x')), 'A\n===\nx\n\na');
  });

  test('goes above its line', () => {
    assert.equal(edit('a\n\n# A\n', before('#A', 'x')), 'a\n\nx\n\n# A\n');
    assert.equal(edit('a\n# A\n', before('#A', 'x')), 'a\n\nx\n# A\n');
    assert.equal(edit('# A\n', before('#A', 'x')), 'x\n\n# A\n');
    assert.equal(edit('A\n---\n', before('#A', 'x')), 'x\n\nA\n---\n');
  });

  test('matches headings as links do: by path, without case and punctuation', () => {
    const text = '# A\n\n## Log\n\n# B\n\n## Log\n\n### #1: x\n';
    assert.equal(edit(text, after('#B#Log', 'x')), '# A\n\n## Log\n\n# B\n\n## Log\n\nx\n\n### #1: x\n');
    assert.match(edit(text, after('# b # LOG # #1 X', 'here')), /### #1: x\n\nhere\n$/);
    assert.equal(edit('# A\n\n# A\n', { ...after('#A', 'x'), line: 3 }), '# A\n\n# A\n\nx\n');
  });

  test('ignores headings in code, comments, quotes and lists', () => {
    for (const text of ['```\n# A\n```\n', '%%\n# A\n%%\n', '> # A\n', '- # A\n', '<!--\n# A\n-->\n', '    # A\n'])
      assert.equal(why(text, after('#A', 'x')), 'EDIT_TARGET_NOT_FOUND', text);
  });
});

suite('insertion at a block', () => {
  test('goes next to its paragraph, quote or table', () => {
    assert.equal(edit('a\nb ^p\n\nc', after('#^p', 'x')), 'a\nb ^p\n\nx\n\nc');
    assert.equal(edit('a\nb ^p\n\nc', after('^p', 'x')), 'a\nb ^p\n\nx\n\nc');
    assert.equal(edit('a\nb ^p\n\nc', before('#^p', 'x')), 'x\n\na\nb ^p\n\nc');
    assert.equal(edit('> a\n\n^q\n\nc', after('#^q', 'x')), '> a\n\n^q\n\nx\n\nc');
    assert.equal(edit('> a\n\n^q\n\nc', before('#^q', 'x')), 'x\n\n> a\n\n^q\n\nc');
    assert.equal(edit('| a |\n|---|\n^t\n', after('#^T', 'x')), '| a |\n|---|\n^t\n\nx\n');
  });

  test('stays in the list or quote that contains the block', () => {
    assert.equal(edit('- a ^i\n- b\n', after('#^i', '- x')), '- a ^i\n- x\n- b\n');
    assert.equal(
      edit('- a\n  - b ^i\n    - c\n  - d\n', after('#^i', '- x\n  y')),
      '- a\n  - b ^i\n    - c\n  - x\n    y\n\n  - d\n',
    );
    assert.equal(edit('- a\n\t- b ^i\n', before('#^i', '- x')), '- a\n\t- x\n\t- b ^i\n');
    assert.equal(edit('> a ^p\n\nb', after('#^p', 'x\n\ny')), '> a ^p\n>\n> x\n>\n> y\n\nb');
    assert.equal(edit('> > - a ^i\n', after('#^i', '- x')), '> > - a ^i\n> > - x\n');
    assert.match(why('- - a ^i\n', after('#^i', '- x')), /on one line with the mark of another list item/);
  });
});

suite('replace_section', () => {
  test('replaces everything below the heading, including subsections, and keeps the heading and the blank lines around it', () => {
    const text = '# A\n\na\n\n## B\n\nb\n\n\n# C\nc';
    assert.equal(edit(text, section('#A', 'x\n\n## Y')), '# A\n\nx\n\n## Y\n\n\n# C\nc');
    assert.equal(edit(text, section('#B', 'x')), '# A\n\na\n\n## B\n\nx\n\n\n# C\nc');
    assert.equal(edit(text, section('#C', 'x\n')), '# A\n\na\n\n## B\n\nb\n\n\n# C\nx');
    assert.equal(edit('# A\n\n# B\n', section('#A', 'x')), '# A\n\nx\n\n# B\n');
  });

  test('with an empty text leaves only the heading', () => {
    assert.equal(edit('# A\n\na\n\n# B\n', section('#A', '')), '# A\n\n# B\n');
    assert.equal(edit('# A\na\n# B\n', section('#A', '')), '# A\n# B\n');
    assert.equal(edit('# A\n\na', section('#A', '')), '# A');
    assert.equal(edit('# A\n\na\n', section('#A', ' ')), '# A\n');
    assert.equal(edit('# A\n\n# B', section('#A', '')), '# A\n\n# B');
  });

  test('refuses a text that repeats the heading', () => {
    assert.match(
      why('# A\n\na', section('#A', '# A\n\nx')),
      /INVALID_INPUT edits\.0\.text: it begins with the heading itself/,
    );
    assert.equal(edit('# A\n\na', section('#A', '## A\n\nx')), '# A\n\n## A\n\nx');
  });

  test('of a block keeps its id, its mark and its checkbox', () => {
    assert.equal(edit('a\nb ^p\n\nc', section('#^p', 'x')), 'x ^p\n\nc');
    assert.equal(edit('a ^p', section('#^p', 'x\n\n- y')), 'x ^p\n\n- y');
    assert.equal(edit('a ^p', section('#^p', 'x ^p\n\ny')), 'x ^p\n\ny');
    assert.equal(edit('- a ^i\n  - b\n- c', section('#^i', 'x\ny')), '- x\n  y ^i\n- c');
    assert.equal(edit('- [ ] a ^i', section('#^i', 'x')), '- [ ] x ^i');
    assert.equal(edit('- [ ] a ^i', section('#^i', '[x] y')), '- [x] y ^i');
    assert.equal(edit('1. a ^i', section('#^i', '2. y')), '2. y ^i');
    assert.equal(edit('> a\n> b ^p\n\nc', section('#^p', 'x\ny')), '> x\n> y ^p\n\nc');
    assert.equal(edit('> a\n\n^q\n', section('#^q', '> x')), '> x\n\n^q\n');
    assert.equal(edit('> a\n\n^q\n\nb', section('#^q', 'x')), 'x ^q\n\nb');
    assert.equal(edit('- a\n\n^l\n', section('#^l', '- x\n- y')), '- x\n- y\n\n^l\n');
    assert.match(why('a ^p\n', section('#^p', '```\ncode\n```')), /\^p would no longer name anything/);
    assert.equal(edit('a ^p\n\nb', section('#^p', '')), '\nb');
  });
});

suite('replace_text', () => {
  test('replaces every occurrence if there are as many as expected', () => {
    assert.equal(edit('a b c', replace('b', 'x\ny')), 'a x\ny c');
    assert.equal(edit('a b b', replace('b', '', { count: 2 })), 'a  ');
    assert.equal(edit('b\nb', replace('b', 'x', { line: 2 })), 'b\nx');
    assert.equal(edit('---\na: 1\n---\n', replace('a: 1', 'a: 2')), '---\na: 2\n---\n');
  });

  test('finds text with any line ends, and keeps them', () => {
    assert.equal(edit('a\r\nb\r\nc', replace('a\nb', 'x\ny\nz')), 'x\r\ny\r\nz\r\nc');
    assert.equal(edit('a\r\nb\nc\r\n', replace('a\nb\nc', 'x\ny\nz')), 'x\r\ny\nz\r\n');
    assert.equal(edit('a\rb', replace('a\r\nb', 'x\ny')), 'x\ry');
    assert.equal(edit('a\r\nb', replace('\n', ' ')), 'a b');
  });

  test('may change the headings it contains, and no others', () => {
    assert.equal(edit('# A\n', replace('A', 'B')), '# B\n');
    assert.equal(edit('# A\n', replace('# A', 'A')), 'A\n');
    assert.equal(edit('A\n===\n', replace('A', 'B')), 'B\n===\n');
    assert.equal(edit('a\n', replace('a', '# a')), '# a\n');
    assert.match(why('a\nb\n', replace('b', '---')), /"a" would become a heading by accident \(line 1/);
    assert.match(why('a\n\n---\n', replace('\n\n', '\n')), /"a" would become a heading by accident/);
    assert.match(why('a\n\n# B\n', replace('a', '```')), /the heading on line 3 would be lost/);
    assert.match(why('a ^p\n\nb', replace('a', '```\na')), /the block \^p on line 1 would lose its id/);
  });

  test('keeps front matter valid and in place', () => {
    assert.match(
      why('---\na: 1\n---\n', replace('1', '[')),
      /line \d, column \d of the front matter would not be valid YAML/,
    );
    assert.match(
      why('---\na: 1\n---\nb\n', replace('1\n---', '1\n--')),
      /the front matter would not end where it does/,
    );
    assert.match(why('x\n---\na: 1\n---\n', replace('x\n---', '---')), /the note would begin with front matter/);
    assert.equal(edit('---\na: [\n---\nb', replace('b', 'c')), '---\na: [\n---\nc');
  });

  test('whose text is missing names the most similar line', () => {
    const { code, details, hint } = refusal(
      '# A\n\nThe quick  brown Fox\njumps',
      replace('the quick brown fox\njumps', 'x'),
    );
    assert.equal(code, 'EDIT_TARGET_NOT_FOUND');
    assert.deepEqual('nearest' in details && details.nearest, { line: 3, text: 'The quick  brown Fox' });
    assert.match(hint, /line is 3/);
    for (const near of ['quik brown fox', 'Fox brown the quick', 'The qick brown Fox'])
      assert.match(refusal('a\n\nThe quick brown Fox', replace(near, 'x')).hint, /line is 3/, near);
    assert.equal(refusal('a', replace('something else', 'x')).code, 'EDIT_TARGET_NOT_FOUND');
  });

  test('whose text occurs too often offers the lines to choose from', () => {
    const { code, details, choices } = refusal('a b\nb\nb b', replace('b', 'x'));
    assert.equal(code, 'EDIT_TARGET_AMBIGUOUS');
    assert.deepEqual(details, { path: 'N.md', target: 'b', count: 4, expected: 1, lines: [1, 2, 3] });
    assertEach(choices?.items, ({ value, label }) => [value, label], [
      ['1', 'a b'],
      ['2', 'b'],
    ]);
    assert.equal(choices?.retryWith, 'edits.0.line');
    assert.equal(edit('a b\nb\nb b', replace('b', 'x', { line: 3, count: 2 })), 'a b\nb\nx x');
    assert.equal(why('aXa', replace('a', 'x', { count: 3 })), 'EDIT_TARGET_AMBIGUOUS');
    assert.equal(why('aaa', replace('aa', 'x')), 'EDIT_TARGET_AMBIGUOUS');
  });
});

suite('several edits', () => {
  test('refer to the original text, in any order', () => {
    const text = '# A\n\na\n\n# B\n\nb\n';
    const edits = [section('#A', '# not B\n\nb'), replace('b', 'c'), after('#B', 'x'), append('y')];
    const edited = '# A\n\n# not B\n\nb\n\n# B\n\nx\n\nc\n\ny\n';
    assert.equal(edit(text, ...edits), edited);
    assert.equal(edit(text, ...edits.toReversed()), edited);
  });

  test('at one place keep their order', () => {
    assert.equal(edit('a\n', append('b'), append('- c'), append('- d')), 'a\n\nb\n\n- c\n- d\n');
    assert.equal(edit('# A\n\n# B\n', after('#A', 'x'), before('#B', 'y')), '# A\n\nx\n\ny\n\n# B\n');
  });

  test('must not overlap', () => {
    assert.match(
      why('# A\n\na\n', section('#A', 'x'), replace('a', 'y')),
      /INVALID_INPUT edits\.1: it changes text that edits\.0 replaces/,
    );
    assert.match(
      why('# A\n\na ^p\n\nb\n', after('#^p', 'y'), section('#A', 'x')),
      /edits\.1: it changes text that edits\.0/,
    );
    assert.match(why('a a', replace('a', 'x', { count: 2 }), replace('a a', 'y')), /edits\.1/);
  });

  test('all apply or none', () => {
    assert.equal(why('a\n', append('b'), after('#Gone', 'c')), 'EDIT_TARGET_NOT_FOUND');
  });
});

suite('an edit is refused', () => {
  test('without text or a required target, or with a lone surrogate', () => {
    assert.match(why('a', append(' \n')), /edits\.0\.text: there is nothing to insert/);
    assert.match(why('a', append('\uD800')), /edits\.0\.text: it contains a lone surrogate/);
    assert.match(why('a', { op: 'insert_after', text: 'x' }), /edits\.0\.target: insert_after needs a target/);
    assert.match(why('a', { op: 'replace_section', text: 'x' }), /edits\.0\.target: replace_section needs a target/);
    assert.match(why('a', { op: 'replace_text', text: 'x', target: '' }), /edits\.0\.target: replace_text needs/);
    assert.match(why('a ^p', append('x', '#^p')), /edits\.0\.target: append takes a heading or nothing/);
  });

  test('whose text would swallow what follows it', () => {
    for (const open of ['```\ncode', '%%', '<!-- x', '$$\nx'])
      assert.match(why('# A\n\nb', after('#A', open)), /it opens code, math/);
  });

  test('that would change how other text is parsed', () => {
    assert.match(why('a ^p\n\n    [[code]]\n', after('#^p', '- x')), /line 5 would become a link: code/);
  });

  test('whose heading occurs twice, with the lines to choose from', () => {
    const { details, choices } = refusal('# A\n\n# B\n\n# a\n', after('#A', 'x'));
    assert.deepEqual(details, { path: 'N.md', target: '#A', count: 2, expected: 1, lines: [1, 5] });
    assertEach(choices?.items, ({ value }) => value, ['1', '5']);
  });

  test('whose heading is missing, with the existing headings', () => {
    assert.deepEqual(refusal('# A\n\n## B\n', after('#C', 'x')).details, {
      path: 'N.md',
      target: '#C',
      count: 0,
      outline: ['# A', '## B'],
    });
  });

  test('whose heading or block is misspelt, with similar ones', () => {
    for (const [target, similar] of [
      ['#Introducton', '#Introduction'],
      ['#intro-duction', '#Introduction'],
      ['#^blok1', '#^block1'],
    ] as const) {
      const { hint } = refusal('# Introduction\ntext ^block1\n\n## Other\n', after(target, 'x'));
      assert.equal(hint, `Similar: \`${similar}\`. Its headings: # Introduction · ## Other`);
    }
  });
});

test('a note keeps its kind of line ends', () => {
  assert.equal(editNote('N.md', '# A\r\n\r\na\r\n', [append('b\nc', '#A')]).text, '# A\r\n\r\na\r\n\r\nb\r\nc\r\n');
});

suite('inserted text is read as text', () => {
  test('after a line that continues an item from outside it, with as much indentation as the item still has', () => {
    const lazy = '- a\n- b\n\n    [[x]]\nlazy ^p';
    assert.equal(edit(lazy, after('#^p', 'c [[d]]')), `${lazy}\n\n   c [[d]]`);
    const nested = '- a\n  - b\n\n    c\nlazy ^p\n';
    assert.equal(edit(nested, after('#^p', '- d')), `${nested}\n   - d\n`);
    assert.equal(edit('> - a\n>\n>   b ^p\n', after('#^p', 'c')), '> - a\n>\n>   b ^p\n>\n>   c\n');
  });

  test('below an HTML block that a list would continue, and where a paragraph takes the place of a list', () => {
    assert.equal(edit('<div>\n</div>\n- a\n', append('- [[b]]')), '<div>\n</div>\n- a\n\n- [[b]]\n');
    assert.equal(edit('a\n- b\n- c\n\n^l\n', section('#^l', 'd')), 'a\n\nd ^l\n');
  });
});
