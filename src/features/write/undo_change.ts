// Takes back a change that a tool made, unless somebody has changed its files since.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { FileOperation } from '../../contracts/writer.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { planShape, runWrite, type WriteSources, type WriteTool } from './run-write.ts';
import { writeConflict } from './write-conflict.ts';
import { type PlannedFile, stateBehind } from './write-plan.ts';

const input = z.strictObject({
  change_id: z.string().optional(),
  ...planShape,
});
type Given = z.infer<typeof input>;

const FILES_AT_ONCE = 64;

const undoing: WriteTool<Given> = {
  name: 'undo_change',
  accepted: Object.keys(input.shape),
  needed: [],
  plan: async ({ change_id }, granted, call) => {
    const { change, operations, emptied } = await granted.writer.inverse(change_id, call.signal);
    const files = await filesNow(operations, granted, call);
    const [first] = operations;
    return {
      files,
      ...(first === undefined ? { path: '' } : stateBehind(first)),
      ...{ needsConsent: false, affected: [], emptied, undoes: change.id, given: { change_id: change.id } },
      facts: { undoes: { change_id: change.id, tool: change.tool, time: change.time } },
    };
  },
};

async function filesNow(
  operations: readonly FileOperation[],
  granted: WriteSources,
  call: CallContext,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (let at = 0; at < operations.length; at += FILES_AT_ONCE) {
    const some = operations.slice(at, at + FILES_AT_ONCE);
    const paths = some.filter(isOfText).map(({ path }) => path);
    const { succeeded } = await granted.vault.read(paths, call.signal);
    const bytes = new Map(succeeded.map(({ id, result }) => [id, result.bytes]));
    for (const operation of some) files.push(await fileNow(operation, bytes.get(operation.path), granted, call));
  }
  return files;
}

/** Whether it is about a file that is there now, and whose text can be shown. */
function isOfText({ kind, path }: FileOperation): boolean {
  return kind !== 'create' && kind !== 'restore' && fileKindOf(path) !== 'attachment';
}

/** @throws WRITE_CONFLICT for a file that is not as the change left it */
async function fileNow(
  operation: FileOperation,
  now: Uint8Array | undefined,
  { vault }: WriteSources,
  { signal }: CallContext,
): Promise<PlannedFile> {
  const after =
    'bytes' in operation && operation.bytes !== undefined ? textOf(operation.bytes, operation.path) : undefined;
  if (!isOfText(operation)) return { operation, ...(after === undefined ? {} : { after }) };
  const expected = 'before' in operation ? operation.before : undefined;
  if (now === undefined || (expected !== undefined && contentHash(now) !== expected))
    throw await writeConflict(operation.path, expected, vault, signal);
  const before = textOf(now, operation.path);
  if (before === undefined || operation.kind === 'remove')
    return { operation, ...(before === undefined ? {} : { before, after: '' }) };
  return { operation, before, after: after ?? before };
}

function textOf(bytes: Uint8Array, path: NotePath): string | undefined {
  if (fileKindOf(path) === 'attachment') return undefined;
  const { text, encoding } = decodeText(bytes);
  return encoding === 'utf-8' ? text : undefined;
}

export const undoChange = defineTool({
  name: 'undo_change',
  summary: 'Take back a change of these tools, the last one by default; refuses when its notes have changed since.',
  effect: 'destroys',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'none',
  fails: ['INVALID_INPUT', 'CHANGE_NOT_FOUND', 'WRITE_CONFLICT', 'NOTE_EXISTS'],
  input,
  run: (given, granted, call) => runWrite(undoing, given, granted, call),
});
