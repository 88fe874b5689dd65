// Changes copies of vaults written by other people with every tool that writes, and undoes each change byte for byte.
import assert from 'node:assert/strict';
import { type Dirent, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileHash } from './fingerprint.ts';
import { configFile, openSession, REAL_VAULTS, type Session, temporaryFolder } from './session.ts';

function filesOf(folder: string): readonly string[] {
  const isFile = (entry: Dirent): boolean => entry.isFile();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(isFile);
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

/** A copy that may be written, which the original may not. */
function writableCopy(context: TestContext, original: string): string {
  const vault = temporaryFolder(context);
  for (const path of filesOf(original)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), readFileSync(join(original, path)));
  }
  return vault;
}

/** The hash of the bytes of each file by its path. */
function contentOf(vault: string): ReadonlyMap<string, string | undefined> {
  return new Map(filesOf(vault).map((path) => [path, fileHash(join(vault, path))]));
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
async function dataOf(session: Session, tool: string, given: Record<string, unknown>): Promise<any> {
  const { structured, text } = await session.call(tool, given);
  assert.ok(structured.ok, `${tool} ${JSON.stringify(given)}: ${text}`);
  return structured.data;
}

/** One call of each tool that changes several notes, about what this vault has. */
async function writesFor(session: Session): Promise<readonly (readonly [string, Record<string, unknown>])[]> {
  const { notes } = await dataOf(session, 'list_notes', { sort: 'modified', limit: 3 });
  const [first, second, third] = notes.map(({ path }: { path: string }) => path);
  const { hubs } = await dataOf(session, 'get_hubs', { limit: 1 });
  const { tags } = await dataOf(session, 'list_tags', { sort: 'count', limit: 1 });
  const { tasks } = await dataOf(session, 'list_tasks', { limit: 1 });
  const hub = hubs[0]?.path ?? first;
  const [tag] = tags;
  return [
    ['move_note', { note: hub, to: 'Moved here/Another name.md' }],
    ['merge_notes', { notes: [second], into: third }],
    ['delete_note', { note: hub, redirect_to: hub === first ? second : first }],
    ['replace_in_notes', { find: '\\b(\\w)(\\w+)\\b', replace: '$2$1', regex: true, everywhere: true }],
    ['set_properties', { set: { reviewed: true }, notes: [first, second, third] }],
    ...(tag === undefined ? [] : [['rename_tag', { from: tag.split(' ')[0], to: 'renamed/tag' }] as const]),
    ...(tasks.length === 0 ? [] : [['edit_note', ticking(tasks[0])] as const]),
  ];
}

function ticking({ path, line, text }: { path: string; line: number; text: string }): Record<string, unknown> {
  return { note: path, edits: [{ op: 'set_task', target: text, line, status: 'done', recurring: 'tick_only' }] };
}

async function writeAndUndo(session: Session, vault: string, tool: string, given: Record<string, unknown>) {
  const before = contentOf(vault);
  const isAlwaysPlan = tool === 'replace_in_notes';
  const plan = await session.call(tool, isAlwaysPlan ? given : { ...given, dry_run: true });
  if (plan.isError) {
    // A note of such a vault may have properties that cannot be merged.
    assert.match(plan.text, /PROPERTIES_INVALID|FILE_UNREADABLE|EDIT_TARGET/, `${tool}: ${plan.text}`);
    return `${tool} refused`;
  }
  assert.deepEqual(contentOf(vault), before, `${tool}: a plan writes nothing`);
  await dataOf(session, tool, { plan_id: plan.structured.data.plan_id });
  const changed = contentOf(vault);
  assert.notDeepEqual(changed, before, `${tool} changed something`);
  await dataOf(session, 'undo_change', {});
  assert.deepEqual(contentOf(vault), before, `${tool} is undone byte for byte`);
  return tool;
}

test('every change of several notes is undone byte for byte in vaults written by other people', {
  skip: REAL_VAULTS.length === 0 && 'no ../shared/vaults next to the checkout',
}, async (suite) => {
  for (const original of REAL_VAULTS) {
    await suite.test(basename(original), async (context: TestContext) => {
      const vault = writableCopy(context, original);
      const config = configFile(
        context,
        `vault: { path: ${JSON.stringify(vault)}, access: read-write, dialect: obsidian }\n`,
      );
      const session = await openSession(context, { config });
      await session.indexed();
      const done: string[] = [];
      for (const [tool, given] of await writesFor(session)) done.push(await writeAndUndo(session, vault, tool, given));
      context.diagnostic(done.join(', '));
      assert.ok(done.filter((name) => !name.endsWith('refused')).length >= 4, done.join(', '));
    });
  }
});
