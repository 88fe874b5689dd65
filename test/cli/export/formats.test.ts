// Reads every export format back with an independent parser, and checks that any title and path is preserved.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { FORMATS, type GraphNote } from '../../../src/cli/export/export-text.ts';
import { runs } from '../../runner/effort.ts';

const link = (path: string | null, more = {}) => ({
  kind: 'wikilink',
  link: 'x',
  path,
  display: 'x',
  line: 1,
  ...more,
});
const note = (path: string, ...links: GraphNote['links']): GraphNote => ({
  path,
  kind: 'note',
  title: path,
  tags: [],
  links,
});
const NOTES = [
  { ...note('a.md', link('b.md'), link(null), link('p.png', { kind: 'embed', line: 3 })), tags: ['#x', '#y/z'] },
  note('b.md', link('b.md')),
];

async function* each(notes: readonly GraphNote[]): AsyncGenerator<GraphNote> {
  yield* notes;
}

async function written(format: keyof typeof FORMATS, notes: readonly GraphNote[]): Promise<string> {
  let text = '';
  for await (const piece of FORMATS[format](each(notes))) text += piece;
  return text;
}

suite('an export', () => {
  test('as JSON: notes, then attachments, then every resolved link', async () => {
    const { nodes, edges } = JSON.parse(await written('json', NOTES));
    assert.deepEqual(
      nodes.map(({ path, kind }: { path: string; kind: string }) => [path, kind]),
      [
        ['a.md', 'note'],
        ['b.md', 'note'],
        ['p.png', 'attachment'],
      ],
    );
    assert.deepEqual(edges, [
      { source: 'a.md', target: 'b.md', kind: 'wikilink', line: 1 },
      { source: 'a.md', target: 'p.png', kind: 'embed', line: 3 },
      { source: 'b.md', target: 'b.md', kind: 'wikilink', line: 1 },
    ]);
  });

  test('of an empty vault, and of notes without links, is valid in every format', async () => {
    for (const notes of [[], [note('a.md')]]) {
      const { nodes, edges } = JSON.parse(await written('json', notes));
      assert.deepEqual([nodes.length, edges], [notes.length, []]);
      assert.match(await written('graphml', notes), /<graph [^>]*>\n(<node .*\n)?<\/graph>\n<\/graphml>\n$/);
      assert.match(await written('dot', notes), /^digraph vault \{\n( {2}".*;\n)?\}\n$/);
      assert.equal(await written('csv', notes), 'source,target,kind,line,link,display\r\n');
    }
  });

  test('as CSV has one row per link, including unresolved ones', async () => {
    const rows = (await written('csv', NOTES)).trimEnd().split('\r\n');
    assert.deepEqual(rows.slice(1), [
      'a.md,b.md,wikilink,1,x,x',
      'a.md,,wikilink,1,x,x',
      'a.md,p.png,embed,3,x,x',
      'b.md,b.md,wikilink,1,x,x',
    ]);
  });

  const anyNotes = fc
    .uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), {
      selector: ([path]) => path,
      maxLength: 5,
    })
    .map((all) =>
      all.map(([path, title]) => ({
        ...note(path),
        title,
        links: all.map(([other]) => link(other, { display: title })),
      })),
    );

  test('preserves any text: CSV cells can be read back', async () => {
    await fc.assert(
      fc.asyncProperty(anyNotes, async (notes) => {
        const rows = csvRows(await written('csv', notes)).slice(1);
        const expected = notes.flatMap(({ path, links }) =>
          links.map((one) => [path, one.path, one.kind, '1', one.link, one.display]),
        );
        assert.deepEqual(rows, expected);
      }),
      { numRuns: runs(200) },
    );
  });

  test('preserves any text: GraphML has no character that XML does not allow, and escapes titles', async () => {
    await fc.assert(
      fc.asyncProperty(anyNotes, async (notes) => {
        const text = await written('graphml', notes);
        assert.equal(text.match(/<node /g)?.length ?? 0, notes.length);
        assert.equal(text.match(/<edge /g)?.length ?? 0, notes.length ** 2);
        assert.doesNotMatch(text, /[^\P{Cc}\n]|&(?!(?:amp|lt|gt|quot|#\d+);)/u);
      }),
      { numRuns: runs(200) },
    );
  });

  test('preserves any text: DOT strings are escaped', async () => {
    await fc.assert(
      fc.asyncProperty(anyNotes, async (notes) => {
        const lines = (await written('dot', notes)).trimEnd().split('\n').slice(1, -1);
        const string = String.raw`"(?:[^"\\]|\\["\\])*"`;
        const row = new RegExp(`^  ${string}(?: -> ${string}| \\[label=${string}\\]);$`, 'su');
        assert.equal(lines.length, notes.length + notes.length ** 2);
        for (const line of lines) assert.match(line, row);
      }),
      { numRuns: runs(200) },
    );
  });
});

/** RFC 4180. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}
