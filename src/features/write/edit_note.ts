// Applies several edits to one note, which can be a new one, or none of them.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { ComputeTaskDates } from '../../contracts/compute.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { localDay } from '../../markdown/frontmatter/note-date.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { isFault, membersOf, readSettings, type SettingsFault } from '../notes/obsidian-settings.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { languageView, newNote, templateText } from './new-note.ts';
import { consentShape, defineWriteTool, planShape, type Refuse, type WriteSources } from './run-write.ts';
import { type EditableNote, plannedFile, replacement, type WritePlan } from './write-plan.ts';

const edit = z.strictObject({
  op: z.enum(['append', 'prepend', 'insert_after', 'insert_before', 'replace_section', 'replace_text', 'set_task']),
  target: z
    .string()
    .optional()
    .describe('`#Heading`, `#A#B`, `#^block`; replace_text: the exact text; set_task: the task'),
  text: z.string().optional(),
  count: z.int().min(1).optional().describe('expected occurrences; all are replaced'),
  line: z.int().min(1).optional().describe('of the target, if it occurs more than once'),
  status: z.string().optional().describe('open, done, cancelled or a mark'),
  recurring: z.enum(['tick_only']).optional(),
});
type Edit = z.infer<typeof edit>;

const input = z.strictObject({
  note: z.string().optional(),
  edits: z.array(edit).min(1).optional(),
  create: z.boolean().optional().describe('if missing'),
  ...consentShape,
  ...planShape,
});
/** `at` is the time of the plan, so that carrying it out writes the same dates. */
type Args = z.infer<typeof input> & { readonly at?: string };

/** The operations that remove text. */
const REPLACES: readonly Edit['op'][] = ['replace_section', 'replace_text'];

export const editNote = defineWriteTool<Args>({
  name: 'edit_note',
  title: 'Edit note',
  summary: 'Edit a note; all edits apply or none. Replacing text requires if_match, plan_id or confirm.',
  effect: 'destroys',
  references: ['note'],
  fails: [
    ...NOTE_FAILURES,
    'FILE_UNREADABLE',
    'NOTE_EXISTS',
    'EDIT_TARGET_NOT_FOUND',
    'EDIT_TARGET_AMBIGUOUS',
    'CONFIRMATION_REQUIRED',
  ],
  input,
  required: ['note', 'edits'],
  suitsAnyContent: ({ if_match, edits = [] }) => if_match === undefined && edits.every(findsItsPlace),
  plan: async (args, granted, call, refuse) => {
    const { edits = [] } = args;
    const now = args.at === undefined ? new Date() : new Date(args.at);
    const { note, isNew, facts } = await noteToEdit(args, granted, call, refuse, now);
    const dates = edits.some(isTask) ? await taskDates(granted.vault, call.signal, now) : undefined;
    const given = { path: note.path, text: note.text, edits, taskDates: dates };
    const text = await call.compute.run('edit', given, call.signal);
    const resolved = { args: { at: now.toISOString() } };
    if (isNew) return { ...creation(note, text, facts), ...resolved };
    return { ...replacement(note, text, { needsConsent: edits.some(({ op }) => REPLACES.includes(op)) }), ...resolved };
  },
});

function isTask({ op }: Edit): boolean {
  return op === 'set_task';
}

/** Whether the edit means the same after any other change of the note. */
function findsItsPlace({ op, line }: Edit): boolean {
  return op === 'append' || (op === 'set_task' && line === undefined);
}

interface NoteToEdit {
  readonly note: EditableNote;
  readonly isNew: boolean;
  /** Of a new note, for the answer. */
  readonly facts?: object;
}

/** The existing note, or with `create` the text that a new one begins with. @throws NOTE_FAILURES, FILE_UNREADABLE */
async function noteToEdit(
  args: Args,
  granted: WriteSources,
  call: CallContext,
  refuse: Refuse,
  now: Date,
): Promise<NoteToEdit> {
  const outcome = await outcomeOf(editableNote(args, granted, call, refuse));
  if ('value' in outcome) return { note: outcome.value, isNew: false };
  const { error } = outcome;
  const mayCreate = args.create === true && args.if_match === undefined && isMissing(error);
  if (!mayCreate) throw error;
  const { name, part } = parseReference(args.note ?? '');
  if (part.kind !== 'whole') throw refuse('note', 'must name a whole note, not a part of one');
  const created = await newNote(name, granted, call, now);
  const template = created.periodic?.settings.template ?? '';
  const onlyCreated = (rule: string) => refuse('create', `uses the daily note template of the vault, and it ${rule}`);
  const text = template === '' ? '' : await templateText(template, created, granted, call, now, onlyCreated);
  return {
    note: { path: created.path, text, etag: '', encode: (after) => Buffer.from(after) },
    isNew: true,
    facts: languageView(created),
  };
}

/** Whether no file at all is called like that. */
function isMissing(error: VaultgraphError): boolean {
  if (error.code !== 'NOTE_NOT_FOUND') return false;
  const { is } = (error as VaultgraphError<'NOTE_NOT_FOUND'>).details;
  return is === undefined || is === 'day';
}

function creation({ path }: EditableNote, after: string, facts: object = {}): WritePlan {
  const file = plannedFile({ kind: 'create', path, bytes: Buffer.from(after) }, { after });
  return { files: [file], ...file.result, needsConsent: false, affected: [], facts: { created: true, ...facts } };
}

const PLUGIN = 'obsidian-tasks-plugin';

/** Which days the vault records in its tasks, by the Tasks plugin; undefined if that is not enabled. @throws PATH_NOT_ALLOWED for settings that cannot be read */
async function taskDates(vault: Vault, signal: AbortSignal, now: Date): Promise<ComputeTaskDates | undefined> {
  const enabled = await readSettings('community-plugins', vault, signal);
  if (isFault(enabled)) throw unusable(enabled);
  if (!Array.isArray(enabled.value) || !enabled.value.includes(PLUGIN)) return undefined;
  const read = await membersOf(PLUGIN, vault, signal);
  if (isFault(read)) throw unusable(read);
  const { setDoneDate, setCancelledDate, taskFormat, globalFilter } = read.members;
  return {
    day: localDay(now),
    format: taskFormat === 'dataview' ? 'dataview' : 'emoji',
    done: setDoneDate !== false,
    cancelled: setCancelledDate !== false,
    filter: typeof globalFilter === 'string' ? globalFilter : '',
  };
}

function unusable({ path, fault }: SettingsFault): VaultgraphError {
  const instead = 'Fix this file in Obsidian; it says whether the day is added to a task that is done.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: fault, instead });
}
