// Makes a note where none is. Knows nothing of how files are written.
import * as z from 'zod';
import { contentHash } from '../base/content-hash.ts';
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Properties } from '../base/note.ts';
import { defineTool } from '../contracts/tool.ts';
import { editProperties } from '../markdown/edit-properties.ts';
import { inputRefusal } from '../queries/input-refusal.ts';
import { newPathOf } from '../queries/new-path.ts';
import { performWrite } from '../queries/perform-write.ts';
import { planShape, type WriteTool } from '../queries/planned-write.ts';

const input = z.strictObject({
  path: z.string().optional(),
  content: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  ...planShape,
});
type Given = z.infer<typeof input>;

const creating: WriteTool<Given> = {
  name: 'create_note',
  accepted: Object.keys(input.shape),
  needed: ['path', 'content'],
  plan: async ({ path: written = '', content = '', properties }) => {
    const path = newPathOf(written, '.md');
    const text = properties === undefined ? content : await withProperties(path, content, properties as Properties);
    const bytes = Buffer.from(text);
    return {
      files: [{ operation: { kind: 'create', path, bytes }, after: text }],
      ...{ path, etag: contentHash(bytes), needsConsent: false, affected: [] },
    };
  },
};

/** @throws PROPERTIES_INVALID; INVALID_INPUT in the words of this tool's arguments */
async function withProperties(path: string, content: string, set: Properties): Promise<string> {
  const [outcome] = await Promise.allSettled([
    new Promise<string>((resolve) => resolve(editProperties(path, content, { set }).text)),
  ]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const error = toVaultgraphError(outcome.reason);
  if (error.code !== 'INVALID_INPUT') throw error;
  const { issues } = (error as VaultgraphError<'INVALID_INPUT'>).details;
  const own = issues.map((issue) => ({ ...issue, path: issue.path.replace(/^set/, 'properties') }));
  throw inputRefusal(creating.name, creating.accepted, ...own);
}

export const createNote = defineTool({
  name: 'create_note',
  summary: 'Create a note; refuses where one exists.',
  effect: 'writes',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'none',
  fails: ['INVALID_INPUT', 'PATH_NOT_ALLOWED', 'NOTE_EXISTS', 'PROPERTIES_INVALID', 'CHANGE_NOT_FOUND'],
  input,
  run: (given, granted, call) => performWrite(creating, given, granted, call),
});
