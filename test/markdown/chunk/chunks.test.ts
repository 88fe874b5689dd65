// Tests where notes are cut into chunks, rule by rule.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chunkNote } from '../../../src/markdown/chunk/chunks.ts';
import { chunkTokensFor, sizeOf } from '../../../src/markdown/chunk/text-size.ts';
import { assertEach } from '../../assert-each.ts';
import { assertLawfulChunks } from './chunk-laws.ts';

const MAX = 450;
const lines = (...written: string[]): string => written.join('\n');
const chunks = (text: string, maxTokens = MAX) =>
  chunkNote('Tide', text, maxTokens).map((chunk) => [chunk.lines[0], chunk.lines[1], chunk.text]);
const words = (count: number, word = 'ebb'): string => Array.from({ length: count }, () => word).join(' ');
const sentences = (count: number): string =>
  Array.from({ length: count }, (_, n) => `Wave ${n} breaks here.`).join(' ');

test('chunks leave room in the context, and have a maximum size', () => {
  assert.deepEqual([256, 512, 2_048, 32_000].map(chunkTokensFor), [225, 450, 450, 450]);
});

suite('headings', () => {
  test('head their chunks with their path and are not repeated', () => {
    const text = lines('Before.', words(50), '# Sea', words(60), '## Ebb ##', words(70), '', 'Flow', '----', words(45));
    assert.deepEqual(chunks(text), [
      [1, 2, lines('Tide', '', 'Before.', words(50))],
      [3, 4, lines('Tide > Sea', '', words(60))],
      [5, 6, lines('Tide > Sea > Ebb', '', words(70))],
      [8, 10, lines('Tide > Sea > Flow', '', words(45))],
    ]);
  });

  test('that repeat the title are left out', () => {
    assert.deepEqual(chunks(lines('# tide', words(50), '## Ebb', words(50), '# Moon', words(50))), [
      [1, 2, lines('Tide', '', words(50))],
      [3, 4, lines('Tide > Ebb', '', words(50))],
      [5, 6, lines('Tide > Moon', '', words(50))],
    ]);
  });

  test('with only headings below join the first of these', () => {
    assert.deepEqual(chunks(lines('# Sea', '', '## Ebb', '### Neap', words(50), '### Spring', words(50))), [
      [1, 5, lines('Tide > Sea > Ebb > Neap', '', words(50))],
      [6, 7, lines('Tide > Sea > Ebb > Spring', '', words(50))],
    ]);
  });

  test('are shown without their id, and cut if they would fill the chunk', () => {
    const [named] = chunkNote('Tide', lines('# Ebb ^ebb-1', 'Low.'), MAX);
    assert.equal(named?.text, 'Tide > Ebb\n\nLow.');
    const long = `${words(400)} end`;
    const found = chunkNote('Tide', lines(`# ${long}`, 'Low.'), MAX);
    assert.ok(found.every(({ text }) => /^Tide > ebb [eb ]+…\n\n/.test(text)));
    assert.equal(found.map(({ text }) => text.slice(text.indexOf('\n\n') + 2)).join(' '), lines(`# ${long}`, 'Low.'));
  });

  test('after the end of display math on the same line leave the math in the text', () => {
    const text = '-->\n$$\n$$# \n---\n';
    for (const most of [16, 24, 40]) assertLawfulChunks('Tide', text, most);
  });

  test('inside fences, quotes and comments are ignored', () => {
    const text = lines('```', '# a', '```', '> # b', '', '%%', '# c', '%%', 'text');
    assert.deepEqual(chunks(text), [[1, 9, lines('Tide', '', '```', '# a', '```', '> # b', '', 'text')]]);
  });
});

suite('tiny sections', () => {
  test('join the next section with the same parent, below the shared path', () => {
    const text = lines('# Sea', '## Ebb', 'Low.', '## Flow', words(50), '## Neap', 'Small.', '# Moon', words(50));
    assert.deepEqual(chunks(text), [
      [1, 5, lines('Tide > Sea', '', '## Ebb', 'Low.', '## Flow', words(50))],
      [6, 7, lines('Tide > Sea > Neap', '', 'Small.')],
      [8, 9, lines('Tide > Moon', '', words(50))],
    ]);
  });

  test('join the section below them', () => {
    assert.deepEqual(chunks(lines('# Sea', 'Wide.', '## Ebb', words(60))), [
      [1, 4, lines('Tide > Sea', '', 'Wide.', '## Ebb', words(60))],
    ]);
  });

  test('stay alone before a full section, and join the first part of one that is too long anyway', () => {
    const full = words(290);
    assert.deepEqual(chunks(lines('## Ebb', words(30), '## Flow', full)), [
      [1, 2, lines('Tide > Ebb', '', words(30))],
      [3, 4, lines('Tide > Flow', '', full)],
    ]);
    const [first, ...others] = chunkNote('Tide', lines('## Ebb', 'Low.', '## Flow', sentences(80)), MAX);
    assert.match(first?.text ?? '', /^Tide\n\n## Ebb\nLow\.\n## Flow\nWave 0 /);
    assert.ok(others.length > 0 && others.every(({ text }) => text.startsWith('Tide > Flow\n\n')));
  });

  test('in a row become chunks of a sensible size', () => {
    const text = Array.from({ length: 60 }, (_, n) => `## Entry ${n}\n${words(8)}`).join('\n');
    const found = chunkNote('Tide', text, MAX);
    assert.ok(found.length > 10 && found.length < 25, `${found.length} chunks`);
  });
});

suite('long sections', () => {
  test('are cut between blocks, into parts of about the same size', () => {
    const paragraph = words(60);
    const found = chunks(Array.from({ length: 6 }, () => paragraph).join('\n\n'));
    assertEach(found, ([from, to]) => [from, to], [
      [1, 5],
      [7, 11],
    ]);
    assert.equal(found[1]?.[2], lines('Tide', '', paragraph, '', paragraph, '', paragraph));
  });

  test('are cut between top-level list items before nested ones', () => {
    const item = lines(`- ${words(50)}`, `  - ${words(20)}`, `    ${words(5)}`, '', `  ${words(10)}`);
    const found = chunks(lines(item, item, item, item));
    assertEach(found, ([from, to]) => [from, to], [
      [1, 10],
      [11, 20],
    ]);
  });

  test('cut a paragraph at sentences, wherever its lines end', () => {
    const wrapped = sentences(80).replaceAll('breaks ', 'breaks\n');
    const found = chunkNote('Tide', wrapped, MAX);
    assert.ok(found.length > 1);
    for (const { text } of found) assert.match(text, /^Tide\n\nWave [\s\S]*here\.$/);
    for (const [index, { lines }] of found.entries()) assert.ok(lines[0] >= (found[index - 1]?.lines[1] ?? 1));
  });

  test('cut a sentence between words, and a word only if necessary', () => {
    const long = chunkNote('Tide', words(500), MAX);
    assert.ok(long.length > 1 && long.every(({ text, lines }) => /^Tide\n\n(?:ebb ?)+$/.test(text) && lines[1] === 1));
    const run = '🌊'.repeat(5_000);
    const cut = chunkNote('Tide', run, MAX);
    assert.ok(cut.every(({ text }) => text.isWellFormed()));
    assert.equal(cut.map(({ text }) => text.slice('Tide\n\n'.length)).join(''), run);
  });

  test('count every character of dense scripts and of unbroken runs as a token', () => {
    assert.equal(sizeOf('潮が引く').tokens, 4);
    assert.equal(sizeOf('a'.repeat(200)).tokens, 200);
    assert.equal(sizeOf('9f3a7c'.repeat(20)).tokens, 120);
    assert.ok(sizeOf(words(100)).tokens > 100 && sizeOf(words(100)).tokens < 150);
    for (const text of ['潮が引く。'.repeat(400), 'прилив '.repeat(400), 'a'.repeat(3_000)]) {
      for (const chunk of chunkNote('Tide', text, 100)) assert.ok(sizeOf(chunk.text).tokens <= 100);
    }
  });
});

suite('a fence, table or math block', () => {
  const inside = Array.from({ length: 24 }, (_, n) => `row ${n} | of it`);
  const blocks: Record<string, string[]> = {
    fence: ['```js', ...inside.slice(0, 12), '', ...inside.slice(12), '```'],
    table: ['a | b', '-|-', ...inside],
    math: ['$$', ...inside, '$$'],
    html: ['<table>', ...inside, '</table>'],
  };
  for (const [name, block] of Object.entries(blocks)) {
    test(`is never cut if it fits in a chunk: ${name}`, () => {
      for (const before of [20, 60, 100, 140]) {
        const found = chunkNote('Tide', lines(words(before), '', ...block, '', words(100)), MAX);
        assert.equal(found.filter(({ text }) => text.includes(lines(...block))).length, 1, `${before} words before`);
      }
    });

    test(`is cut at its line ends if it does not fit, below the path of its heading: ${name}`, () => {
      const [opening = '', second = '', ...rest] = block;
      const long = [opening, second, ...rest.slice(0, -1), ...rest.slice(0, -1), ...rest.slice(0, -1), ...rest];
      const found = chunkNote('Tide', lines('# Ebb', ...long), MAX);
      assert.ok(found.length > 1);
      for (const { text } of found) assert.ok(text.startsWith('Tide > Ebb\n\n'));
      const written = found.flatMap(({ text }) => text.split('\n').slice(2));
      assert.deepEqual(
        written.filter((line) => line !== ''),
        long.filter((line) => line !== ''),
      );
    });
  }

  test('stays whole directly after a paragraph, in an item, and when it is not closed', () => {
    const rows = ['a | b', '-|-', ...inside];
    const above = Array.from({ length: 20 }, () => words(12));
    const [, second] = chunkNote('Tide', lines(...above, ...rows), MAX);
    assert.ok(second?.text.endsWith(lines(...rows)));
    const item = lines(`- ${words(150)}`, '', '  ```', ...inside.map((line) => `  ${line}`), '  ```');
    assert.ok(chunkNote('Tide', item, MAX).some(({ text }) => text.endsWith('row 23 | of it\n  ```')));
    const open = chunkNote('Tide', lines(words(280), '```', ...inside), MAX);
    assert.ok(open[1]?.text.startsWith('Tide\n\n```\nrow 0'));
  });
});

suite('a chunk leaves out', () => {
  test('front matter, whose lines are still counted', () => {
    assert.deepEqual(chunks(lines('---', 'tags: [sea]', '---', '', 'Low.')), [[5, 5, 'Tide\n\nLow.']]);
    assert.deepEqual(chunks(lines('---', 'tags: [sea]', '', 'Low.')), [
      [1, 4, lines('Tide', '', '---', 'tags: [sea]', '', 'Low.')],
    ]);
  });

  test('a comment on lines of its own, but not the visible text around it', () => {
    const text = lines(
      'Ebb.',
      '%% one line %%',
      'Flow.',
      '%%',
      '```',
      '%%',
      '```',
      'none',
      '%% shown',
      'Neap %%inside%% it.',
    );
    assert.deepEqual(chunks(text), [[1, 10, lines('Tide', '', 'Ebb.', 'Flow.', '%% shown', 'Neap %%inside%% it.')]]);
  });

  test('no text after a comment that is not closed', () => {
    assert.deepEqual(chunks(lines('Ebb.', '%%', 'Flow.')), [[1, 3, lines('Tide', '', 'Ebb.', '%%', 'Flow.')]]);
  });
});

suite('a note without text', () => {
  test('is one chunk with its title, whatever it contains', () => {
    assert.deepEqual(chunks(''), [[1, 1, 'Tide']]);
    assert.deepEqual(chunks(' \n\u00A0\n\t\n'), [[1, 3, 'Tide']]);
    assert.deepEqual(chunks(lines('---', 'tags: [sea]', '---')), [[1, 3, 'Tide']]);
    assert.deepEqual(chunks(lines('%%', 'hidden', '%%')), [[1, 3, 'Tide']]);
    assert.deepEqual(chunkNote(' ', '\n', MAX), []);
  });

  test('is its headings if it has some', () => {
    assert.deepEqual(chunks('# Sea\n'), [[1, 1, 'Tide > Sea']]);
    assert.deepEqual(chunks(lines('# Sea', '## Ebb', '## Flow')), [
      [1, 3, lines('Tide > Sea', '', '## Ebb', '## Flow')],
    ]);
  });
});

test('every kind of line end gives the same chunks', () => {
  const text = lines('---', 'a: 1', '---', '# Sea', words(50), '', '```', 'x', '', 'y', '```', '## Ebb', sentences(90));
  for (const end of ['\r\n', '\r']) assert.deepEqual(chunks(text.replaceAll('\n', end)), chunks(text));
});
