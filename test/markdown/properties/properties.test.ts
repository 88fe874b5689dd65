// Tests edits of front matter: what is kept byte for byte, how values are written, what is refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { fileKindOf, type PropertyChanges } from '../../../src/base/note.ts';
import { decodeText } from '../../../src/markdown/parse/lines.ts';
import { editProperties } from '../../../src/markdown/properties/edit-properties.ts';
import { publicVault, readVault } from '../links/vault-folder.ts';

const edit = (text: string, changes: PropertyChanges): string => editProperties('N.md', text, changes).text;
const note = (...yaml: string[]): string => `---\n${yaml.map((line) => `${line}\n`).join('')}---\nBody\n`;

function refusal(text: string, changes: PropertyChanges): VaultgraphError {
  try {
    edit(text, changes);
  } catch (refused) {
    if (refused instanceof VaultgraphError) return refused;
    throw refused;
  }
  return assert.fail('it was not refused');
}

suite('a new property', () => {
  test('is added at the end, in the style of the note', () => {
    assert.equal(edit(note('a: 1'), { set: { b: 'x' } }), note('a: 1', 'b: x'));
    assert.equal(edit(note('a:', '- 1'), { set: { b: [2] } }), note('a:', '- 1', 'b:', '- 2'));
    assert.equal(edit(note('a:', '    b: 1'), { set: { c: { d: 2 } } }), note('a:', '    b: 1', 'c:', '    d: 2'));
    assert.equal(edit(note('  a: 1'), { set: { b: 2 } }), note('  a: 1', '  b: 2'));
  });

  test('creates front matter if there is none, with the line ends of the note', () => {
    assert.equal(edit('Body', { set: { a: 1 } }), '---\na: 1\n---\nBody');
    assert.equal(edit('Body\r\nmore\r\n', { set: { a: 1 } }), '---\r\na: 1\r\n---\r\nBody\r\nmore\r\n');
    assert.equal(edit('', { set: { a: 1 } }), '---\na: 1\n---\n');
    assert.equal(edit('---\nno end', { set: { a: 1 } }), '---\na: 1\n---\n---\nno end');
  });

  test('goes before the document end mark and after comments', () => {
    assert.equal(edit(note('a: 1', '# c', '...'), { set: { b: 2 } }), note('a: 1', '# c', 'b: 2', '...'));
    assert.equal(edit(note('# only'), { set: { b: 2 } }), note('# only', 'b: 2'));
    assert.equal(
      edit(note('a: |+', '  x', '', '', '# c'), { set: { b: 2 } }),
      note('a: |+', '  x', '', '', '# c', 'b: 2'),
    );
  });

  test('goes inside the braces of a flow map', () => {
    assert.equal(edit(note('{"a": 1}'), { set: { b: 'x' } }), note('{"a": 1, "b": "x"}'));
    assert.equal(edit(note('{', '  "a": 1', '}'), { set: { b: [1] } }), note('{', '  "a": 1,', '  "b": [1]', '}'));
    assert.equal(edit(note('{a: 1,}'), { set: { b: null } }), note('{a: 1, b: null,}'));
    assert.equal(edit(note('{}'), { set: { b: 'x' } }), note('{b: x}'));
  });

  test('can be removed again, which restores every byte', () => {
    const texts = [
      ['a: 1 # c', '', '# d', 'b:   "x"'],
      ['a: |+', '  x', '', ''],
      ['a: >-', '  x', '...', '# behind'],
      ['{"a": 1, "b": [2]}'],
      ['{', '  a: 1,', '}'],
      ['{ }'],
      ['# only a comment'],
      ['', ''],
      [],
    ].map((lines) => note(...lines));
    for (const text of [...texts, '', 'Body', '# Heading\n', '---\n', '---\n---', 'a\r\nb', 'a\rb\r', '---  \nx']) {
      for (const value of ['x', null, ['a', ['b']], { c: { d: [1, { e: 2 }] } }, 'two\nlines', '']) {
        const set = edit(text, { set: { 'new one': value } });
        assert.notEqual(set, text);
        assert.equal(edit(set, { remove: ['new one'] }), text, JSON.stringify(set));
      }
    }
  });
});

suite('an existing property', () => {
  test('is found by its name regardless of case, and keeps its spelling and its place', () => {
    assert.equal(
      edit(note('a: 1', 'Status: open', 'b: 2'), { set: { status: 'done' } }),
      note('a: 1', 'Status: done', 'b: 2'),
    );
    assert.equal(edit(note('A: 1', 'a: 2'), { set: { a: 3 } }), note('A: 1', 'a: 3'));
  });

  test('keeps its comment, its blanks and its quotes', () => {
    assert.equal(edit(note('a:   1  # c'), { set: { a: 2 } }), note('a:   2  # c'));
    assert.equal(edit(note(`a: 'x' # c`), { set: { a: "it's" } }), note(`a: 'it''s' # c`));
    assert.equal(edit(note('a: "x"'), { set: { a: 'y' } }), note('a: "y"'));
    assert.equal(edit(note('a: # c', 'b: 1'), { set: { a: 'z' } }), note('a: z # c', 'b: 1'));
    assert.equal(edit(note('a: # c', '  - x', '  # d', 'b: 1'), { set: { a: 5 } }), note('a: 5 # c', '  # d', 'b: 1'));
    assert.equal(edit(note('a: 1 # c', 'b: 1'), { set: { a: ['x'] } }), note('a: # c', '  - x', 'b: 1'));
    assert.equal(edit(note('a: [1, 2] # c'), { set: { a: ['x'] } }), note('a: [x] # c'));
  });

  test('that has an equal value is unchanged, however it is written', () => {
    const text = note('n: 0x1F', 'f: 1.50', 'd: 2024-01-01', "q: 'x'", 'y: True', 'e: ~', 'l: [ a,b ]');
    const same = { n: 31, f: 1.5, d: '2024-01-01', q: 'x', y: true, e: null, l: ['a', 'b'] };
    assert.equal(edit(text, { set: same }), text);
  });

  test('loses and gains single items of a list', () => {
    const text = note('a:', '  - x # one', '  # between', '  - "y"', '  - z');
    assert.equal(
      edit(text, { set: { a: ['x', 'z', 'w'] } }),
      note('a:', '  - x # one', '  # between', '  - z', '  - w'),
    );
    assert.equal(edit(note("a: [x,  'y', z]"), { set: { a: ['y', 'z', 'w'] } }), note("a: ['y', z, w]"));
    assert.equal(
      edit(note('a: [', '  x,', '  y # c', ']'), { set: { a: ['x', 'y', 'z'] } }),
      note('a: [', '  x,', '  y,', '  z # c', ']'),
    );
    assert.equal(edit(note('a:', '  - x'), { set: { a: [] } }), note('a: []'));
  });

  test('is removed with all its lines and nothing else', () => {
    assert.equal(edit(note('a: |', '  x', '', '  y', '# c', 'b: 1'), { remove: ['a'] }), note('# c', 'b: 1'));
    assert.equal(edit(note('a:', '  - x', '  # d', 'b: 1'), { remove: ['a'] }), note('  # d', 'b: 1'));
    assert.equal(edit(note('{a: 1, b: 2, c: 3}'), { remove: ['a', 'c'] }), note('{b: 2}'));
    assert.equal(edit(note('a: 1'), { remove: ['A'] }), 'Body\n');
    assert.equal(edit(note('a: 1', '# c'), { remove: ['a'] }), note('# c'));
  });

  test('that is the last leaves empty front matter if the body would otherwise start with front matter', () => {
    assert.equal(edit('---\na: 1\n---\n---\nb: 1\n---\n', { remove: ['a'] }), '---\n---\n---\nb: 1\n---\n');
  });
});

suite('a value', () => {
  test('is quoted if it would read as something else, here or in other YAML readers', () => {
    const texts = [
      'yes',
      'No',
      'null',
      '~',
      '12',
      '1_000',
      '0o17',
      '12:30',
      '1e3',
      '',
      ' x',
      'x ',
      '- x',
      '#x',
      'a: b',
      'a #b',
      '[[N]]',
      '{{x}}',
      '*x',
      '@x',
      'x:',
    ];
    for (const text of texts) assert.equal(edit('', { set: { a: text } }), `---\na: ${JSON.stringify(text)}\n---\n`);
  });

  test('stays plain if it reads as itself', () => {
    for (const text of [
      'open',
      'Paris, France',
      'a:b',
      'x#y',
      '2026-11-20',
      '2026-11-20T10:00:00',
      "it's",
      'C++',
      '満潮',
      '1st',
      'v1.2.3',
    ])
      assert.equal(edit('', { set: { a: text } }), `---\na: ${text}\n---\n`);
  });

  test('stays as it was written if it is an item that looks like a link', () => {
    const linked = [[['A|a']], [['B – c|b']], [['D, e']]];
    const written = edit(note('on:', '- [[A|a]]'), { set: { on: linked } });
    assert.equal(written, note('on:', '- [[A|a]]', '- [[B – c|b]]', '- [["D, e"]]'));
  });

  test('has lists and maps on lines of their own, but for lists in lists', () => {
    const written = edit('', { set: { a: ['x', ['w'], { b: 1, c: ['z'] }, [], null], d: { e: {}, f: null } } });
    const lines = [
      'a:',
      '  - x',
      '  - [w]',
      '  - b: 1',
      '    c:',
      '      - z',
      '  - []',
      '  - null',
      'd:',
      '  e: {}',
      '  f:',
    ];
    assert.equal(written, `---\n${lines.join('\n')}\n---\n`);
  });
});

suite('tags and aliases', () => {
  test('are added once, with or without #, and removed', () => {
    assert.equal(edit(note('tags:', '  - x'), { addTags: ['#w', 'X', 'w'] }), note('tags:', '  - x', '  - w'));
    assert.equal(edit(note('Tags: [x, y]'), { addTags: ['a/b'], removeTags: ['#X'] }), note('Tags: [y, a/b]'));
    assert.equal(edit(note('aliases: [A]'), { addAliases: ['B, c'] }), note('aliases: [A, "B, c"]'));
    assert.equal(edit(note('tags:', '  - a/b'), { removeTags: ['a'] }), note('tags:', '  - a/b'));
  });

  test('become a list if they were one text or nothing', () => {
    assert.equal(edit(note('tags: x # c'), { addTags: ['w'] }), note('tags: # c', '  - x', '  - w'));
    assert.equal(edit(note('tags:'), { addTags: ['w'] }), note('tags:', '  - w'));
    assert.equal(edit(note('tags: [x]'), { removeTags: ['x'] }), note('tags: []'));
    assert.equal(edit('Body', { addTags: ['w'] }), '---\ntags:\n  - w\n---\nBody');
  });

  test('that cannot be removed because they are missing are reported', () => {
    const { text, notices } = editProperties('N.md', note('tags: [x]'), { removeTags: ['y'], remove: ['gone'] });
    assert.equal(text, note('tags: [x]'));
    assert.equal(notices.length, 2);
  });

  test('that are invalid are refused', () => {
    for (const tag of ['', '#', 'a b', '1984', 'a,b'])
      assert.equal(refusal('', { addTags: [tag] }).code, 'INVALID_INPUT');
    assert.equal(refusal(note('tags: a, b'), { addTags: ['c'] }).code, 'INVALID_INPUT');
    assert.equal(refusal(note('tags: {a: b}'), { removeTags: ['c'] }).code, 'INVALID_INPUT');
  });
});

suite('front matter is refused, with the position', () => {
  const at = (text: string, changes: PropertyChanges = { set: { new: 1 } }) => {
    const { code, details } = refusal(text, changes);
    return { code, details };
  };

  test('that does not parse', () => {
    const { code, details } = at(note('a: 1', 'b: c: d'));
    assert.equal(code, 'PROPERTIES_INVALID');
    assert.deepEqual({ ...details, reason: '' }, { path: 'N.md', line: 3, column: 4, reason: '' });
  });

  test('that has a duplicate name, is not a map, has two documents, or is too deep', () => {
    for (const text of [note('a: 1', 'a: 2'), note('- a'), note('a: 1', '---x', '...', 'b: 1'), note('['.repeat(900))])
      assert.equal(at(text).code, 'PROPERTIES_INVALID', text.slice(0, 40));
  });

  test('whose anchor is used by another property', () => {
    const text = note('a: &x', '  - 1', 'b: *x', 'c: 3');
    const { code, details } = at(text, { set: { a: [2] } });
    assert.equal(code, 'PROPERTIES_INVALID');
    assert.equal('line' in details && details.line, 2 + 1);
    assert.equal(at(text, { remove: ['a'] }).code, 'PROPERTIES_INVALID');
    assert.equal(edit(text, { set: { b: 1, c: 4 } }), note('a: &x', '  - 1', 'b: 1', 'c: 4'));
  });

  test('contradictory arguments and values that do not read back are refused', () => {
    const deep = JSON.parse('['.repeat(40) + ']'.repeat(40));
    for (const changes of [
      { set: { a: 1 }, remove: ['A'] },
      { set: { tags: ['x'] }, addTags: ['y'] },
      { set: { '': 1 } },
      { set: { a: deep } },
      { set: { a: '\uD800' } },
      { set: { a: 'x'.repeat(70_000) } },
      { set: { a: 1e300 * 1e300 } },
    ])
      assert.equal(refusal('Body', changes).code, 'INVALID_INPUT');
  });
});

test('setting and removing a property in every note of the public vaults restores every byte', async (t) => {
  for (const name of ['kepano', 'foam-docs', 'tasks-demo', 'black-sun-lodge']) {
    const { folder, skip } = publicVault(name);
    await t.test(name, { skip }, () => {
      for (const [path, bytes] of readVault(folder)) {
        const { text, encoding } = decodeText(bytes);
        if (fileKindOf(path) !== 'note' || encoding === 'invalid') continue;
        const set = { 'vaultgraph test': ['x', { y: 'z' }] };
        let written: string;
        try {
          written = editProperties(path, text, { set }).text;
        } catch (refused) {
          assert.ok(refused instanceof VaultgraphError && refused.code === 'PROPERTIES_INVALID', path);
          continue;
        }
        assert.equal(editProperties(path, written, { remove: ['vaultgraph test'] }).text, text, path);
      }
    });
  }
});
