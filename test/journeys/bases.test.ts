// Queries bases over stdio: the table and the typed rows, after edits by other programs, with errors that say what to do.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSession, type Session, temporaryFolder } from './session.ts';

const READING = `filters:
  and:
    - categories.contains(link("Books"))
formulas:
  initial: file.name.replace(/(\\w)\\w+/g, "$1.")
  age: (date("2026-11-20") - published).years.floor()
properties:
  formula.age: { displayName: Age in years }
views:
  - type: table
    name: Shelf
    order: [file.name, author, formula.age, pages]
    sort: [{ property: pages, direction: DESC }]
    summaries: { pages: Average }
  - type: cards
    name: By author
    filters: list(author).contains(this)
  - type: table
    name: Old syntax
    filters: contains(file.name, "x")
  - type: table
    name: Initials
    filters: /^m.*y$/i.matches(file.name)
    order: [formula.initial]
  - type: table
    name: Ahead
    filters: /M(?=oby)/.matches(file.name)
`;

const FILES: Readonly<Record<string, string>> = {
  'Library/Reading.base': READING,
  'Library/Torn.base': 'views:\n  - name: [\n',
  'Categories/Books.md': '',
  'People/Ines Pipe.md': '',
  'Moby.md': '---\ncategories: ["[[Books]]"]\nauthor: "[[Ines Pipe]]"\npages: 635.125\npublished: 1951-10-18\n---\n',
  'Short.md':
    '---\ncategories: ["[[Books]]"]\nauthor: ["[[Ines Pipe]]", "A | B"]\npages: 100\npublished: 2025-01-01\n---\n',
  'Other.md': '---\npages: 5\n---\n',
};

function put(vault: string, path: string, text: string): void {
  mkdirSync(join(vault, path, '..'), { recursive: true });
  writeFileSync(join(vault, path), text);
}

async function vaultOf(context: TestContext): Promise<{ vault: string; session: Session }> {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(FILES)) put(vault, path, text);
  const session = await openSession(context, { vault });
  await session.indexed();
  return { vault, session };
}

test('a view as a table and as typed rows, its errors, and an edit by another program', async (context) => {
  const { vault, session } = await vaultOf(context);
  const { text, structured } = await session.call('query_base', { base: 'Reading' });
  assert.deepEqual(text.split('\n').slice(0, 7), [
    'base: Library/Reading.base · view: Shelf (table) · total: 2',
    'views: Shelf · By author · Old syntax · Initials · Ahead',
    '| path | file.name | note.author | Age in years (formula.age) | note.pages |',
    '|---|---|---|---|---|',
    '| Moby.md | Moby | [[People/Ines Pipe.md\\|Ines Pipe]] | 75 | 635.125 |',
    '| Short.md | Short | [[People/Ines Pipe.md\\|Ines Pipe]], A \\| B | 1 | 100 |',
    'Average of note.pages: 367.5625',
  ]);
  const author = { link: 'People/Ines Pipe.md', display: 'Ines Pipe' };
  assert.deepEqual(structured.data.rows, [
    { path: 'Moby.md', cells: ['Moby', author, 75, 635.125] },
    { path: 'Short.md', cells: ['Short', [author, 'A | B'], 1, 100] },
  ]);
  assert.deepEqual(structured.data.summaries, [{ property: 'note.pages', summary: 'Average', value: 367.5625 }]);
  const byAuthor = { base: 'Reading.base', view: 'by author', note: 'Ines Pipe' };
  const pathsBy = async (given: Record<string, unknown>): Promise<string[]> =>
    (await session.call('query_base', { require_fresh: true, ...given })).structured.data.rows.map(
      ({ path }: { path: string }) => path,
    );
  assert.deepEqual(await pathsBy(byAuthor), ['Moby.md', 'Short.md']);
  const initials = await session.call('query_base', { base: 'Reading', view: 'Initials' });
  assert.deepEqual(initials.structured.data.rows, [{ path: 'Moby.md', cells: ['M.'] }]);
  put(vault, 'Moby.md', '---\ncategories: ["[[Books]]"]\nauthor: "[[Otto]]"\n---\n');
  assert.deepEqual(await pathsBy(byAuthor), ['Short.md']);
  await refusals(session);
});

async function refusals(session: Session): Promise<void> {
  const refused = async (given: Record<string, unknown>): Promise<[code: string, text: string]> => {
    const { structured, text } = await session.call('query_base', given);
    return [structured.error?.code, text];
  };
  const [unsupported, why] = await refused({ base: 'Reading', view: 'Old syntax' });
  assert.equal(unsupported, 'BASE_UNSUPPORTED');
  assert.match(why, /the function contains\(\) in views\.2\.filters, line 20, is not supported/);
  const [ahead, construct] = await refused({ base: 'Reading', view: 'Ahead' });
  assert.equal(ahead, 'BASE_UNSUPPORTED');
  assert.match(
    construct,
    /looking ahead or behind, `\(\?=`, of the regular expression \/M\(\?=oby\)\/ in views\.4\.filters/,
  );
  const [invalid, where] = await refused({ base: 'Torn' });
  assert.equal(invalid, 'BASE_INVALID');
  assert.match(where, /Library\/Torn\.base:\d is not a valid base/);
  assert.equal((await refused({ base: 'Moby.md' }))[0], 'NOTE_NOT_FOUND');
  assert.equal((await refused({ base: 'Reading', view: 'Shlef' }))[0], 'INVALID_INPUT');
  assert.equal((await refused({ base: 'Reading', limit: 0 }))[0], 'INVALID_INPUT');
}
