import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { toolCatalog } from '../../src/tools/catalog.ts';
import { assertEach } from '../assert-each.ts';
import { until } from '../until.ts';
import { openedSet } from './set-under-test.ts';

const WORK = {
  'Harbour.md': '# Harbour\n\nThe harbour needs a pier. [[Budget]] #project\n\n- [ ] order wood\n',
  'Budget.md': '# Budget\n\nWhat the harbour costs.\n',
};
const PRIVATE = {
  'Diary/2026-11-20.md': 'Walked to the harbour. #diary\n\n- [ ] call Anna\n',
  'Moon.md': '# Moon\n\nThe moon over the harbour.\n',
  'Budget.md': '# Budget\n\nMy own money.\n',
};
const TWO = { work: { files: WORK, keys: 'access: read-write' }, private: { files: PRIVATE } };
const vaultsIn = (rows: readonly { readonly vault: string }[]): string[] => rows.map(({ vault }) => vault);

/** A page whose tags are all of one vault names it once. */
function namingVault(row: object | string, vault: string): object {
  if (typeof row !== 'string') return row;
  const [tag, count] = row.split(' ');
  return { tag, count: Number(count), vault };
}

test('searches and lists answer from all vaults by rank, and page through them without a loss', async (context) => {
  const { call } = await openedSet(context, TWO);
  const { data } = await call('search_text', { query: 'harbour' });
  assert.deepEqual(vaultsIn(data.hits), ['work', 'private', 'work', 'private']);
  assert.match(data.merged, /^by rank/);
  assert.equal(data.total, 4);
  assert.deepEqual(data.vaults, [
    { vault: 'work', total: 2 },
    { vault: 'private', total: 2 },
  ]);
  for (const [tool, list, given] of [
    ['search_text', 'hits', { query: 'harbour OR budget OR money' }],
    ['list_notes', 'notes', {}],
    ['list_tags', 'tags', {}],
    ['list_tasks', 'tasks', {}],
  ] as const) {
    const whole = (await call(tool, { ...given, limit: 100 })).data[list];
    for (const limit of [1, 2, 3]) {
      const paged: object[] = [];
      let cursor: string | undefined;
      do {
        const page = (await call(tool, { ...given, limit, ...(cursor && { cursor }) })).data;
        paged.push(...page[list].map((row: object | string) => namingVault(row, page.vault)));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      assert.deepEqual(paged, whole, `${tool} in pages of ${limit}`);
    }
  }
  const { data: page } = await call('list_notes', { limit: 1 });
  const other = await call('list_notes', { limit: 1, folder: 'Diary', cursor: page.next_cursor });
  assert.equal(other.error.code, 'INVALID_INPUT');
  assert.equal((await call('list_notes', { cursor: 'x' })).error.code, 'INVALID_INPUT');
});

test('`vault` and the name before a note say which vault a call is about', async (context) => {
  const { call } = await openedSet(context, TWO);
  const one = await call('search_text', { query: 'harbour', vault: 'private' });
  assert.deepEqual(vaultsIn(one.data.hits), ['private', 'private']);
  assert.equal(one.data.merged, undefined);
  const read = await call('read_notes', { notes: ['private:Moon', 'work:Budget', 'work:Moon', '[[private:Budget]]'] });
  assert.equal(read.partial, true);
  assert.deepEqual(
    read.data.succeeded.map(({ id, result }: { id: string; result: { vault: string; path: string } }) => [
      id,
      result.vault,
      result.path,
    ]),
    [
      ['private:Moon', 'private', 'Moon.md'],
      ['work:Budget', 'work', 'Budget.md'],
      ['[[private:Budget]]', 'private', 'Budget.md'],
    ],
  );
  assert.deepEqual(read.data.failed[0].id, 'work:Moon');
  const uri = await call('read_notes', { notes: ['note://private/Moon.md'] });
  assert.equal(uri.data.succeeded[0].id, 'note://private/Moon.md');
  const path = await call('find_path', { from: 'work:Harbour', to: 'Budget' });
  assert.deepEqual([path.data.vault, path.data.found], ['work', true]);
});

test('a call that could mean several vaults is refused with their names', async (context) => {
  const { call } = await openedSet(context, TWO);
  const { error } = await call('read_notes', { notes: ['Budget'] });
  assert.equal(error.code, 'INVALID_INPUT');
  assertEach(error.choices, ({ value }: { value: string }) => value, ['work', 'private']);
  assert.match(error.message, /work:Budget or private:Budget/);
  assert.match((await call('get_hubs')).error.message, /name one of work, private/);
  assert.match((await call('find_path', { from: 'work:Harbour', to: 'private:Moon' })).error.message, /several vaults/);
  assert.match(
    (await call('read_notes', { notes: ['private:Moon'], vault: 'work' })).error.message,
    /is of the vault private/,
  );
  assert.equal(
    (await call('search_text', { query: 'x', vault: 'privat' })).error.details.issues[0].did_you_mean,
    'private',
  );
});

test('only the vault that may be written is meant by a write, and the other one says why not', async (context) => {
  const { call, set } = await openedSet(context, TWO);
  const made = await call('create_note', { path: 'New', content: 'x' });
  assert.deepEqual([made.data.vault, made.data.path], ['work', 'New.md']);
  for (const given of [{ path: 'private:New' }, { path: 'New', vault: 'private' }]) {
    const { error } = await call('create_note', { ...given, content: 'x' });
    assert.equal(error.code, 'READ_ONLY');
    assert.equal(error.details.config_key, 'vaults.private.access');
  }
  const undone = await call('undo_change', { vault: 'work' });
  assert.equal(undone.data.vault, 'work');
  assert.deepEqual(set.exposed.tools.get('create_note')?.name, 'create_note');
});

test('a vault that does not answer is named by lists and fails its own calls; the others serve', async (context) => {
  const { call, records, ask } = await openedSet(context, { ...TWO, gone: {} });
  const found = await call('search_text', { query: 'harbour' });
  assert.equal(found.partial, true);
  assert.equal(found.data.hits.length, 4);
  assert.deepEqual([found.data.missing[0].vault, found.data.missing[0].code], ['gone', 'VAULT_UNAVAILABLE']);
  const record = records.find(({ event }) => event === 'vault_missing');
  assert.equal(record?.fields.vault, 'gone');
  const own = await call('get_hubs', { vault: 'gone' });
  assert.deepEqual([own.error.code, own.error.details.vault], ['VAULT_UNAVAILABLE', 'gone']);
  assert.equal((await call('get_hubs', { vault: 'work' })).ok, true);
  const status = await call('status');
  assert.deepEqual(
    vaultsIn(status.data.vaults.map(({ vault }: { vault: { name: string } }) => ({ vault: vault.name }))),
    ['work', 'private'],
  );
  assert.deepEqual(vaultsIn(status.data.missing), ['gone']);
  const read = await call('read_notes', { notes: ['gone:A', 'work:Budget'] });
  assert.deepEqual(read.data.failed[0].error.code, 'VAULT_UNAVAILABLE');
  let cursor: string | undefined;
  const uris: string[] = [];
  do {
    const page = await ask('resources/list', cursor === undefined ? {} : { cursor });
    uris.push(...page.resources.map(({ uri }: { uri: string }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.equal(uris.filter((uri) => uri.startsWith('note:')).length, 5);
});

test('notes are resources below their vault, and are followed there', async (context) => {
  const { ask, home, updated } = await openedSet(context, TWO);
  const uri = 'note://private/Diary/2026-11-20.md';
  assert.match((await ask('resources/read', { uri })).contents[0].text, /Walked/);
  const [other] = Object.keys(TWO);
  assert.equal((await ask('resources/read', { uri: `note://${other}/Moon.md` })).code, -32002);
  assert.equal((await ask('resources/read', { uri: 'note:///Moon.md' })).code, -32002);
  const [template] = (await ask('resources/templates/list')).resourceTemplates;
  assert.equal(template.uriTemplate, 'note://{vault}/{+path}');
  await ask('resources/subscribe', { uri });
  appendFileSync(join(home, 'private/Diary/2026-11-20.md'), '\nMore.\n');
  await until(() => updated.includes(uri), 'the followed note is reported as changed');
  assert.deepEqual(new Set(updated), new Set([uri]));
});

test('prompts are about one vault, and completions name theirs', async (context) => {
  const { ask } = await openedSet(context, TWO);
  const prompt = { name: 'daily_review', arguments: { vault: 'private', day: '2026-11-20' } };
  const { messages } = await ask('prompts/get', prompt);
  assert.match(messages[0].content.text, /call Anna/);
  assert.doesNotMatch(messages[0].content.text, /order wood/);
  assert.match(messages[0].content.text, /pass vault: "private"/);
  assert.match((await ask('prompts/get', { name: 'daily_review' })).message, /vault: is missing/);
  const ref = { type: 'ref/prompt', name: 'connect_note' };
  const complete = async (argument: object, more: object = {}) =>
    (await ask('completion/complete', { ref, argument, ...more })).completion.values;
  assert.deepEqual(await complete({ name: 'vault', value: 'p' }), ['private']);
  assert.deepEqual(await complete({ name: 'note', value: 'budg' }), ['work:Budget', 'private:Budget']);
  const inPrivate = { context: { arguments: { vault: 'private' } } };
  assert.deepEqual(await complete({ name: 'note', value: 'budg' }, inPrivate), ['Budget']);
});

test('a name before a colon is a vault only if no vault has a note at that path', async (context) => {
  const files = { ...WORK, 'private:Moon.md': 'literal\n', 'work.md': 'one\ntwo\n' };
  const { call } = await openedSet(context, { ...TWO, work: { ...TWO.work, files } });
  const { data } = await call('read_notes', { notes: ['private:Moon', 'work:2', 'nobody:Moon'], vault: 'work' });
  assert.deepEqual(
    data.succeeded.map(({ result }: { result: { path: string; content: string } }) => [result.path, result.content]),
    [
      ['private:Moon.md', 'literal\n'],
      ['work.md', 'two'],
    ],
  );
  assert.equal(data.failed[0].id, 'nobody:Moon');
});

test('no schema of a single vault has the argument, and every tool says which arguments name notes', () => {
  for (const tool of toolCatalog) {
    const { shape } = tool.input as unknown as { readonly shape: object };
    assert.equal('vault' in shape, false, tool.name);
    const naming = Object.keys(shape).filter((name) =>
      ['note', 'notes', 'names', 'template', 'into', 'redirect_to', 'base', 'path'].includes(name),
    );
    for (const name of naming) assert.ok(tool.references?.includes(name), `${tool.name}: ${name}`);
  }
});
