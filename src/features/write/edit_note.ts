// Edits the text of one note in several places at once, or in none.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { editNote as editText } from '../../markdown/edit/note.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { consentShape, planShape, runWrite, type WriteTool } from './run-write.ts';
import { replacement } from './write-plan.ts';

const edit = z.strictObject({
  op: z.enum(['append', 'prepend', 'insert_after', 'insert_before', 'replace_section', 'replace_text']),
  target: z.string().optional().describe('`#Heading`, `#A#B`, `#^block`; of replace_text the exact text'),
  text: z.string(),
  count: z.int().min(1).optional().describe('how often it occurs; all are replaced'),
  line: z.coerce.number().int().min(1).optional().describe('of the target, to tell several apart'),
});
const input = z.strictObject({
  note: z.string().optional(),
  edits: z.array(edit).min(1).optional(),
  ...consentShape,
  ...planShape,
});
type Given = z.infer<typeof input>;

/** The operations by which text goes. */
const REPLACES: readonly z.infer<typeof edit>['op'][] = ['replace_section', 'replace_text'];

const editing: WriteTool<Given> = {
  name: 'edit_note',
  accepted: Object.keys(input.shape),
  needed: ['note', 'edits'],
  plan: async ({ note: reference = '', if_match, edits = [] }, granted, call) => {
    const asked = { tool: editing.name, accepted: editing.accepted, note: reference, if_match };
    const note = await editableNote(asked, granted, call);
    const { text } = editText(note.path, note.text, edits);
    return replacement(note, text, { needsConsent: edits.some(({ op }) => REPLACES.includes(op)) });
  },
};

export const editNote = defineTool({
  name: 'edit_note',
  summary: 'Edit a note: all edits or none. What replaces text needs if_match, a plan_id or confirm.',
  effect: 'destroys',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'none',
  fails: [
    ...NOTE_FAILURES,
    'FILE_UNREADABLE',
    'EDIT_TARGET_NOT_FOUND',
    'EDIT_TARGET_AMBIGUOUS',
    'CONFIRMATION_REQUIRED',
  ],
  input,
  run: (given, granted, call) => runWrite(editing, given, granted, call),
});
