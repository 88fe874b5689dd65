// Tests random changes of random front matter: values read back, nothing else changes, removal restores each byte.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parse } from 'yaml';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Properties, PropertyChanges, PropertyValue } from '../../../src/base/note.ts';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { editProperties } from '../../../src/markdown/properties/edit-properties.ts';
import { bodyStart } from '../../../src/markdown/properties/front-matter.ts';
import { nameOf, placeOfPair, readYamlSource } from '../../../src/markdown/properties/yaml-source.ts';
import { minimum, runs } from '../../runner/effort.ts';

/** Properties as people write them, each on lines of its own, and comments and blank lines between them. */
const PROPERTIES: readonly string[] = [
  'plain: some text',
  'number: 0x1F # hex',
  'float: 1.50',
  "single: 'it''s'",
  'double: "a \\" \\u00e9"',
  'date: 2024-01-01',
  'empty:',
  'empty2:   # nothing',
  'tags: [a, b]',
  'Tags2:\n  - a # one\n  # between\n  - "b"',
  'flush:\n- a\n- b',
  'spread: [\n  a, # one\n  b,\n]',
  'map:\n    x: 1\n    y: [1]',
  'list of maps:\n  - a: 1\n    b: 2\n  - - c\n    - d',
  'block: |\n  text\n   more\n\n  end',
  'keep: |+\n  text\n\n',
  'folded: >-\n  text\n  more',
  'lines: one\n  two',
  '"quoted key" : x',
  '? explicit\n: value',
  'anchor: &a [1]\nalias: *a',
  'typed: !!str 12',
  'template: {{date}}',
  'link: "[[Note|x]]"',
  '12: number name',
  '# a comment',
  '  # an indented comment',
  '',
];

const anyFront = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .uniqueArray(fc.constantFrom(...PROPERTIES), { maxLength: 8 })
      .map((lines) => lines.map((line) => `${line}\n`).join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{a: 1, "b": [x]}\n',
      '{\n  "a": 1,\n  "b": {}\n}\n',
      '{}\n',
      'a: 1\n...\n',
      '[broken\n',
    ),
  },
);

const anyText = fc
  .record({
    front: fc.option(anyFront, { nil: undefined, freq: 8 }),
    body: fc.constantFrom('', 'Body', 'Body\n', '\n\nBody\n', '---\n', '# H\n---\nx: 1\n---\n'),
    lineEnd: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  })
  .map(({ front, body, lineEnd }) =>
    `${front === undefined ? '' : `---\n${front}---\n`}${body}`.replaceAll('\n', lineEnd),
  );

const anyString = fc.oneof(
  fc.constantFrom(
    'yes',
    'NO',
    'null',
    '1',
    '-1.5e3',
    '0o17',
    '1:30',
    '~',
    '',
    ' ',
    'a: b',
    'x #y',
    '#t',
    '- a',
    '[[N]]',
    '{{d}}',
    "it's",
    '"q"',
    '\\',
    'a\nb',
    '\n',
    '\t',
    '---',
    '...',
    '\u0085',
    '\u2028',
    '\uFEFF',
    '|',
    '>',
    '%',
    '2024-01-01',
    '<<',
    '=',
    'é漢',
  ),
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const { value: anyValue } = fc.letrec<{ value: PropertyValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyString,
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('a', '__proto__', '1', 'a: b')), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }) as fc.Arbitrary<PropertyValue>,
  ),
}));

function tryEdit(text: string, changes: PropertyChanges): string | undefined {
  try {
    return editProperties('N.md', text, changes).text;
  } catch (refused) {
    assert.ok(refused instanceof VaultgraphError, String(refused));
    assert.ok(['PROPERTIES_INVALID', 'INVALID_INPUT'].includes(refused.code), refused.code);
    return undefined;
  }
}

const isExact = (value: PropertyValue): boolean => {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
};

/** The source of each property by its name, and the body. */
function slicesOf(text: string): Map<string, string> {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const source = bodyLine === 0 ? '' : text.slice(lines.starts[1], lines.starts[bodyLine - 1]);
  const yaml = readYamlSource(source, '\n');
  const places = (yaml.map?.items ?? []).map((pair) => ({ name: nameOf(pair, source), ...placeOfPair(yaml, pair) }));
  const isFlow = yaml.map?.flow === true;
  return new Map(
    places.map((place) => [
      place.name,
      isFlow ? source.slice(place.keyTo, place.valueTo) : source.slice(place.from, place.to),
    ]),
  );
}

function bodyOf(text: string): string {
  return text.slice(parseNote(text).bodyOffset);
}

suite('every change of properties', () => {
  test('that adds a property reads back, and removing it restores every byte', () => {
    let made = 0;
    fc.assert(
      fc.property(anyText, anyValue, (text, value) => {
        const written = tryEdit(text, { set: { 'new: one': value } });
        if (written === undefined) return;
        made += 1;
        assert.deepEqual(parseNote(written).properties['new: one'], value);
        assert.equal(tryEdit(written, { remove: ['NEW: one'] }), text);
      }),
      { numRuns: runs(1_000) },
    );
    assert.ok(made > minimum(600), `${made} were made`);
  });

  test('of an existing property reads back, and the source of the others is unchanged', () => {
    let made = 0;
    fc.assert(
      fc.property(anyText, fc.nat(20), fc.option(anyValue, { nil: undefined }), (text, pick, value) => {
        const { properties } = parseNote(text);
        const names = Object.keys(properties);
        const name = names[pick % names.length];
        if (name === undefined) return;
        const written = tryEdit(text, value === undefined ? { remove: [name] } : { set: { [name]: value } });
        if (written === undefined) return;
        made += 1;
        const expected: Record<string, PropertyValue | undefined> = Object.fromEntries([
          ...Object.entries(properties),
          [name, value],
        ]);
        if (value === undefined) delete expected[name];
        assert.deepEqual(parseNote(written).properties, expected);
        assert.equal(bodyOf(written), bodyOf(text));
        const [before, after] = [slicesOf(text), slicesOf(written)];
        for (const [other, slice] of before) if (other !== name) assert.equal(after.get(other), slice, other);
        assert.deepEqual(
          [...after.keys()].filter((key) => key !== name),
          [...before.keys()].filter((key) => key !== name),
        );
        if (value !== undefined && isDeepStrictEqual(value, properties[name])) assert.equal(written, text);
      }),
      { numRuns: runs(1_000) },
    );
    assert.ok(made > minimum(300), `${made} were made`);
  });

  test('writes every number that can be represented exactly', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const isWellFormed = JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(value));
        if (!isExact(value) || !isWellFormed) return;
        assert.notEqual(tryEdit('Body', { set: { a: value } }), undefined);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('writes texts that YAML 1.1 also reads as texts, except dates', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const written = tryEdit('', { set: { a: text, b: [text], [text === '' ? 'c' : text]: 1 } });
        if (written === undefined) return;
        const read = parse(written.slice(4, -4), {
          version: '1.1',
          schema: 'yaml-1.1',
          logLevel: 'error',
        }) as Properties;
        if (/^\d{4}-\d\d?-\d\d?/.test(text)) return;
        assert.deepEqual([read.a, read.b], text === 'a' ? [1, [text]] : text === 'b' ? [text, 1] : [text, [text]]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('of tags adds and removes only those', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.uniqueArray(fc.constantFrom('a', 'A/b', 'new', 'Ω-1'), { maxLength: 3 }),
        (text, tags) => {
          const written = tryEdit(text, { addTags: tags });
          if (written === undefined) return;
          const names = (of: string) =>
            parseNote(of)
              .tags.filter(({ from }) => from === 'properties')
              .map(({ tag }) => tag.toLowerCase());
          const before = new Set(names(text));
          assert.deepEqual(
            new Set(names(written)),
            new Set([...before, ...tags.map((tag) => `#${tag.toLowerCase()}`)]),
          );
          const removed = tryEdit(written, { removeTags: tags.filter((tag) => !before.has(`#${tag.toLowerCase()}`)) });
          assert.deepEqual(removed === undefined ? undefined : new Set(names(removed)), before);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
