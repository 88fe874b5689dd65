// Makes a note where none is. Knows nothing of how files are written.
import * as z from 'zod';
import { contentHash } from '../base/content-hash.ts';
import type { Properties } from '../base/note.ts';
import { defineTool } from '../contracts/tool.ts';
import { editProperties } from '../markdown/edit-properties.ts';
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
    const set = properties as Properties | undefined;
    const text = set === undefined ? content : editProperties(path, content, { set }).text;
    const bytes = Buffer.from(text);
    return {
      files: [{ operation: { kind: 'create', path, bytes }, after: text }],
      ...{ path, etag: contentHash(bytes), needsConsent: false, affected: [] },
    };
  },
};

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
