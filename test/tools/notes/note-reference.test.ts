// Note references over a real vault: odd paths, URIs, parts that do not exist, and what is not a note.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import { uriOfNote } from '../../../src/base/note-uri.ts';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { toolCatalogFor } from '../../../src/tools/catalog.ts';
import { createCheckNote } from '../../../src/tools/diagnose/check_note.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { resolveNames } from '../../../src/tools/notes/resolve_names.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { fakeLLM } from '../../fakes/llm.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';
import { withWrites } from '../write/write-under-test.ts';

const catalog = toolCatalogFor({ textOnly: false, embedding: true });
const tide = '# Tide\n\nHigh and low. ^mark\n';

/** By tool, the arguments with a reference. */
const REFERRING: Readonly<Record<string, (reference: string) => object>> = {
  read_notes: (note) => ({ notes: [note] }),
  resolve_names: (note) => ({ names: [note] }),
  get_neighbors: (note) => ({ note }),
  find_path: (note) => ({ from: 'Moon', to: note }),
  find_gaps: (note) => ({ kind: 'unresolved', note }),
  find_conflicts: (note) => ({ notes: [note] }),
  find_related: (note) => ({ note }),
  find_similar: (note) => ({ note }),
  get_context: (note) => ({ notes: [note] }),
  get_timeline: (note) => ({ notes: [note] }),
  check_note: (note) => ({ note }),
  reindex: (note) => ({ notes: [note] }),
  create_note: (note) => ({ path: 'New', template: note }),
  edit_note: (note) => ({ note, edits: [{ op: 'append', text: 'x' }] }),
  set_properties: (note) => ({ note, set: { a: 1 } }),
  move_note: (note) => ({ note, to: 'Elsewhere' }),
  delete_note: (note) => ({ note, confirm: true }),
  merge_notes: (note) => ({ notes: [note], into: 'Moon', confirm: true }),
  replace_in_notes: (note) => ({ notes: [note], find: 'High', replace: 'Low' }),
  query_base: (note) => ({ base: 'All', note }),
  summarize_notes: (note) => ({ notes: [note] }),
  suggest_tags: (note) => ({ note }),
  suggest_links: (note) => ({ note }),
  extract_entities: (note) => ({ note }),
};
/** They change whole notes, so they refuse any part. */
const WHOLE_NOTES: readonly string[] = [
  ...['create_note', 'edit_note', 'set_properties', 'delete_note', 'merge_notes', 'replace_in_notes'],
];
const REFERENCE_ARGUMENTS = ['note', 'notes', 'names', 'from', 'template'];

const referring = catalog
  .filter(({ input }) => {
    const { shape } = input as unknown as { readonly shape: object };
    return REFERENCE_ARGUMENTS.some((name) => name in shape);
  })
  .filter(({ name }) => name !== 'rename_tag');

/** The error of a call, or of its only item. */
async function failureOf({ ask }: ToolsUnderTest, tool: AnyTool, input: object): Promise<VaultgraphError | undefined> {
  const [outcome] = await Promise.allSettled([ask(tool, input)]);
  return outcome.status === 'rejected' ? outcome.reason : outcome.value.failed?.[0]?.error;
}

const withEveryTool = (files: Readonly<Record<string, string>>, check: (under: ToolsUnderTest) => Promise<void>) =>
  withTools(files, check, { writes: true, llm: fakeLLM(() => '{}').provider });

test('a part that does not exist fails in every tool that takes a reference', () =>
  withEveryTool({ 'Tide.md': tide, 'Moon.md': '[[Tide]]', 'All.base': 'views: []' }, async (under) => {
    assert.deepEqual(referring.map(({ name }) => name).sort(), Object.keys(REFERRING).sort());
    for (const tool of referring) {
      const expected: ErrorCode = WHOLE_NOTES.includes(tool.name) ? 'INVALID_INPUT' : 'NOTE_PART_NOT_FOUND';
      for (const part of ['#Nowhere', '#^nowhere', ':900-999']) {
        const error = await failureOf(under, tool, REFERRING[tool.name]?.(`Tide${part}`) ?? {});
        assert.equal(error?.code, expected, `${tool.name} ${part} ${error?.stack}`);
        assert.ok(tool.fails.includes(expected), tool.name);
      }
    }
    assert.equal((await failureOf(under, readNotes, { notes: ['New'] }))?.code, 'NOTE_NOT_FOUND', 'nothing is written');
  }));

test('lines beyond the end say how many lines the note has', () =>
  withTools({ 'Tide.md': tide, 'Empty.md': '' }, async ({ refusal }) => {
    const { message, hint } = await refusal(getNeighbors, { note: 'Tide:900-999' }, 'NOTE_PART_NOT_FOUND');
    assert.equal(message, 'Tide.md has 3 lines, so no ":900-999"');
    assert.equal(hint, 'Give lines from 1 to 3.');
    const empty = await refusal(getNeighbors, { note: 'Empty:1' }, 'NOTE_PART_NOT_FOUND');
    assert.equal(empty.hint, 'The note is empty.');
  }));

const ODD_NAMES = [
  'C# notes.md',
  '#hash.md',
  'a#b^c.md',
  '^caret.md',
  'bar|name.md',
  'Log:10.md',
  'x [[y]].md',
  ' blank.md',
];
/** Notes that the odd names would mean if their signs were read first. */
const PLAIN_NAMES = ['C.md', 'a.md', 'bar.md', 'Log.md', 'blank.md'];

test('a path that exists is that note, whatever signs are in it', async () => {
  const files = Object.fromEntries([...ODD_NAMES, ...PLAIN_NAMES].map((path) => [path, `# notes.md\n\n${path}\n`]));
  const inFolder = Object.fromEntries(ODD_NAMES.map((path) => [`Sub/${path}`, path]));
  await withTools({ ...files, ...inFolder }, async ({ ask }) => {
    const paths = [...ODD_NAMES, ...Object.keys(inFolder)];
    const given = [...paths, ...paths.map((path) => path.slice(0, -'.md'.length)), ...paths.map(uriOfNote)];
    const { succeeded, failed } = await ask(readNotes, { notes: given });
    assert.deepEqual(failed, []);
    for (const { id, result } of succeeded) {
      const at = given.indexOf(id) % paths.length;
      assert.deepEqual([result.path, result.match], [paths[at], 'exact'], id);
    }
    const named = await ask(resolveNames, { names: ['C#notes.md', 'Log:1', 'C.md'] });
    const results = named.succeeded.map(({ result }: { result: object }) => result);
    assert.deepEqual(results, [
      { path: 'C.md', match: 'exact', lines: [1, 3] },
      { path: 'Log.md', match: 'exact', lines: [1, 1] },
      { path: 'C.md', match: 'exact' },
    ]);
  });
});

test('a path that exists is that note before it is indexed, and never another one', () =>
  withTools({ 'C.md': 'the language' }, async (under) => {
    const { ask, folder, refusal } = under;
    assert.equal((await failureOf(under, readNotes, { notes: ['C# notes.md'] }))?.code, 'NOTE_PART_NOT_FOUND');
    folder.put('C# notes.md', 'sharp');
    const { succeeded } = await ask(readNotes, { notes: ['C# notes.md'] });
    assert.equal(succeeded[0].result.content, 'sharp');
    assert.equal((await ask(createCheckNote({}), { note: 'C# notes.md' })).state, 'pending');
    const error = await refusal(getNeighbors, { note: 'C# notes.md' }, 'NOTE_NOT_FOUND');
    assert.equal(error.message, 'C# notes.md is in the vault and is not indexed yet');
    assert.equal(error.fixBy, 'nobody');
  }));

test('the URI of a resource is a reference in every tool that takes one', () => {
  const files = { 'Sea & sky/Tide 100%.md': tide, 'Moon.md': '', 'All.base': 'views: []' };
  return withEveryTool(files, async (under) => {
    const uri = 'note:///Sea%20%26%20sky/Tide%20100%25.md';
    for (const tool of referring) {
      const error = await failureOf(under, tool, REFERRING[tool.name]?.(`${uri}#No%20where`) ?? {});
      assert.match(
        error?.message ?? '',
        /has no part "#No where"|must name a whole note/,
        `${tool.name} ${error?.stack}`,
      );
    }
    const part = await under.ask(resolveNames, {
      names: [`${uri}#^mark`, 'note:///Moon.md', 'NOTE:///sea & sky/tide 100%.md'],
    });
    assert.deepEqual(
      part.succeeded.map(({ result }: { result: { path: string } }) => result.path),
      ['Sea & sky/Tide 100%.md', 'Moon.md', 'Sea & sky/Tide 100%.md'],
    );
    await under.ask(createNote, { path: 'note:///Sea%20%26%20sky/New.md', content: 'new' });
    await under.ask(moveNote, { note: 'note:///Moon.md', to: 'note:///Sky/Moon%20note' });
    for (const path of ['Sea & sky/New.md', 'Sky/Moon note.md'])
      assert.ok(existsSync(join(under.folder.root, path)), path);
  });
});

test('an attachment or a folder is called what it is', () =>
  withTools(
    { 'Sea/Images/Tide #1.png': 'x', 'Sea/Images/Map.png': 'x', 'Sea/Tide.md': '![[Tide #1.png]]' },
    async (under) => {
      for (const [note, message, tool] of [
        ['Sea/Images/Tide #1.png', '"Sea/Images/Tide #1.png" is an attachment, not a note', 'search_text'],
        ['map.PNG', '"map.PNG" is an attachment, not a note', 'search_text'],
        ['Sea/Images', '"Sea/Images" is a folder, not a note', 'list_notes'],
        ['sea/images/', '"sea/images/" is a folder, not a note', 'list_notes'],
      ] as const) {
        const error = await failureOf(under, getNeighbors, { note });
        assert.equal(error?.code, 'NOTE_NOT_FOUND', note);
        assert.equal(error?.message, message);
        const [action] = error?.actions ?? [];
        assert.equal(action?.kind === 'tool_call' && action.tool, tool);
        assert.match(error?.hint ?? '', new RegExp(tool));
      }
      const folder = await failureOf(under, getNeighbors, { note: 'sea/images' });
      assert.equal(folder?.hint, 'List its notes with list_notes and folder "Sea/Images".');
      assert.equal(
        (await failureOf(under, readNotes, { notes: ['Nowhere/'] }))?.message,
        'there is no folder "Nowhere/"',
      );
    },
  ));

test('a day without a daily note has no near names', () =>
  withTools({ 'today.md': '' }, async ({ refusal }) => {
    const { details, hint } = await refusal(getNeighbors, { note: '@2026-01-30' }, 'NOTE_NOT_FOUND');
    assert.deepEqual((details as { suggestions?: unknown }).suggestions, []);
    assert.equal(hint, 'Its path would be `2026-01-30.md`.');
  }));

test('a folder in another case is suggested for a move', () =>
  withWrites({ 'Clippings/A.md': '', 'B.md': '' }, async ({ refusal }) => {
    for (const note of ['clippings/', 'clippings']) {
      const { message, hint } = await refusal(moveNote, { note, to: 'Archive/' }, 'NOTE_NOT_FOUND');
      assert.equal(message, `there is no folder "${note}"`);
      assert.equal(hint, 'Similar names: `Clippings/`.');
    }
    const misspelt = await refusal(moveNote, { note: 'Clipings/', to: 'Archive/' }, 'NOTE_NOT_FOUND');
    assert.equal(misspelt.hint, 'Similar names: `Clippings/`.');
    const part = await refusal(editNote, { note: 'B#x', edits: [{ op: 'append', text: 'x' }] }, 'INVALID_INPUT');
    assert.match(part.message, /whole note/);
  }));

test('a path that is not allowed for another reason than its place says what to do instead', () =>
  withWrites({ 'A.md': '', 'B.base': '{}' }, async ({ refusal }) => {
    const edits = [{ op: 'append', text: 'x' }];
    for (const [tool, input, hint] of [
      [getNeighbors, { note: '@2026-02-30' }, /day that exists/],
      [getNeighbors, { note: '#tag' }, /`Note#Heading`/],
      [createNote, { path: 'New.txt', content: '' }, /`\.md`/],
      [createNote, { path: 'Sub/', content: '' }, /name of the note/],
      [editNote, { note: 'B.base', edits }, /moved or deleted/],
      [getNeighbors, { note: '../x' }, /inside the vault/],
    ] as const) {
      assert.match((await refusal(tool, input, 'PATH_NOT_ALLOWED')).hint, hint);
    }
  }));
