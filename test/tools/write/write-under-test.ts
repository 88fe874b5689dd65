// Runs the real write tools on a real, writable vault, and reads its files as bytes.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import type { Writer } from '../../../src/contracts/writer.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

export interface WritesUnderTest extends ToolsUnderTest {
  readonly writer: Writer;
  /** The file's text; undefined if there is no file. */
  text(path: string): string | undefined;
  /** Every file of the vault that is not hidden, by path. */
  files(): Readonly<Record<string, string>>;
  /** Includes hidden and temporary files, and empty folders with a slash at the end. */
  everything(): readonly string[];
}

export function withWrites(
  files: Readonly<Record<string, string | Uint8Array>>,
  check: (under: WritesUnderTest) => Promise<void>,
  { exclude = [] }: { readonly exclude?: string[] } = {},
): Promise<void> {
  const work = async (tools: ToolsUnderTest): Promise<void> => {
    const { root } = tools.folder;
    const { writer } = tools;
    assert.ok(writer);
    const text = (path: string): string | undefined =>
      existsSync(join(root, path)) ? readFileSync(join(root, path), 'latin1') : undefined;
    const everything = (): readonly string[] => entriesIn(root);
    const shown = (): string[] => everything().filter((path) => !path.endsWith('/') && !/(?:^|\/)\./.test(path));
    const contents = (): Record<string, string> => Object.fromEntries(shown().map((path) => [path, text(path) ?? '']));
    await check({ ...tools, writer, text, files: contents, everything });
    assert.deepEqual(
      everything().filter((path) => path.includes('.tmp')),
      [],
      'no temporary file is left',
    );
  };
  return withTools(files, work, { writes: true, exclude });
}

function entriesIn(root: string): string[] {
  const paths = globSync('**/*', { cwd: root, exclude: () => false });
  const hidden = globSync('**/.*', { cwd: root });
  const below = globSync('.trash/**/*', { cwd: root });
  return [...new Set([...paths, ...hidden, ...below])]
    .filter((path) => path !== '.' && path !== '')
    .map((path) => shownEntry(root, path))
    .sort();
}

function shownEntry(root: string, path: string): string {
  return statSync(join(root, path)).isDirectory() ? `${path}/` : path;
}

/** Checks that the plan of a dry run writes exactly what the dry run shows, and that undo restores every byte. */
export async function shownWrittenUndone(
  under: WritesUnderTest,
  tool: AnyTool,
  args: object,
): Promise<Record<string, string>> {
  const before = under.files();
  const shown = await under.ask(tool, { ...args, dry_run: true });
  assert.equal(shown.dry_run, true);
  assert.match(shown.plan_id, /^plan_/);
  assert.equal('change_id' in shown, false);
  assert.deepEqual(under.files(), before, 'a dry run writes nothing');
  const written = await under.ask(tool, { plan_id: shown.plan_id });
  assert.match(written.change_id, /^chg_/);
  const { change_id: _id, trashed: _trashed, ...result } = written;
  const {
    dry_run: _run,
    plan_id: _plan,
    diff: _diff,
    diff_cut: _cut,
    added_lines: _more,
    removed_lines: _less,
    ...planned
  } = shown;
  assert.deepEqual(result, planned, 'the plan is carried out exactly, and its diff is not repeated');
  const after = under.files();
  assert.notDeepEqual(after, before);
  await under.refusal(tool, { plan_id: shown.plan_id }, 'CHANGE_NOT_FOUND');
  const undone = await under.ask(undoChange, { change_id: written.change_id });
  assert.equal(undone.undoes.change_id, written.change_id);
  assert.deepEqual(under.files(), before, 'every byte is back');
  await under.refusal(undoChange, { change_id: written.change_id }, 'CHANGE_NOT_FOUND');
  return after;
}
