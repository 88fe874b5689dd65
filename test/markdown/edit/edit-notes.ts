// Notes and edits made up at random, out of pieces that are likely to harm each other.
import fc from 'fast-check';
import type { NoteEdit } from '../../../src/markdown/edit/note.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';

const PIECES: readonly string[] = [
  '# One',
  '## Two',
  '### Three #tag',
  'Under\n===',
  'Line\n---',
  'Two lines\nof text',
  'Text with [[Link]] and #tag',
  'Named text ^p1',
  'a\nb ^p2',
  '- item\n- other [[Link]]',
  '- item ^i1\n  - child ^i2\n  - child',
  '- [ ] task ^t1\n\n  more',
  '1. one\n2. two ^n1',
  '10. ten\n\n    in ten ^n2\nlazy ^z',
  '> - quoted ^q2\n>   - child ^q3\nlazy',
  '- ```\n  code\n  ```\n\n  below ^f1',
  '> quote [[Link]]\n> more',
  '> quote ^q1',
  '> [!note] callout\n> text\n\n^c1',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n^tbl',
  '```\n# code [[x]]\n```',
  '~~~\nopen',
  '    indented [[x]]',
  '---',
  '===',
  '***',
  '%% inline %%',
  '%%\n# hidden\n%%',
  '%%',
  '<!-- # no\n\n[[x]] -->',
  '<div>\n# no\n</div>',
  '$$\n# no\n$$',
  '[ref]: Target.md',
  'see [ref]',
  '^id',
  '',
];

const FRONT_MATTER: readonly string[] = [
  '',
  '',
  '---\na: 1\ntags: [x]\n---\n',
  '---\na: [\n---\n',
  '---\n---\n',
  '---\n',
];
const LINE_ENDS = ['\n', '\n', '\r\n', '\r'] as const;

export const anyPieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 });

export const anyText = fc
  .record({
    front: fc.constantFrom(...FRONT_MATTER),
    pieces: anyPieces,
    gaps: fc.array(fc.constantFrom('\n', '\n\n', '\n\n\n'), { minLength: 8, maxLength: 8 }),
    last: fc.constantFrom('', '\n', '\n\n'),
    lineEnd: fc.constantFrom(...LINE_ENDS),
  })
  .map(({ front, pieces, gaps, last, lineEnd }) =>
    `${front}${pieces.map((piece, at) => (at === 0 ? '' : gaps[at]) + piece).join('')}${last}`.replaceAll(
      '\n',
      lineEnd,
    ),
  );

const BESIDE = ['insert_after', 'insert_before', 'replace_section'] as const;
const WITHIN = ['append', 'prepend'] as const;

interface Named {
  readonly target?: string;
  readonly line?: number;
}

/** Edits of parts that the note has, and now and then of one it has not. */
export function anyEdits(text: string): fc.Arbitrary<NoteEdit[]> {
  const { headings, blocks } = parseNote(text);
  const sections = headings.map((heading): Named => ({ target: `#${heading.text}`, line: heading.line }));
  const named = blocks.map(({ id, line }): Named => ({ target: `#^${id}`, line }));
  const put = fc.oneof(
    fc.constantFrom(...PIECES),
    anyPieces.map((pieces) => pieces.join('\n\n')),
  );
  const edit = (ops: readonly NoteEdit['op'][], targets: readonly Named[]): fc.Arbitrary<NoteEdit> =>
    fc
      .tuple(fc.constantFrom(...ops), fc.constantFrom(...targets), put)
      .map(([op, target, text]) => ({ op, ...target, text }));
  const literal = fc
    .record({
      from: fc.nat(text.length),
      length: fc.integer({ min: 1, max: 12 }),
      put: fc.oneof(put, fc.constant('\n')),
    })
    .map(
      ({ from, length, put }): NoteEdit => ({ op: 'replace_text', target: text.slice(from, from + length), text: put }),
    );
  return fc.array(
    fc.oneof(
      { weight: 1, arbitrary: edit(WITHIN, [{}]) },
      { weight: 6, arbitrary: edit(BESIDE, [...sections, ...named, { target: '#Nowhere' }]) },
      { weight: 2, arbitrary: edit(WITHIN, [...sections, {}]) },
      { weight: 2, arbitrary: literal },
    ),
    { minLength: 1, maxLength: 3 },
  );
}
