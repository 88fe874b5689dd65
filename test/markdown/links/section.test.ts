// Tests which part of a note `#…`, `#^…` and `:from-to` name, and how a note reference is parsed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseReference } from '../../../src/markdown/links/reference.ts';
import { lineRange, resolveSubpath, textOfLines } from '../../../src/markdown/links/section.ts';
import { lineCountOf } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { growsTooFast } from '../cpu-growth.ts';

const TEXT = '# A\n\n## Depth\nx ^one\n\n## Depth\ny\n\n# B\n## Depth\n- p\n  - q ^kid\n- r ^KID\n';
const outline = parseNote(TEXT);
const find = (subpath: string) => resolveSubpath(subpath, outline, lineCountOf(TEXT));

suite('a subpath', () => {
  test('names a section up to the next heading of its level', () => {
    assert.deepEqual(find('#A'), { line: 1, endLine: 8, others: [] });
    assert.deepEqual(find('#B#Depth'), { line: 10, endLine: 13, others: [] });
  });

  test('that matches several parts names the first and the others', () => {
    assert.deepEqual(find('#A#depth'), { line: 3, endLine: 5, others: [{ line: 6, endLine: 8 }] });
    assert.equal(find('#Depth')?.others.length, 2);
    assert.deepEqual(find('#^kid'), { line: 12, endLine: 12, others: [{ line: 13, endLine: 13 }] });
  });

  test('of one section in another is found once, however many have the same name', () => {
    const text = '# A\n## A\n### A\n# B\n## A\n# A\n## B\n### A\n';
    const lines = (subpath: string) => {
      const found = resolveSubpath(subpath, parseNote(text), lineCountOf(text));
      return found === null ? [] : [found, ...found.others].map(({ line, endLine }) => [line, endLine]);
    };
    assert.deepEqual(lines('#A#A'), [
      [2, 3],
      [3, 3],
      [8, 8],
    ]);
    assert.deepEqual(lines('#B#A'), [
      [5, 5],
      [8, 8],
    ]);
  });

  test('is found among very many in time that does not grow with their number', () => {
    const outlineOf = (count: number) => {
      const each = (at: number): string => `# Same\n\n## Part ${at}\n\ntext ^id${at}\n\n`;
      const many = parseNote(Array.from({ length: count }, (_, at) => each(at)).join(''));
      return () => {
        for (let at = 0; at < count; at += 1)
          for (const part of [`#Part ${at}`, `#^id${at}`, '#Part 0#Gone']) resolveSubpath(part, many, count * 6);
        for (const part of ['#Same', '#Same#Part 7', '#Same#Same']) resolveSubpath(part, many, count * 6);
      };
    };
    assert.ok(!growsTooFast(outlineOf(500), outlineOf(4_000), { noiseMs: 100, maxGrowth: 32 }));
  });

  test('that matches nothing is null', () => {
    for (const subpath of ['#None', '#B#A', '#^none', '#', '', '##', '#A#None#Depth'])
      assert.equal(find(subpath), null);
  });

  test('returns the text of its lines, with line ends as written', () => {
    assert.equal(textOfLines(TEXT, { line: 3, endLine: 4 }), '## Depth\nx ^one');
    assert.equal(textOfLines('a\r\nb\r\nc', { line: 1, endLine: 2 }), 'a\r\nb');
    assert.equal(textOfLines('a\n', { line: 1, endLine: 9 }), 'a');
    assert.equal(textOfLines('', { line: 1, endLine: 1 }), '');
    assert.equal(lineRange(5, 9, 4), null);
    assert.deepEqual(lineRange(2, 9, 4), { line: 2, endLine: 4 });
  });
});

suite('a block', () => {
  const blocks = (text: string) => parseNote(text).blocks;
  test('of an item includes nested items', () => {
    assert.deepEqual(blocks('- a ^x\n  - b\n\n    c\n- d\n'), [{ id: 'x', line: 1, endLine: 4 }]);
  });

  test('with its id on the line below is the whole list, quote or table', () => {
    assert.deepEqual(blocks('- a\n- b\n\n^x\n'), [{ id: 'x', line: 1, endLine: 2 }]);
    assert.deepEqual(blocks('t\n\n| a |\n|---|\n| b |\n^x\n'), [{ id: 'x', line: 3, endLine: 5 }]);
    assert.deepEqual(blocks('> a\n>\n> b\n\n^x\n'), [{ id: 'x', line: 1, endLine: 3 }]);
  });

  test('is not a paragraph that only contains an id', () => assert.deepEqual(blocks('a\n\n^x\n'), []));
});

suite('a note reference', () => {
  const parts = (reference: string) => {
    const read = parseReference(reference);
    return 'refused' in read ? read.refused : [read.name, read.part];
  };

  test('is split into name and part', () => {
    assert.deepEqual(parts('a/b.md'), ['a/b.md', { kind: 'whole' }]);
    assert.deepEqual(parts('[[b#A#B|shown]]'), ['b', { kind: 'subpath', subpath: '#A#B' }]);
    assert.deepEqual(parts('b#^id'), ['b', { kind: 'subpath', subpath: '#^id' }]);
    assert.deepEqual(parts('b:3-9'), ['b', { kind: 'lines', from: 3, to: 9 }]);
    assert.deepEqual(parts('b:3'), ['b', { kind: 'lines', from: 3, to: 3 }]);
    assert.deepEqual(parts('b:9-3'), ['b:9-3', { kind: 'whole' }]);
    assert.deepEqual(parts('@today'), ['@today', { kind: 'whole' }]);
  });

  test('keeps the whole text for titles that look like a reference', () => {
    assert.equal((parseReference('Genesis 1:3') as { whole: string }).whole, 'Genesis 1:3');
    assert.equal((parseReference('[[C# notes]]') as { whole: string }).whole, 'C# notes');
  });

  test('with an unsafe path is refused with the reason', () => {
    for (const [reference, reason] of [
      ['../x.md', /\.\./],
      ['a/../../x', /\.\./],
      ['/etc/passwd', /relative/],
      ['C:/x', /drive/],
      ['C:\\x', /drive/],
      ['a\\b', /backslash/],
      ['a\0b', /NUL/],
      ['a\uD800', /surrogate/],
      ['', /empty/],
      ['#Heading', /names no note/],
    ] as const) {
      assert.match(String(parts(reference)), reason);
    }
    assert.deepEqual(parts('a..b/...c'), ['a..b/...c', { kind: 'whole' }]);
  });
});
