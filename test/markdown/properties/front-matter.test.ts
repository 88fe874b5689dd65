// Tests front matter: positions, faults, unusual names, and input that would overload a YAML parser.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decodeText } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../../assert-each.ts';

const withProperties = (yaml: string, body = '') => parseNote(`---\n${yaml}\n---\n${body}`);

suite('properties', () => {
  test('are plain data, dates and templates included', () => {
    const { properties } = withProperties(
      'day: 2024-07-21\nn: 0x1F\nyes: true\nmade: {{date}}\nlist: [a, {b: c}]\nempty:',
    );
    assert.deepEqual(properties, {
      day: '2024-07-21',
      n: 31,
      yes: true,
      made: { '{date}': null },
      list: ['a', { b: 'c' }],
      empty: null,
    });
  });

  test('named like members of Object.prototype are ordinary properties', () => {
    const { properties } = withProperties('__proto__: {admin: true}\nconstructor: x\ntoString: y');
    assert.deepEqual(Object.keys(properties), ['__proto__', 'constructor', 'toString']);
    assert.equal(Object.getPrototypeOf(properties), Object.prototype);
    assert.equal((properties as { admin?: unknown }).admin, undefined);
  });

  test('with numbers that cannot be represented exactly are kept as written', () => {
    const { properties } = withProperties('id: 12345678901234567890\nweird: .inf');
    assert.deepEqual(properties, { id: '12345678901234567890', weird: '.inf' });
  });

  test('with a language tag are text', () => {
    assert.deepEqual(withProperties('run: !!js/function "x"').properties, { run: 'x' });
    assert.deepEqual(withProperties('a: !!binary aGk=\nb: !!timestamp 2026-11-20').properties, {
      a: 'aGk=',
      b: '2026-11-20',
    });
  });

  test('may contain more brackets in total than may be open at once', () => {
    const links = Array.from({ length: 200 }, (_, at) => `  - "[[Note ${at}]] {"`);
    const lists = Array.from({ length: 200 }, (_, at) => `p${at}: [a, {b: c}] # [`);
    const { properties, propertiesFault } = withProperties(['see:', ...links, ...lists].join('\n'));
    assert.equal(propertiesFault, undefined);
    assert.equal(Object.keys(properties).length, 201);
  });

  test('that end with a document end mark are one document', () => {
    assert.deepEqual(withProperties('a: 1\n...').properties, { a: 1 });
  });

  test('that are nested too deeply affect only their own note', () => {
    const deep = [
      '['.repeat(900),
      `a:\n${' [ # ]\n'.repeat(7_000)}`,
      `a: ${'[ "]", '.repeat(8_000)}`,
      '- '.repeat(30_000),
    ];
    for (const yaml of [...deep, ...deep]) assert.ok(withProperties(yaml).propertiesFault);
    assert.deepEqual(withProperties('a: 1').properties, { a: 1 });
  });
});

suite('a fault', () => {
  test('has its line and column in the file, with every kind of line end', () => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const text = ['---', 'ok: 1', 'by: Ada: captain', '---', '#log'].join(lineEnd);
      const { propertiesFault, properties, tags } = parseNote(text);
      assert.deepEqual({ line: propertiesFault?.line, column: propertiesFault?.column }, { line: 3, column: 5 });
      assert.deepEqual(properties, {});
      assertEach(tags, ({ tag }) => tag, ['#log']);
    }
  });

  for (const [what, yaml, reason] of [
    ['a name used twice', 'a: 1\na: 2', /"a" is used twice/],
    ['a name used twice further in', 'a:\n  b: 1\n  b: 2', /"b" is used twice/],
    ['aliases that grow without end', `${aliasBomb()}`, /values/],
    ['an alias of itself', 'a: &a [*a]', /deeper/],
    ['an alias of nothing', 'a: *b', /anchored/],
    ['900 brackets', '['.repeat(900), /brackets/],
    ['900 lists in one line', '- '.repeat(900), /lists/],
    ['an indent of 300', `a:\n${' '.repeat(300)}b: 1`, /indented/],
    ['70,000 characters', `a: ${'b'.repeat(70_000)}`, /longer/],
    ['a list instead of properties', '- a\n- b', /no list of properties/],
    ['a tab as indent', 'a:\n\t- b', /[Tt]ab/],
    ['two documents', 'a: 1\n...\nb: 2', /second document/],
    ['a second document of one line', 'a: 1\n--- b', /second document/],
    ['a document end before anything', '...\na: 1', /.+/],
    ['65 brackets that only seem closed in a comment', `a:\n${' [ # ]\n'.repeat(65)}`, /brackets/],
    ['65 brackets that only seem closed in a text', `a: ${'[ "]", '.repeat(65)}`, /brackets/],
    ['65 maps whose ends are in their names', `a: ${'{ "}": '.repeat(65)}`, /brackets/],
    ['lists with anchors, 65 on one line', '- &a '.repeat(65), /lists/],
  ] as const) {
    test(`is ${what}`, () => {
      const note = withProperties(yaml, '[[x]]');
      assert.match(note.propertiesFault?.reason ?? '', reason);
      assert.deepEqual(note.properties, {});
      assert.equal(note.links.length, 1);
    });
  }

  function aliasBomb(): string {
    const rows = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
    return ['a0: &a0 x', ...rows].join('\n');
  }
});

suite('a link in a property', () => {
  test('has its key and its exact position, whatever the quotes and line ends', () => {
    const text = '---\r\nup: "[[Ebb]]"\r\nsee:\r\n  - \'[x](Flow.md)\'\r\n  - deep: >-\r\n      [[Calm]]\r\n---\r\n';
    const links = parseNote(text).links.map(({ key, link, line, column, offset, end }) => {
      return { key, link, line, column, written: text.slice(offset, end) };
    });
    assert.deepEqual(links, [
      { key: 'up', link: 'Ebb', line: 2, column: 6, written: '[[Ebb]]' },
      { key: 'see.0', link: 'Flow.md', line: 4, column: 6, written: '[x](Flow.md)' },
      { key: 'see.1.deep', link: 'Calm', line: 6, column: 7, written: '[[Calm]]' },
    ]);
  });

  test('is ignored if it is next to another one, external, or empty', () => {
    const { links } = withProperties('a: "[[x]] [[y]]"\nb: "[x](https://tides.example)"\nc: "[[]]"\nd: "![[x]]"');
    assert.deepEqual(links, []);
  });
});

suite('tags and aliases', () => {
  test('have the position of their text', () => {
    const text = '---\ntags:\n  - ebb\n  - "#flow"\n---\n';
    assert.deepEqual(
      parseNote(text).tags.map(({ tag, line, column, from }) => [tag, line, column, from]),
      [
        ['#ebb', 3, 5, 'properties'],
        ['#flow', 4, 6, 'properties'],
      ],
    );
  });

  test('that are invalid are reported in one line each', () => {
    const { tags, aliases, notices } = withProperties('tags: ebb, flow\naliases: High water, Flood');
    assert.deepEqual({ tags, aliases }, { tags: [], aliases: [] });
    assert.equal(notices.length, 2);
    assert.match(notices[0] ?? '', /tags: "ebb, flow".*write `tags: \[ebb, flow\]`/);
  });

  test('that are empty or absent are not reported', () => {
    assert.deepEqual(withProperties('tags: [ebb, ""]\naliases:').notices, []);
    assert.deepEqual(withProperties('other: 1').notices, []);
  });

  test('that are numbers are aliases but not tags', () => {
    const { tags, aliases, notices } = withProperties('tags: [1984]\naliases: [1984]');
    assert.deepEqual({ tags, aliases, reported: notices.length }, { tags: [], aliases: ['1984'], reported: 1 });
  });
});

suite('bytes', () => {
  test('lose their byte order mark, and invalid UTF-8 is replaced and flagged', () => {
    assert.deepEqual(decodeText(Buffer.from('\uFEFFé')), { text: 'é', encoding: 'utf-8' });
    assert.deepEqual(decodeText(Uint8Array.of(0x61, 0xc3, 0x28)), { text: 'a\uFFFD(', encoding: 'invalid' });
    assert.deepEqual(decodeText(new Uint8Array()), { text: '', encoding: 'utf-8' });
  });
});
