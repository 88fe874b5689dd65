// Sends arguments as models write them (null, empty values, a text for a list) and checks what they mean.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { configFile, copyOfFixture, openSession } from './session.ts';

const withoutMeta = ({ structured }: { readonly structured: { readonly data: unknown } }): unknown => structured.data;

test('reading tools take null, empty texts and empty lists as not given, and a text as a list of one', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  await session.indexed();
  const same: readonly [tool: string, plain: Record<string, unknown>, loose: Record<string, unknown>][] = [
    [
      'search_text',
      { query: 'tide' },
      {
        query: 'tide',
        match: null,
        folder: '',
        tags: [],
        where: null,
        since: '',
        limit: null,
        cursor: '',
        explain: null,
      },
    ],
    ['list_notes', {}, { folder: null, tags: null, sort: null, order: '', detail: null, require_fresh: null }],
    ['list_tasks', {}, { status: null, due_before: '', due_after: null, heading: '' }],
    ['get_context', { topic: 'tides' }, { topic: 'tides', notes: [], budget_tokens: null }],
    ['read_notes', { notes: ['Tide pool'] }, { notes: 'Tide pool', include: [], max_chars: null }],
    ['read_notes', { notes: ['Tide pool'], include: ['outline'] }, { notes: 'Tide pool', include: 'outline' }],
    ['resolve_names', { names: ['Tide pool'] }, { names: 'Tide pool' }],
    ['resolve_names', { names: ['Tide pool', 'Bram Oake'] }, { names: '["Tide pool", "Bram Oake"]' }],
    ['list_notes', { limit: 2, where: { status: 'open' } }, { limit: '2', where: '{"status": "open"}' }],
    ['find_related', { note: 'Tide pool', unlinked_only: true }, { note: 'Tide pool', unlinked_only: 'true' }],
    ['find_gaps', { kind: 'orphans' }, { kind: 'orphans', note: '' }],
  ];
  for (const [tool, plain, loose] of same) {
    const [expected, actual] = [await session.call(tool, plain), await session.call(tool, loose)];
    assert.equal(actual.structured.ok, true, `${tool}: ${actual.text}`);
    assert.deepEqual(withoutMeta(actual), withoutMeta(expected), tool);
  }
  const required = await session.call('read_notes', { notes: null });
  assert.equal(required.structured.error?.code, 'INVALID_INPUT');
  const unknown = await session.call('search_text', { query: 'tide', limitt: null });
  assert.match(unknown.text, /limitt.*unknown argument/);
});

test('an empty selection of what is written, undone or rebuilt is refused and changes nothing', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const created = await session.call('create_note', { path: 'New.md', content: '', properties: null, template: null });
  assert.equal(created.structured.ok, true, created.text);
  const before = fingerprint(vault);
  const note = 'Tide pool';
  const refused: readonly [tool: string, argument: string, given: Record<string, unknown>][] = [
    ['undo_change', 'change_id', { change_id: null }],
    ['undo_change', 'change_id', { change_id: '' }],
    ['undo_change', 'plan_id', { plan_id: ' ' }],
    ['reindex', 'notes', { notes: [] }],
    ['reindex', 'notes', { notes: null, rebuild: true, confirm: true }],
    ['reindex', 'job_id', { job_id: '' }],
    ['move_note', 'to', { note, to: '' }],
    ['move_note', 'to', { note, to: null }],
    ['delete_note', 'if_match', { note, if_match: null, confirm: true }],
    ['edit_note', 'plan_id', { note, plan_id: null, edits: [{ op: 'append', text: 'x' }] }],
  ];
  for (const [tool, argument, given] of refused) {
    const { structured, text } = await session.call(tool, given);
    assert.equal(structured.error?.code, 'INVALID_INPUT', `${tool} ${JSON.stringify(given)}: ${text}`);
    assert.equal(structured.error.details.issues[0].path, argument);
    assert.equal(fingerprint(vault), before, `${tool} ${JSON.stringify(given)}`);
  }
});

test('writing tools take null as not given, a text as a list, and an empty required text as it is', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const session = await openSession(context, { config });
  await session.call('create_note', { path: 'New.md', content: 'one two\n' });
  const removed = await session.call('edit_note', {
    note: 'New',
    confirm: true,
    dry_run: null,
    edits: [{ op: 'replace_text', target: ' two', text: '', count: null, line: null }],
  });
  assert.equal(removed.structured.ok, true, removed.text);
  const tagged = await session.call('set_properties', {
    note: 'New',
    add_tags: 'sea',
    remove: null,
    set: { empty: null },
  });
  assert.equal(tagged.structured.ok, true, tagged.text);
  const { text } = await session.call('read_notes', { notes: 'New' });
  assert.match(text, /tags:\n\s+- sea/);
  assert.match(text, /empty:/);
  assert.match(text, /\none\n/);
});

test('arguments: null is a call without arguments', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  const line = { ...toolCall(7, 'list_tags'), params: { name: 'list_tags', arguments: null } };
  server.send(line);
  const { result, error } = await server.reply(7);
  assert.equal(error, undefined);
  assert.equal(result.structuredContent.ok, true);
});
