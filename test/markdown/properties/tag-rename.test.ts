// Tests the renaming of a tag in one text: which spellings are the tag, and that nothing else changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { renameTags } from '../../../src/markdown/properties/tag-rename.ts';
import { tagSpellings } from '../../../src/markdown/properties/tag-spellings.ts';
import { runs } from '../../runner/effort.ts';

const A_TO_B = { from: 'a', to: 'b', nested: true };
const ALONE = { ...A_TO_B, nested: false };

for (const [name, before, after, rename = A_TO_B] of [
  ['in the text', '#a #ab #a-b x#a (#a) #a/ #a.', '#b #ab #a-b x#a (#a) #b/ #b.'],
  ['in any case', '#A #a/X #A/x', '#b #b/X #b/x'],
  ['without the nested ones', '#a #a/x', '#b #a/x', ALONE],
  ['below another tag', '#x/a #a/a', '#x/a #b/a'],
  ['into a tag below it', '#a #a/x', '#a/b #a/b/x', { from: 'a', to: 'a/b', nested: true }],
  ['into the tag above it', '#a/x #a/x/y #a', '#a #a/y #a', { from: 'a/x', to: 'a', nested: true }],
  ['in another spelling only', '#Ä #ä', '#ä #ä', { from: 'ä', to: 'ä', nested: true }],
  [
    'never in code, comments of HTML and links',
    '`#a` [[n#a]] <!-- #a -->\n\n    #a\n```\n#a\n```\n',
    '`#a` [[n#a]] <!-- #a -->\n\n    #a\n```\n#a\n```\n',
  ],
  [
    'in comments, headings, quotes and tables',
    '%% #a %%\r\n# H #a\r\n> #a\r\n\r\n| #a |\r\n|-|\r\n',
    '%% #b %%\r\n# H #b\r\n> #b\r\n\r\n| #b |\r\n|-|\r\n',
  ],
  [
    'in lists of properties',
    '---\ntags: [a, "#a/x", \'a\', ab]  # c\n---\n#a',
    '---\ntags: [b, "#b/x", ab]  # c\n---\n#b',
  ],
  [
    'in lines of properties',
    '---\nTags:\n  - c\n  - a\n  - a/x # y\nx: a\n---\n',
    '---\nTags:\n  - c\n  - b\n  - b/x # y\nx: a\n---\n',
  ],
  ['in a single text', '---\ntags: a\n---\n', '---\ntags: b\n---\n'],
  ['a merged one once', '---\ntags:\n  - a\n  - c\n  - B\n---\n', '---\ntags:\n  - b\n  - c\n---\n'],
  [
    'a name that YAML reads as something else',
    '---\ntags: [a, "a"]\n---\n#a',
    '---\ntags: ["true"]\n---\n#true',
    { ...A_TO_B, to: 'true' },
  ],
  ['not in other properties', '---\ntag: a\ntags: a, b\n---\n', '---\ntag: a\ntags: a, b\n---\n'],
  ['in the text below invalid properties', '---\ntags: [a\n---\n#a', '---\ntags: [a\n---\n#b'],
] as const) {
  test(`renames a tag ${name}`, () => {
    const { text, reason } = renameTags('Log.md', before, rename);
    assert.equal(text, after);
    assert.equal(reason, undefined);
  });
}

test('renames tags of the text cards of a canvas', () => {
  const canvas = (tag: string) =>
    `{"nodes":[{"id":"1","type":"text","text":"x\\n#${tag} \\"#a\\" [[#a]]"},{"id":"#a","type":"group","label":"#a"}]}`;
  assert.equal(renameTags('Board.canvas', canvas('a'), A_TO_B).text, canvas('b'));
});

test('a tag that is not spelled out is left, with the reason', () => {
  const escaped = '---\ntags: ["\\x61"]\n---\n#a';
  assert.deepEqual(renameTags('Log.md', escaped, A_TO_B), {
    text: escaped,
    renamed: [],
    reason: 'a tag is not written in one piece',
  });
  const shared = '---\ntags: &t [a]\nmore: *t\n---\n';
  assert.equal(renameTags('Log.md', shared, A_TO_B).text, shared);
});

test('spellings that are not tags are found, others are not', () => {
  const text = '#a\n```query\ntag:#a tag:a/x tag:ab\n```\n`#a` [[n#a]] x#a "#a/y"\n```dataview\nFROM #A and #b\n```\n';
  assert.deepEqual(tagSpellings('Log.md', text, A_TO_B), [
    { line: 3, text: 'tag:#a tag:a/x tag:ab' },
    { line: 5, text: '`#a` [[n#a]] x#a "#a/y"' },
    { line: 7, text: 'FROM #A and #b' },
  ]);
  const base = 'filters: file.hasTag("a") && note["ab"] == "x a"\n';
  assert.equal(tagSpellings('All.base', base, A_TO_B).length, 1);
});

const piece = fc.constantFrom(
  ...[
    '#a',
    '#A/b',
    '#ab',
    '#a/',
    ' ',
    '\n',
    '\r\n',
    '`',
    '```\n',
    '[[',
    ']]',
    '|',
    '%%',
    '$',
    '# ',
    '- ',
    '<!--',
    '-->',
    'x',
    '\\',
  ],
);
const front = fc.constantFrom(
  '',
  '---\ntags: [a, c]\n---\n',
  '---\r\ntags:\r\n- a/x\r\n- "#a"\r\n---\r\n',
  '---\ntags: a\n---\n',
);

test('of any text only tags change, and each as the rename says', () => {
  fc.assert(
    fc.property(front, fc.array(piece, { maxLength: 30 }), fc.boolean(), (head, pieces, nested) => {
      const before = head + pieces.join('');
      const { text, reason } = renameTags('Log.md', before, { from: 'a', to: 'new/b', nested });
      const tagsOf = (note: string): string[] => parseNote(note).tags.map(({ tag, from }) => `${from} ${tag}`);
      const isMeant = nested ? /^(\w+) #a(?=\/|$)/i : /^(\w+) #a$/i;
      const wanted = tagsOf(before).map((tag) => tag.replace(isMeant, '$1 #new/b'));
      if (reason === undefined) assert.deepEqual(new Set(tagsOf(text)), new Set(wanted));
      else assert.equal(text, before);
      assert.equal(text.replaceAll('new/b', 'a').toLowerCase(), before.toLowerCase());
    }),
    { numRuns: runs(20_000) },
  );
});
