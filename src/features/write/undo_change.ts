// Undoes a change that a tool made, unless its files have changed since.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { fileKindOf } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileOperation } from '../../contracts/writer.ts';
import { textOf } from '../../markdown/edit/unified-diff.ts';
import { confirmShape, defineWriteTool, planShape, type WriteSources } from './run-write.ts';
import { writeConflict } from './write-conflict.ts';
import { type PlannedFile, plannedFile } from './write-plan.ts';

const FILES_AT_ONCE = 64;

export const undoChange = defineWriteTool({
  name: 'undo_change',
  title: 'Undo change',
  summary: 'Undo a change made by these tools (default: the last one); fails if the notes changed since.',
  effect: 'destroys',
  fails: [
    'INVALID_INPUT',
    'CHANGE_NOT_FOUND',
    'WRITE_CONFLICT',
    'NOTE_EXISTS',
    'LINK_INTEGRITY',
    'CONFIRMATION_REQUIRED',
  ],
  input: z.strictObject({ change_id: z.string().optional(), ...confirmShape, ...planShape }),
  required: [],
  plan: async ({ change_id }, granted, call) => {
    const { change, operations, emptied } = await granted.writer.inverse(change_id, call.signal);
    const files = await plannedFiles(operations, granted, call);
    return {
      files,
      ...(files[0]?.result ?? { path: '' }),
      ...{ needsConsent: false, affected: [], emptied, undoes: change.id, args: { change_id: change.id } },
      facts: { undoes: { change_id: change.id, tool: change.tool, time: change.time } },
    };
  },
});

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
