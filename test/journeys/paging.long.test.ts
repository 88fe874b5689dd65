// Checks every paged tool: the pages together give all rows exactly once, and a cursor is valid only for its own query.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { generateVault } from '../bench/generate-vault.ts';
import { openSession, REAL_VAULTS, type Session, temporaryFolder } from './session.ts';

type Given = Record<string, unknown>;

interface Paged {
  readonly tool: string;
  readonly given: Given;
  /** The field of `data` that contains the rows. */
  readonly rows: string;
}

const PAGED: readonly Paged[] = [
  { tool: 'search_text', given: { query: 'the of 的 이 link' }, rows: 'hits' },
  { tool: 'search_text', given: { query: 'a* -the', match: 'any' }, rows: 'hits' },
  { tool: 'list_notes', given: {}, rows: 'notes' },
  { tool: 'list_notes', given: { sort: 'modified' }, rows: 'notes' },
  { tool: 'list_notes', given: { sort: 'links', order: 'asc', detail: 'full' }, rows: 'notes' },
  { tool: 'list_notes', given: { sort: 'created' }, rows: 'notes' },
  { tool: 'list_tags', given: {}, rows: 'tags' },
  { tool: 'list_tasks', given: { status: 'any' }, rows: 'tasks' },
  { tool: 'get_communities', given: { members: 1 }, rows: 'communities' },
  { tool: 'find_gaps', given: { kind: 'unresolved' }, rows: 'gaps' },
  { tool: 'find_gaps', given: { kind: 'orphans' }, rows: 'gaps' },
  { tool: 'find_gaps', given: { kind: 'dead_ends' }, rows: 'gaps' },
];

/** After this many pages, larger pages are used. */
const MAX_PAGES = 60;

/** Reads all rows in pages of `limit`; the first call has no cursor and the last page returns none. */
async function allRows(session: Session, { tool, given, rows }: Paged, limit: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const requested = { ...given, limit, ...(cursor === undefined ? {} : { cursor }) };
    const { structured, text } = await session.call(tool, requested);
    assert.equal(structured.ok, true, text);
    const page = structured.data[rows];
    assert.ok(page.length <= limit);
    found.push(...page);
    cursor = structured.data.next_cursor;
    if (cursor === undefined) return found;
    assert.ok(text.includes(cursor), 'the text holds the cursor too');
    assert.ok(page.length > 0 || tool === 'find_gaps', 'a page that leads on is not empty');
  }
}

async function holdPaging(session: Session, paged: Paged): Promise<void> {
  const { tool, given, rows } = paged;
  const first = await session.call(tool, { ...given, limit: 1 });
  const { total, next_cursor } = first.structured.data;
  const small = Math.max(3, Math.ceil(total / MAX_PAGES));
  const bySmall = small > 100 ? undefined : await allRows(session, paged, small);
  const byLarge = await allRows(session, paged, 100);
  assert.equal(byLarge.length, total, `${rows} of all pages are the total`);
  if (bySmall !== undefined) assert.deepEqual(bySmall, byLarge);
  const keys = byLarge.map((row) => JSON.stringify(row));
  assert.equal(new Set(keys).size, keys.length, 'no row twice');
  if (next_cursor === undefined) return;
  for (const [other, more] of [
    [tool === 'list_notes' ? 'list_tags' : 'list_notes', {}],
    [
      tool,
      {
        ...given,
        ...(tool === 'list_tags' ? { prefix: 'x' } : tool === 'get_communities' ? { members: 2 } : { folder: 'x' }),
      },
    ],
  ] as const) {
    const refused = await session.call(other, { ...more, cursor: next_cursor });
    assert.equal(refused.structured.error?.code, 'INVALID_INPUT', `${other} with a cursor of ${tool}`);
    assert.match(refused.text, /cursor/);
  }
}

async function holdAll(suite: TestContext, vault: string): Promise<void> {
  const session = await openSession(suite, { vault });
  await session.indexed();
  for (const paged of PAGED) {
    await suite.test(`${paged.tool} ${JSON.stringify(paged.given)}`, () => holdPaging(session, paged));
  }
  const hubs = await session.call('get_hubs', { limit: 1 });
  const [hub] = hubs.structured.data.hubs;
  for (const depth of [1, 2, 3]) {
    for (const direction of ['in', 'out', 'both']) {
      const given = { note: hub.path, depth, direction };
      await suite.test(`get_neighbors ${JSON.stringify({ depth, direction })}`, () =>
        holdPaging(session, { tool: 'get_neighbors', given, rows: 'neighbors' }),
      );
    }
  }
}

test('paging over a generated vault', async (suite) => {
  const vault = temporaryFolder(suite as TestContext);
  await generateVault(vault, 300);
  await holdAll(suite as TestContext, vault);
});

for (const vault of REAL_VAULTS.filter((path) => ['black-sun-lodge', 'foam-docs', 'kepano'].includes(basename(path)))) {
  test(`paging over ${basename(vault)}`, async (suite) => holdAll(suite as TestContext, vault));
}

test('paging: small pages of unlinked mentions give the same rows as large ones', async (context) => {
  const vault = temporaryFolder(context);
  const names = ['Anchor', 'Barometer', 'Compass', 'Dinghy', 'Ebb tide'];
  for (const name of names) {
    const others = names.filter((other) => other !== name);
    writeFileSync(join(vault, `${name}.md`), `${others.join(' and ')}, ${others.join(' or ')}, [[${others[0]}]]\n`);
  }
  const session = await openSession(context, { vault });
  await session.indexed();
  const mentions = { tool: 'find_gaps', given: { kind: 'unlinked_mentions' }, rows: 'gaps' };
  const byLarge = await allRows(session, mentions, 100);
  assert.deepEqual(await allRows(session, mentions, 7), byLarge);
  assert.equal(new Set(byLarge.map((row) => JSON.stringify(row))).size, byLarge.length);
  assert.equal(byLarge.length, 5 * 3 * 2);
});

test('paging: a random order cannot be paged, and the error says so', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 30);
  const session = await openSession(context, { vault });
  await session.indexed();
  const { structured } = await session.call('list_notes', { sort: 'random', limit: 5 });
  assert.deepEqual([structured.data.notes.length, structured.data.next_cursor], [5, undefined]);
  const byName = await session.call('list_notes', { limit: 5 });
  const { next_cursor: cursor } = byName.structured.data;
  assert.equal((await session.call('list_notes', { sort: 'random', cursor })).structured.error.code, 'INVALID_INPUT');
});
