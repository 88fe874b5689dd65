// Tests properties of the parser for any text: it never throws, positions are exact, time is linear.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fileKindOf, type ParsedNote, type Position } from '../../../src/base/note.ts';
import { parseCanvas } from '../../../src/markdown/parse/canvas.ts';
import { decodeText, lineIndexAt, splitLines } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../../assert-each.ts';
import { isLong, runs } from '../../runner/effort.ts';
import { growsTooFast } from '../cpu-growth.ts';
import { hostileTexts } from '../hostile-texts.ts';
import { publicVault, readVault } from '../links/vault-folder.ts';

/** Checks every position of `note` against the text it was read from. */
function assertPlaces(text: string, note: ParsedNote): void {
  const lines = splitLines(text);
  const places = [...note.links, ...note.tags, ...note.headings];
  for (const { offset, line, column } of places) {
    assert.ok(offset >= 0 && offset < text.length, `offset ${offset} is in the text`);
    assert.equal(line, lineIndexAt(lines, offset) + 1);
    assert.equal(column, offset - (lines.starts[line - 1] ?? 0) + 1);
  }
  for (const { offset, end, kind } of note.links) {
    assert.ok(end > offset && end <= text.length, 'a link ends behind its start');
    const written = text.slice(offset, end);
    if (kind === 'embed') assert.ok(written.startsWith('!['));
    if (kind !== 'property') assert.match(written.slice(-1), /[\])]/);
    assert.match(written, /^!?\[/);
  }
  for (const { tag, offset, from } of note.tags)
    if (from === 'body') assert.equal(text.slice(offset, offset + tag.length), tag);
  for (const heading of note.headings) {
    const written = text.slice(heading.offset);
    const afterMark = written.slice(heading.level).trimStart();
    assert.ok(written.trimStart().startsWith(heading.text) || afterMark.startsWith(heading.text));
  }
  for (const { line, endLine, id } of note.blocks) {
    assert.ok(line >= 1 && endLine >= line && endLine <= lines.starts.length, `block ${id} is in the text`);
  }
  assert.ok(note.bodyOffset <= text.length);
}

const piece = fc.constantFrom(
  ...[
    '[[',
    ']]',
    '![[',
    '[',
    ']',
    '](',
    ')',
    '|',
    '\\|',
    '#',
    '# ',
    '#a',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    '> ',
    '- ',
    '  ',
    '    ',
    '\t',
  ],
  ...[
    '```',
    '~~~',
    '%%',
    '$$',
    '$',
    '<!--',
    '-->',
    '<div>',
    '<b>',
    '`',
    '\\',
    '^id',
    ' ^id\n',
    '---\n',
    '===\n',
    '|-|\n',
    '*',
    '_',
    '%20',
  ],
  ...[
    'a',
    'b c',
    'Ebb.md',
    '[x]: y\n',
    '1. ',
    '---\ntags: [a, b]\n---\n',
    '---\nup: "[[x]]"\n---\n',
    '🌊',
    'e\u0301',
    '港',
    '\0',
    '\uFEFF',
  ],
);
/** Blocks that end where they end, whatever comes behind them. */
const closedBlock = fc.constantFrom(
  ...['A [[Ebb]] and #flow.', '# On [[Neap|neap]]', 'Flow\n===', '- a [[Calm]]\n- b ^kid', '> [!tip] T\n> [x](Ebb.md)'],
  ...[
    '```\n[[none]] #none\n```',
    '| [[A\\|b]] |\n|---|\n| #c |',
    '%%\n[[Kept]]\n%%',
    '$$\n[[none]]\n$$',
    '<!-- [[none]] -->',
  ],
  ...['1. [ ] #task 🌊 ^one', 'text ^two', '![[p.png|10]] `[[none]]` $[[none]]$', '<div>\n[[none]]\n</div>', '* * *'],
);
const markdown = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

suite('any text', () => {
  test('made of marks is parsed with exact positions', () => {
    fc.assert(
      fc.property(markdown, (text) => assertPlaces(text, parseNote(text))),
      { numRuns: runs(1_500) },
    );
  });

  test('of any characters is parsed with exact positions', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => assertPlaces(text, parseNote(text))),
      { numRuns: runs(1_000) },
    );
  });

  test('has the same content with every kind of line end', () => {
    const shown = (text: string) => {
      const { links, tags, headings, blocks, properties } = parseNote(text);
      return {
        links: links.map(({ kind, link, display, line, column }) => ({ kind, link, display, line, column })),
        tags: tags.map(({ tag, line, column }) => ({ tag, line, column })),
        headings: headings.map(({ text: heading, level, line, column }) => ({ heading, level, line, column })),
        blocks,
        properties,
      };
    };
    const withFeeds = markdown.map((text) => text.replace(/\r\n?/g, '\n'));
    fc.assert(
      fc.property(withFeeds, (text) => {
        assert.deepEqual(shown(text.replaceAll('\n', '\r\n')), shown(text));
        assert.deepEqual(shown(text.replaceAll('\n', '\r')), shown(text));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('appended to another gives the content of both, with shifted positions', () => {
    const texts = fc.array(closedBlock, { minLength: 1, maxLength: 8 }).map((blocks) => `${blocks.join('\n\n')}\n\n`);
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const lines = first.split('\n').length - 1;
        const [one, other, both] = [parseNote(first), parseNote(second), parseNote(first + second)];
        const moved = <T extends Position>(found: readonly T[]): T[] =>
          found.map((at) => ({ ...at, line: at.line + lines, offset: at.offset + first.length }));
        const links = moved(other.links).map((link) => ({ ...link, end: link.end + first.length }));
        const blocks = other.blocks.map(({ id, line, endLine }) => ({
          id,
          line: line + lines,
          endLine: endLine + lines,
        }));
        assert.deepEqual(both.links, [...one.links, ...links]);
        assert.deepEqual(both.tags, [...one.tags, ...moved(other.tags)]);
        assert.deepEqual(both.headings, [...one.headings, ...moved(other.headings)]);
        assert.deepEqual(both.blocks, [...one.blocks, ...blocks]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('after `[[name]]:` never hides the link, whatever holds the line', () => {
    const names = fc.stringMatching(/^[^[\]|#\s\\`<$!%]+$/u);
    const containers = fc.array(fc.constantFrom('> ', '- ', '1. ', '- [ ] '), { maxLength: 3 });
    const rests = fc.constantFrom('word', ' https://tides.example', ' <a b>', '说明', ' [[Flow]]', ' "a title"', '');
    fc.assert(
      fc.property(containers, names, rests, (marks, name, rest) => {
        const [link] = parseNote(`${marks.join('')}[[${name}]]:${rest}\n`).links;
        assert.equal(link?.link, name);
      }),
      { numRuns: runs(500) },
    );
  });

  test('in a heading loses the Unicode blanks around it, and no other', () => {
    const blanks = fc.string({ unit: fc.constantFrom(...'\u00A0\u1680\u2003\u2009\u202F\u205F\u3000\uFEFF \t') });
    const words = fc.stringMatching(/^[\p{L}\p{N}]+(?:[ \u00A0\u3000]{1,2}[\p{L}\p{N}]+)?$/u);
    fc.assert(
      fc.property(blanks, words, blanks, (before, word, after) => {
        const headings = parseNote(
          `x\n\n## ${before}${word}${after}\n\n\u00A0${before}${word}${after}\n---\n`,
        ).headings;
        assert.deepEqual(
          headings.map(({ text, level }) => ({ text, level })),
          [word, word].map((text) => ({ text, level: 2 })),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  test('between the lines of front matter never throws, and gives properties or a fault', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'abc:[]{},-?&*!|>"\'% \n\t#'), { maxLength: 60 }), (signs) => {
        const note = parseNote(`---\n${signs.join('')}\n---\n[[x]]\n`);
        if (note.propertiesFault !== undefined) assert.deepEqual(note.properties, {});
      }),
      { numRuns: runs(1_000) },
    );
  });
});

suite('malicious texts', () => {
  for (const [name, text] of hostileTexts(20_000)) {
    test(`are parsed with exact positions: ${name}`, () => assertPlaces(text, parseNote(text)));
  }

  /** Eight times the text: a linear pass takes 8 times as long, a quadratic one 64 times. */
  const GROWTH = 8;
  /** A quadratic pass over 160,000 units takes far more than 100 ms. */
  const LIMIT = { noiseMs: 100, maxGrowth: 32 };

  if (isLong)
    test('take time proportional to their length', () => {
      const small = hostileTexts(20_000);
      const grown = [...hostileTexts(20_000 * GROWTH)].filter(([name, text]) =>
        growsTooFast(
          () => parseNote(small.get(name) ?? ''),
          () => parseNote(text),
          LIMIT,
        ),
      );
      assertEach(grown, ([name]) => name, []);
    });

  test('of deep lists take no more time than flat ones of the same length', () => {
    const lines = Array.from({ length: 1_000 }, (_, depth) => `${'  '.repeat(depth)}- x\n`);
    const shapes: Readonly<Record<string, string>> = {
      'a list in a list': lines.join(''),
      'with tabs': lines.join('').replaceAll('  ', '\t'),
      'in a quote': lines.map((line) => `> ${line}`).join(''),
      'of one line': `${'- '.repeat(500_000)}x\n`,
    };
    const deep = Object.entries(shapes).filter(([, text]) => {
      const flat = 'a line of words\n'.repeat(text.length / 16);
      return growsTooFast(
        () => parseNote(flat),
        () => parseNote(text),
        { noiseMs: 100, maxGrowth: 8 },
      );
    });
    assertEach(deep, ([name]) => name, []);
  });

  test('of many megabytes in one paragraph are parsed', () => {
    const links = parseNote('[[a]] '.repeat(400_000)).links;
    assert.equal(links.length, 400_000);
    assert.equal(parseNote(`[[${'a'.repeat(5_000_000)}`).links.length, 0);
    assert.equal(parseNote(`<a b="${'a'.repeat(5_000_000)}">[[x]]`).links.length, 1);
  });
});

suite('the public vaults', () => {
  for (const name of [
    'tasks-demo',
    'black-sun-lodge',
    'kepano',
    'foam-docs',
    'logseq-docs',
    'dendron-site',
    'oldwinter-zh',
    'johngrib-ko',
  ]) {
    const { folder, skip } = publicVault(name);
    test(`${name} is parsed completely, with exact positions`, { skip }, () => {
      for (const [path, bytes] of readVault(folder)) {
        const { text } = decodeText(bytes);
        if (fileKindOf(path) === 'note') assertPlaces(text, parseNote(text));
        if (fileKindOf(path) === 'canvas') assert.equal(parseCanvas(text).fault, undefined, path);
      }
    });
  }
});
