// Tests the quick reader of plain front matter: it gives the tree of the YAML library, or leaves the text to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isMap, isScalar, isSeq } from 'yaml';
import { parsePlainYaml } from '../../../src/markdown/properties/plain-yaml.ts';
import { rangeOf } from '../../../src/markdown/properties/property-values.ts';
import { parseYaml } from '../../../src/markdown/properties/yaml-tree.ts';

/** What front matter is read from. */
function shown(node: unknown): unknown {
  if (isMap(node)) return node.items.map(({ key, value }) => [shown(key), shown(value)]);
  if (isSeq(node)) return node.items.map(shown);
  if (!isScalar(node)) return node;
  return node.value === null ? { source: node.source } : { value: node.value, source: node.source, at: rangeOf(node) };
}

function shownByLibrary(source: string): unknown {
  const tree = parseYaml(source);
  return tree.fault === undefined ? shown(tree.contents) : tree.fault;
}

const PLAIN = [
  'title: Tide tables\ntags:\n  - sea\n  - "moon"\nrating: 4\n',
  'aliases: [One, "Two, and three", \'4\', 5, ]x]\n'.replace(', ]x', ''),
  'tags: []\nempty:\n\nnext:   \nlast: true',
  'created: 2024-01-01 10:30\nurl: https://example.org/a#b\nlink: "[[Tide]]"\n',
  'date created: 2024\n标题: 🍀 花园\nhex: 0x1F\nfloat: 1.50\nexp: 1e3\nnone: null\nyes: Yes\nbig: 12345678901234567890\n',
  'list:\n- a\n- b  \nother  :  ~tilde\n',
];

for (const source of PLAIN) {
  test(`the library reads the same from ${JSON.stringify(source)}`, () => {
    const map = parsePlainYaml(source);
    assert.ok(map, 'left to the library');
    assert.deepEqual(shown(map), shownByLibrary(source));
  });
}

const MORE = [
  'a:b\n',
  'a: b: c\n',
  'a: b # comment\n',
  'a: |\n  text\n',
  'a: b\n  continued\n',
  'a:\n  - b\n - c\n',
  'a:\n  b: c\n',
  'a: [b, [c]]\n',
  'a: [b,]\n',
  'a: &anchor b\n',
  'a: "b\\n"\n',
  'a: b\r\n',
  'a:\tb\n',
  '- a\n',
  `${'n'.repeat(2_000)}: a\n`,
  `a: ${'b'.repeat(70_000)}\n`,
];

for (const source of MORE) {
  test(`${JSON.stringify(source.slice(0, 30))} is left to the library`, () => {
    assert.equal(parsePlainYaml(source), undefined);
  });
}

const PIECES = [
  'a',
  'tags',
  'x y',
  '1',
  '0x1',
  'true',
  'null',
  '~',
  ':',
  ': ',
  '#',
  ' #',
  '-',
  '- ',
  '  - ',
  '[',
  ']',
  ', ',
  ',',
  '{',
  '}',
];
const SIGNS = [
  '"',
  "'",
  '\\',
  '|',
  '>',
  '&',
  '*',
  '!',
  '%',
  '@',
  '`',
  '?',
  '=',
  '.',
  '<<',
  ' ',
  '\t',
  '\r',
  '\n',
  '\n  ',
  '\u0085',
  '\u00a0',
  '🍀',
  '标',
];

test('any text has the tree of the library, or is left to it', () => {
  const anything = fc.array(fc.constantFrom(...PIECES, ...SIGNS), { maxLength: 12 });
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('one', '2', '"three, 3"', "'x'", '[]', '[a, "b", 3]', '') },
    anything.map((parts) => parts.join('')),
  );
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom('title', 'date created', 'tags ', 'true', 'é'), value)
      .map(([name, text]) => `${name}: ${text}`),
    fc.tuple(fc.constantFrom('- ', '  - ', '    -  '), value).map((parts) => parts.join('')),
    fc.constantFrom('list:', '', '  '),
    anything.map((parts) => parts.join('')),
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.boolean(), (lines, ends) => {
      const source = lines.join('\n') + (ends ? '\n' : '');
      const map = parsePlainYaml(source);
      if (map === undefined || map.items.length === 0) return;
      read += 1;
      assert.deepEqual(shown(map), shownByLibrary(source));
    }),
    { numRuns: 4_000 },
  );
  assert.ok(read > 400, `${read} were plain`);
});
