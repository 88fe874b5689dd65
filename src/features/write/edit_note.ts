// Applies several edits to one note, or none of them.
import * as z from 'zod';
import { editNote as editText } from '../../markdown/edit/note.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { consentShape, defineWriteTool, planShape } from './run-write.ts';
import { replacement } from './write-plan.ts';

const edit = z.strictObject({
  op: z.enum(['append', 'prepend', 'insert_after', 'insert_before', 'replace_section', 'replace_text']),
  target: z.string().optional().describe('`#Heading`, `#A#B`, `#^block`; of replace_text the exact text'),
  text: z.string(),
  count: z.int().min(1).optional().describe('expected occurrences; all are replaced'),
  line: z.coerce.number().int().min(1).optional().describe('of the target, if it occurs more than once'),
});

/** The operations that remove text. */
const REPLACES: readonly z.infer<typeof edit>['op'][] = ['replace_section', 'replace_text'];

export const editNote = defineWriteTool({
  name: 'edit_note',
  summary: 'Edit a note; all edits apply or none. Replacing text requires if_match, plan_id or confirm.',
  effect: 'destroys',
  fails: [
    ...NOTE_FAILURES,
    'FILE_UNREADABLE',
    'EDIT_TARGET_NOT_FOUND',
    'EDIT_TARGET_AMBIGUOUS',
    'CONFIRMATION_REQUIRED',
  ],
  input: z.strictObject({
    note: z.string().optional(),
    edits: z.array(edit).min(1).optional(),
    ...consentShape,
    ...planShape,
  }),
  required: ['note', 'edits'],
  plan: async ({ edits = [], ...args }, granted, call, refuse) => {
    const note = await editableNote(args, granted, call, refuse);
    const { text } = editText(note.path, note.text, edits);
    return replacement(note, text, { needsConsent: edits.some(({ op }) => REPLACES.includes(op)) });
  },
});
