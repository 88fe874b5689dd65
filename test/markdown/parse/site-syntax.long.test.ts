// Tests that texts which are made to be slow take time proportional to their length by the rules of every system.
import { test } from 'node:test';
import { DIALECTS } from '../../../src/base/note.ts';
import { inDialect } from '../../../src/base/threads/dialect.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../../assert-each.ts';
import { growsTooFast } from '../cpu-growth.ts';

/** Repeated on one line, and each on a line of its own. */
const PIECES = [
  ...['[[toc]]', ' [[toc]] ', '{{', '{{ x }}', '[{{', '{% ', '{%x%}', '{# ', '{#a ', '{:', '\\{{#include '],
  ...['{% highlight x %}', '{% codeblock %}', '{% comment %}', '{% raw %}', '{% include ', '{% link ', '{% post_url '],
  ...['{% post_link ', '{% post_link "', '{% post_link "x" ', '{{ "/', '{{ "/a" |', '{{site.url}}', '{{< ref "'],
  ...[
    '{{< highlight >}}',
    '{/*',
    '{/* #a */}',
    '<-- "',
    '<!-- @include: ',
    '--8<--',
    '--8<--\n',
    '{{[[TODO]]',
    '#+BEGIN_SRC ',
  ],
];
const REPEATED = 4_000;
/** Eight times the text: a linear pass takes 8 times as long, a quadratic one 64 times. */
const GROWTH = 8;
const LIMIT = { noiseMs: 100, maxGrowth: 32 };

for (const dialect of DIALECTS)
  test(`what is read beyond Obsidian in ${dialect} takes time proportional to the length`, () => {
    const read = (text: string) => inDialect(dialect, () => parseNote(text));
    const slow = PIECES.flatMap((piece) => [piece, `${piece}\n`]).filter((piece) =>
      growsTooFast(
        () => read(piece.repeat(REPEATED)),
        () => read(piece.repeat(REPEATED * GROWTH)),
        LIMIT,
      ),
    );
    assertEach(slow, String, []);
  });
