// Tests random writes and concurrent edits by other programs against a simple model of the vault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentHash } from '../../../src/base/content-hash.ts';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { fileKindOf, type NotePath } from '../../../src/base/note.ts';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { candidatesByName } from '../../../src/markdown/links/resolve-link.ts';
import { targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { coldRebuild, contentOf, signal } from '../../indexing/index-under-test.ts';
import { runs } from '../../runner/effort.ts';
import { type WritesUnderTest, withWrites } from './write-under-test.ts';

const RUNS = Number(process.env.VAULTGRAPH_TEST_RUNS ?? runs(20));
const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_121);

const START: Readonly<Record<string, string>> = {
  'Note.md': '---\ntags: [a]\nnear: "[[Other]]"\n---\n# Note\n\n[[Other#H]] ![[pic.png]] [o](a/Other.md)\n',
  'a/Other.md': '[[Note|shown]] [[b/Note]] [up](../Note.md) [[Third]]\n\n```\n[[Note]]\n```\n',
  'a/b/Third.md': '[[../Other]] [[a/Other]] [[Nowhere]] `[[Note]]`',
  'b/Note.md': '\uFEFF[[Note]] and [[./Fourth]]\r\nsecond\r\n',
  'b/Fourth.md': '',
  'b/pic.png': 'png',
  'Board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"b/Note.md"},{"id":"2","type":"text","text":"[[Other]] ![[pic.png]]"}],"edges":[]}',
};
const FOLDERS = ['', 'a', 'b', 'a/b', 'New', 'New/deep'] as const;
const NAMES = ['Note', 'Other', 'Third', 'Fourth', 'note', 'Fifth (5)', 'pic.png', 'Écru'] as const;

type Step =
  | { readonly kind: 'create' | 'put' | 'move'; readonly at: number; readonly path: string; readonly shown: boolean }
  | {
      readonly kind: 'append' | 'set' | 'unset' | 'delete' | 'edit' | 'take' | 'moveFolder' | 'undo';
      readonly at: number;
      readonly shown: boolean;
    };

const anyPath = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('create', 'put', 'move', 'move', 'move'),
    at: fc.nat(20),
    path: anyPath,
    shown: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom(
      'append',
      'set',
      'unset',
      'delete',
      'edit',
      'take',
      'moveFolder',
      'moveFolder',
      'undo',
      'undo',
    ),
    at: fc.nat(20),
    shown: fc.boolean(),
  }),
) as fc.Arbitrary<Step>;

type Files = Readonly<Record<string, string>>;
const utf8 = (latin1: string): string =>
  Buffer.from(latin1, 'latin1')
    .toString()
    .replace(/^\uFEFF/, '');
const asNote = (path: string): NotePath => path as NotePath;

/** The target of every resolved link, and the text without its links. */
function linksOf(files: Files) {
  const candidates = candidatesByName(Object.keys(files).map(asNote));
  return new Map(
    Object.keys(files)
      .filter((path) => fileKindOf(path) === 'note' || fileKindOf(path) === 'canvas')
      .map((path) => {
        const text = utf8(files[path] ?? '');
        const links = targetedLinks(asNote(path), text, candidates);
        const rest = links
          .toSorted((one, other) => other.offset - one.offset)
          .reduce((left, { offset, end }) => left.slice(0, offset) + left.slice(end), text);
        return [path, { targets: links.map(({ target }) => target), rest }] as const;
      }),
  );
}

/** Every resolved link still leads to the same file, and all other text is unchanged. */
function assertFollowed(before: Files, after: Files, renamed: (path: string) => string): void {
  const now = linksOf(after);
  assert.deepEqual(Object.keys(after).sort(), Object.keys(before).map(renamed).sort());
  for (const [path, { targets, rest }] of linksOf(before)) {
    const found = now.get(renamed(path));
    for (const [at, target] of targets.entries()) {
      if (target !== null) assert.equal(found?.targets[at], renamed(target), `link ${at} of ${path}`);
    }
    assert.equal(found?.rest, rest, path);
  }
}

function assertOnly(before: Files, after: Files, path: string): void {
  const { [path]: _was, ...others } = before;
  const { [path]: _is, ...othersNow } = after;
  assert.deepEqual(othersNow, others);
}

interface Made {
  readonly id: string;
  readonly before: Files;
  readonly after: Files;
}

async function play(under: WritesUnderTest, steps: readonly Step[]): Promise<void> {
  const made: Made[] = [];
  for (const [number, step] of steps.entries()) {
    const before = under.files();
    const notes = Object.keys(before).filter((path) => path.endsWith('.md'));
    const note = notes[step.at % Math.max(1, notes.length)] ?? 'Nobody';
    const write = (tool: AnyTool, args: object) => written(under, tool, args, step.shown);
    const keep = (id: string | undefined): void => {
      if (id !== undefined) made.push({ id, before, after: under.files() });
    };
    if (step.kind === 'put') {
      if (!isTaken(before, `${step.path}.md`)) under.folder.put(`${step.path}.md`, `theirs ${number} [[Note]]\n`);
    } else if (step.kind === 'edit') under.folder.put(note, `${utf8(before[note] ?? '')}theirs ${number}\n`);
    else if (step.kind === 'take') {
      if (before[note] !== undefined) under.folder.remove(note);
    } else if (step.kind === 'create') {
      const path = `${step.path}.md`;
      const done = await write(createNote, { path, content: `mine ${number} [[Other]]` });
      assertOnly(before, under.files(), path);
      if (done !== undefined) assert.equal(under.text(path), `mine ${number} [[Other]]`);
      assert.ok(
        done !== undefined || isTaken(before, path) || /pic\.png\.md$/.test(path),
        'refused only where something is',
      );
      keep(done?.change_id);
    } else if (step.kind === 'append') {
      const done = await write(editNote, { note, edits: [{ op: 'append', text: `mine ${number}` }] });
      assertOnly(before, under.files(), note);
      if (done !== undefined) {
        const [was, is] = [utf8(before[note] ?? ''), utf8(under.files()[note] ?? '')];
        assert.ok(is.startsWith(was) && /^\s*mine \d+\s*$/.test(is.slice(was.length)), 'only what was appended is new');
      }
      keep(done?.change_id);
    } else if (step.kind === 'set' || step.kind === 'unset') {
      const change = step.kind === 'set' ? { set: { rank: number } } : { remove: ['rank', 'tags'], confirm: true };
      const done = await write(setProperties, { note, ...change });
      assertOnly(before, under.files(), note);
      keep(done?.change_id);
    } else if (step.kind === 'delete') {
      const done = await write(deleteNote, { note, confirm: true });
      const { [note]: gone, ...others } = before;
      if (done !== undefined) {
        assert.deepEqual(under.files(), others);
        assert.equal(under.text(done.trashed ?? ''), gone);
      }
      keep(done?.change_id);
    } else if (step.kind === 'move' || step.kind === 'moveFolder') {
      const folder = FOLDERS[1 + (step.at % (FOLDERS.length - 1))];
      const args =
        step.kind === 'move' ? { note, to: `${step.path}.md` } : { note: `${folder}/`, to: `Moved ${step.at % 3}` };
      const done = await write(moveNote, { ...args, confirm: true });
      if (done !== undefined) assertFollowed(before, under.files(), renaming(done));
      keep(done?.change_id);
    } else await undo(under, made, before, step);
  }
  await assertIndexed(under);
}

function renaming({ from, path: to }: { from: string; path: string }): (path: string) => string {
  if (!from.endsWith('/')) return (path) => (path === from ? to : path);
  return (path) => (path.startsWith(from) ? `${to}${path.slice(from.length)}` : path);
}

/** In any spelling, or by a folder. */
function isTaken(files: Files, path: string): boolean {
  const folded = path.toLowerCase();
  return Object.keys(files).some(
    (each) => each.toLowerCase() === folded || each.toLowerCase().startsWith(`${folded}/`),
  );
}

/** With a dry run first or without; undefined if it was refused, and then nothing has changed. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
async function written(under: WritesUnderTest, tool: AnyTool, args: object, shown: boolean): Promise<any> {
  const before = under.files();
  try {
    if (!shown) return await under.ask(tool, args);
    const { plan_id } = await under.ask(tool, { ...args, dry_run: true });
    assert.deepEqual(under.files(), before, 'a dry run writes nothing');
    return await under.ask(tool, { plan_id });
  } catch (thrown) {
    assert.ok(thrown instanceof VaultgraphError, String((thrown as Error).stack));
    assert.notEqual(thrown.code, 'INTERNAL', String(thrown.cause));
    assert.deepEqual(under.files(), before, `${thrown.code}: nothing was written`);
    return undefined;
  }
}

/** Restores the earlier files, unless one of them has changed since. */
async function undo(under: WritesUnderTest, made: Made[], before: Files, step: Step): Promise<void> {
  const change = made.pop();
  if (change === undefined) return;
  const touched = [...new Set([...Object.keys(change.before), ...Object.keys(change.after)])].filter(
    (path) => change.before[path] !== change.after[path],
  );
  const isAsLeft = touched.every((path) => before[path] === change.after[path]);
  const done = await written(under, undoChange, { change_id: change.id, confirm: true }, step.shown);
  const now = under.files();
  if (done === undefined)
    assert.ok(
      !isAsLeft || touched.some((path) => change.before[path] !== undefined && isTaken(without(before, touched), path)),
      'refused for no reason',
    );
  else for (const path of touched) assert.equal(now[path], change.before[path], path);
  for (const path of Object.keys(before)) if (!touched.includes(path)) assert.equal(now[path], before[path], path);
}

function without(files: Files, paths: readonly string[]): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)));
}

async function assertIndexed(under: WritesUnderTest): Promise<void> {
  const job = await under.run({ kind: 'catch_up', confirmed: true });
  assert.equal(job.state, 'succeeded', String(job.error));
  assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
  for (const { path, hash } of await under.store.fileStates(signal)) {
    if (hash !== null) assert.equal(hash, contentHash(Buffer.from(under.text(path) ?? '', 'latin1')), path);
  }
}

test('with random writes and concurrent edits, links keep their targets, only the requested text changes, and undo is exact', async () => {
  const check = fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 16 }), (steps) =>
    withWrites(START, (under) => play(under, steps)),
  );
  await fc.assert(check, { numRuns: RUNS, seed: SEED, endOnFailure: process.env.VAULTGRAPH_TEST_RUNS === undefined });
});
