// Renames files and folders under bases: what their expressions name follows, and everything else stays byte for byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotePath } from '../../src/base/note.ts';
import { followedBase } from '../../src/bases/follow-base.ts';
import { createMovedFiles } from '../../src/markdown/links/link-changes.ts';
import { candidatesByName } from '../../src/markdown/links/resolve-link.ts';

const FILES = [
  'Books.md',
  'Old/Note.md',
  'Old/Deep/Log.md',
  'Other/Note.md',
  'pics/cover.png',
  'Bases/All.base',
  "It's.md",
];

interface Move {
  readonly from: string;
  readonly to: string;
}

/** The base after the move; the reasons of what cannot follow, or `unchanged`. */
function after(text: string, { from, to }: Move, path = 'Bases/All.base'): string {
  const moved = new Map(
    FILES.filter((file) => file === from || file.startsWith(`${from}/`)).map((file) => {
      return [file as NotePath, `${to}${file.slice(from.length)}` as NotePath];
    }),
  );
  const paths = FILES.map((file) => moved.get(file as NotePath) ?? (file as NotePath));
  const files = createMovedFiles(moved, candidatesByName(paths));
  const folder = FILES.includes(from) ? undefined : { from, to };
  const followed = followedBase(path as NotePath, Buffer.from(text), files, folder);
  if (followed === undefined) return 'unchanged';
  if (followed.broken.length > 0) return followed.broken.map(({ line, reason }) => `${line}: ${reason}`).join('\n');
  return Buffer.from(followed.file.changed?.bytes ?? []).toString();
}

const RENAME = { from: 'Books.md', to: 'Novels.md' };

const CASES: readonly (readonly [before: string, move: Move, after: string])[] = [
  ['filters: categories.contains(link("Books"))\n', RENAME, 'filters: categories.contains(link("Novels"))\n'],
  ["filters: \"link('Books', 'b') == a\"\n", RENAME, "filters: \"link('Novels', 'b') == a\"\n"],
  ['filters: \'file.hasLink("Books#Part")\' # Books\n', RENAME, 'filters: \'file.hasLink("Novels#Part")\' # Books\n'],
  ['filters: list(a).contains("[[Books|shown]]")\n', RENAME, 'filters: list(a).contains("[[Novels|shown]]")\n'],
  ['filters: file("Books.md") == file\n', RENAME, 'filters: file("Novels.md") == file\n'],
  ['filters: file.path == "Books.md"\n', RENAME, 'filters: file.path == "Novels.md"\n'],
  [
    'formulas:\r\n  Books: Books + "Books" + link("Books") + link("Books")\r\nviews:\r\n  - name: Books\r\n',
    RENAME,
    'formulas:\r\n  Books: Books + "Books" + link("Novels") + link("Novels")\r\nviews:\r\n  - name: Books\r\n',
  ],
  [
    'views:\n  - filters:\n      or:\n        - not:\n            - file.hasLink("Books")\n',
    RENAME,
    'views:\n  - filters:\n      or:\n        - not:\n            - file.hasLink("Novels")\n',
  ],
  ['filters: link("Books")\n', { from: 'Books.md', to: 'Shelf/Books.md' }, 'unchanged'],
  ['filters: link("Books")\n', { from: 'Books.md', to: 'Say "hi".md' }, 'filters: link("Say \\"hi\\"")\n'],
  ['filters: \'link("Books")\'\n', { from: 'Books.md', to: "Bob's.md" }, "filters: 'link(\"Bob''s\")'\n"],
  [
    'filters: "link(\\"Books\\")"\n',
    { from: 'Books.md', to: 'Say "hi".md' },
    'filters: "link(\\"Say \\\\\\"hi\\\\\\"\\")"\n',
  ],
  ["filters: 'link(\"It''s\")'\n", { from: "It's.md", to: 'That.md' }, 'filters: \'link("That")\'\n'],
  [
    'filters: "link(\\x22Books\\x22) == link(\'B\\x6foks\')"\n',
    RENAME,
    '1: "Books" cannot be rewritten in this base\n1: "Books" cannot be rewritten in this base',
  ],
  ['filters: link("Old/Note")\n', { from: 'Old', to: 'New' }, 'filters: link("New/Note")\n'],
  ['filters: link("Log")\n', { from: 'Old/Deep/Log.md', to: 'Old/Deep/Book.md' }, 'filters: link("Book")\n'],
  ['filters: image("pics/cover.png")\n', { from: 'pics', to: 'art' }, 'filters: image("art/cover.png")\n'],
  ['filters: file.inFolder("Old")\n', { from: 'Old', to: 'Archive/2026' }, 'filters: file.inFolder("Archive/2026")\n'],
  ['filters: file.inFolder("/Old/Deep/")\n', { from: 'Old', to: 'New' }, 'filters: file.inFolder("/New/Deep/")\n'],
  [
    'filters: this.file.folder != "Old/Deep"\n',
    { from: 'Old', to: 'New' },
    'filters: this.file.folder != "New/Deep"\n',
  ],
  ['filters: file.inFolder("Older")\n', { from: 'Old', to: 'New' }, 'unchanged'],
  ['filters: status == "Books" && "Books".contains("Books")\n', RENAME, 'unchanged'],
  ['filters: link("https://example.org/Books")\n', RENAME, 'unchanged'],
  ['filters: [link("Books")\n', RENAME, 'unchanged'],
  ['filters: >-\n  link("Books")\n  == a\n', RENAME, 'filters: >-\n  link("Novels")\n  == a\n'],
];

test('expressions follow files and folders', () => {
  for (const [before, move, expected] of CASES) assert.equal(after(before, move), expected, before);
});

test('a base that moves keeps what its links mean', () => {
  const text = 'filters: link("Note")\n';
  assert.equal(after(text, { from: 'Bases/All.base', to: 'Other/All.base' }), 'filters: link("Old/Note")\n');
});
