// Undoes changes that tools made, unless their files have changed since: one, or all of a session or a time.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf } from '../../base/note.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Change, FileOperation } from '../../contracts/writer.ts';
import { textOf } from '../../markdown/edit/unified-diff.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { confirmShape, planShape, runWrite, type WriteSources, type WriteTool } from './run-write.ts';
import { isUndoable, MAX_CHANGES, requestedUndo, shownUndo, undoAll } from './several-undos.ts';
import { writeConflict } from './write-conflict.ts';
import { type PlannedFile, plannedFile } from './write-plan.ts';

const FILES_AT_ONCE = 64;

const input = z.strictObject({
  change_id: z.string().optional().describe('default: last of this session'),
  since: z.string().optional().describe('all since then: today, 2 hours ago'),
  session: z.boolean().optional().describe('true: all of this session'),
  ...confirmShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

const needs = ['store', 'vault', 'indexer', 'writer'] as const;
const described = {
  name: 'undo_change',
  title: 'Undo change',
  summary:
    'Undoes changes that these tools made: the last one of this session, one by change_id, or all since a time. Fails if the notes changed since. Returns what was undone and a change_id.',
  words: 'revert, restore',
  effect: 'destroys',
  fails: [
    ...(['INVALID_INPUT', 'INVALID_QUERY', 'CHANGE_NOT_FOUND', 'WRITE_CONFLICT'] as const),
    ...(['NOTE_EXISTS', 'LINK_INTEGRITY', 'CONFIRMATION_REQUIRED'] as const),
  ],
  input,
} as const;

const oneUndo: WriteTool<Args> = {
  ...described,
  required: [],
  plan: async ({ change_id }, granted, call) => {
    const id = change_id ?? (await lastOfSession(granted, call));
    const { change, operations, emptied } = await granted.writer.inverse(id, call.signal);
    const files = await plannedFiles(operations, granted, call);
    return {
      files,
      ...(files[0]?.result ?? { path: '' }),
      ...{ needsConsent: false, affected: [], emptied, undoes: change.id, args: { change_id: change.id } },
      facts: { undoes: { change_id: change.id, tool: change.tool, time: change.time } },
    };
  },
};

export const undoChange = defineTool({
  ...described,
  needs,
  index: 'none',
  run: async (args: Args, granted, call) => {
    const refuse = (path: string, rule: string): VaultgraphError =>
      inputRefusal(described.name, Object.keys(input.shape), { path, rule });
    const ids = await requestedUndo(args, granted.writer, call, refuse);
    if (ids === undefined) return runWrite(oneUndo, args, granted, call);
    if (args.dry_run === true) return shownUndo(ids, args, granted, call);
    if (args.plan_id !== undefined) call.writes.dropPlan(args.plan_id);
    const { confirm } = args;
    return undoAll(ids, call, (id) => runWrite(oneUndo, { change_id: id, ...(confirm && { confirm }) }, granted, call));
  },
});

/** @throws CHANGE_NOT_FOUND if this session made no change, or all of them are undone */
async function lastOfSession({ writer }: WriteSources, call: CallContext): Promise<string> {
  const own = new Set(call.writes.changesOf(call.session));
  const changes = (await writer.changes(MAX_CHANGES, call.signal)).filter(isUndoable);
  const last = changes.find(({ id }) => own.has(id));
  if (last !== undefined) return last.id;
  const recent = changes.slice(0, MAX_RECENT).map(({ id }: Change) => id);
  throw new VaultgraphError('CHANGE_NOT_FOUND', { id: '', recent, session: true });
}

const MAX_RECENT = 5;

async function plannedFiles(
  operations: readonly FileOperation[],
  granted: WriteSources,
  call: CallContext,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (let at = 0; at < operations.length; at += FILES_AT_ONCE) {
    const some = operations.slice(at, at + FILES_AT_ONCE);
    const paths = some.filter(changesText).map(({ path }) => path);
    const { succeeded } = await granted.vault.read(paths, call.signal);
    const bytes = new Map(succeeded.map(({ id, result }) => [id, result.bytes]));
    for (const operation of some) files.push(await undoneFile(operation, bytes.get(operation.path), granted, call));
  }
  return files;
}

/** Whether the operation changes an existing file that has a text. */
function changesText({ kind, path }: FileOperation): boolean {
  return kind !== 'create' && kind !== 'restore' && fileKindOf(path) !== 'attachment';
}

/** @throws WRITE_CONFLICT if the file is not as the change left it */
async function undoneFile(
  operation: FileOperation,
  current: Uint8Array | undefined,
  { vault }: WriteSources,
  call: CallContext,
): Promise<PlannedFile> {
  const { kind, path } = operation;
  const after = 'bytes' in operation && operation.bytes !== undefined ? textOf(operation.bytes, path) : undefined;
  if (!changesText(operation)) return plannedFile(operation, after === undefined ? {} : { after });
  const expected = 'before' in operation ? operation.before : undefined;
  if (current === undefined || (expected !== undefined && contentHash(current) !== expected))
    throw await writeConflict(path, expected, vault, call);
  const before = textOf(current, path);
  if (before === undefined) return plannedFile(operation);
  return plannedFile(operation, { before, after: kind === 'remove' ? '' : (after ?? before) });
}
