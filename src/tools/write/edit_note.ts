// Applies edits to one note, which can be a new one, or to several notes in one change; of each note all edits or none.
import * as z from 'zod';
import { type BatchResult, runBatch } from '../../base/batch.ts';
import { type Choice, VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { type TaskDates, taskText } from '../../markdown/edit/task.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { isFault, type SettingsFault } from '../notes/obsidian-settings.ts';
import { dayAfter, parseDays } from '../notes/parse-date.ts';
import { markTypes, type ReadTask, tasksPlugin, tasksWithText } from '../tasks/task-texts.ts';
import { editableFile, NOTE_FAILURES } from './editable-note.ts';
import { linksToLostParts } from './names/dead-links.ts';
import { type FilledTemplate, languageView, newNote, templateText } from './new-note.ts';
import { consentShape, defineWriteTool, planShape, type WriteCall, type WriteSources } from './run-write.ts';
import { type EditableNote, firstRows, plannedFile, replacement, type WritePlan } from './write-plan.ts';

const day = z.string().optional();
const edit = z.strictObject({
  note: z.string().optional().describe('for several notes'),
  op: z
    .enum([
      ...(['append', 'prepend', 'insert_after', 'insert_before', 'replace_section', 'delete_section'] as const),
      ...(['replace_text', 'set_task'] as const),
    ])
    .describe('append, prepend: to the note, or the section of target; replace_section keeps the heading'),
  target: z.string().optional().describe('#Heading, #A#B, #^block; replace_text: exact text; set_task: the task'),
  text: z.string().optional().describe('Markdown to write'),
  create_heading: z.boolean().optional().describe('append: if it is missing'),
  count: z.int().min(1).optional().describe('replace_text: occurrences, default 1'),
  line: z.int().min(1).optional().describe('of the target, if it occurs more than once'),
  status: z.string().optional().describe('set_task: open, done, cancelled or a mark'),
  due: day.describe('set_task: 2026-12-01, next friday; none removes it'),
  scheduled: day.describe('as due'),
  start: day.describe('as due'),
  priority: z.enum(['highest', 'high', 'medium', 'low', 'lowest', 'none']).optional().describe('set_task'),
  recurring: z.enum(['tick_only']).optional().describe('set_task: adds no next task'),
});
type Edit = z.infer<typeof edit>;

const input = z.strictObject({
  note: z
    .string()
    .optional()
    .describe('name, path or @today; optional if each edit has one, or is a set_task of unique text'),
  edits: z.array(edit).min(1).optional().describe('required without plan_id'),
  create: z.boolean().optional().describe('create a missing note'),
  ...consentShape,
  ...planShape,
});
/** `at` is the time of the plan, so that carrying it out writes the same dates. */
type Args = z.infer<typeof input> & { readonly at?: string };

/** The operations that remove text. */
const REPLACES: readonly Edit['op'][] = ['replace_section', 'delete_section', 'replace_text'];

export const editNote = defineWriteTool<Args>({
  name: 'edit_note',
  title: 'Edit note',
  summary:
    "Changes a note of the user's vault, or several: adds, replaces or deletes text, changes tasks. Of each note all edits apply or none; replacing, deleting and several notes need if_match, plan_id or confirm. Returns path, etag, diff and change_id.",
  others: { set_properties: 'properties and tags', replace_in_notes: 'many notes', move_note: 'renaming' },
  example: {
    note: '@today',
    create: true,
    edits: [{ op: 'append', target: '#Log', text: '- Tide' }],
  },
  words: 'add to my note, journal, log, tick off, complete to-do',
  effect: 'destroys',
  references: ['note'],
  fails: [
    ...NOTE_FAILURES,
    'FILE_UNREADABLE',
    'NOTE_EXISTS',
    'EDIT_TARGET_NOT_FOUND',
    'EDIT_TARGET_AMBIGUOUS',
    'CONFIRMATION_REQUIRED',
    'INVALID_QUERY',
  ],
  input,
  required: ['edits'],
  suitsAnyContent: ({ if_match, edits = [] }) => if_match === undefined && edits.every(findsItsPlace),
  plan: async (args, granted, call) => {
    const now = args.at === undefined ? new Date() : new Date(args.at);
    const edits = (args.edits ?? []).map((one) => withDays(one, now));
    const notes = await editsByNote(args, edits, granted, call);
    const dates = edits.some(isTask) ? await taskDates(granted.vault, call.signal, now) : undefined;
    const planOf = (note: string, ofNote: readonly Edit[]) =>
      planNote({ ...args, note }, ofNote, dates, now, granted, call);
    const [first] = notes;
    const plan =
      first !== undefined && notes.length === 1
        ? await planOf(first.note, first.edits)
        : await planSeveral(notes, planOf, call);
    return { ...plan, args: { at: now.toISOString() } };
  },
});

/** The edits of one note: all or none. */
async function planNote(
  args: Args,
  edits: readonly Edit[],
  taskDates: TaskDates | undefined,
  now: Date,
  granted: WriteSources,
  call: WriteCall,
): Promise<WritePlan> {
  const { note, isNew, facts, template } = await noteToEdit(args, granted, call, now);
  const request = { path: note.path, text: note.text, edits, taskDates };
  const { text, changes, facts: ofCanvas } = await call.compute.run(jobs.edit, request, call.signal);
  if (isNew) return { ...creation(note, text, facts), ...(template && { template }) };
  const lost = await linksToDeletedParts(note, text, edits, granted, call);
  const more = {
    needsConsent: edits.some(({ op }) => REPLACES.includes(op)),
    facts: { ...ofCanvas, ...(lost.length > 0 && { broken: firstRows(lost, 'broken links', call) }) },
  };
  return replacement(note, text, more, changes);
}

/** Links to what a deleted section contains. */
async function linksToDeletedParts(
  { path, text: before }: EditableNote,
  after: string,
  edits: readonly Edit[],
  { store }: WriteSources,
  call: CallContext,
) {
  if (!edits.some(({ op }) => op === 'delete_section')) return [];
  return linksToLostParts({ path, before, after }, store, call);
}

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
  readonly template?: NotePath;
  /** The facts of a new note, for the answer. */
  readonly facts?: object;
}

/** The existing note, or with `create` the text that a new one begins with. @throws NOTE_FAILURES, FILE_UNREADABLE */
async function noteToEdit(args: Args, granted: WriteSources, call: WriteCall, now: Date): Promise<NoteToEdit> {
  const outcome = await outcomeOf(editableFile(args, granted, call));
  if ('value' in outcome) return { note: outcome.value, isNew: false };
  const { error } = outcome;
  const mayCreate = args.create === true && args.if_match === undefined && isMissing(error);
  if (!mayCreate) throw error;
  const { name, part } = parseReference(args.note ?? '');
  if (part.kind !== 'whole') throw call.refuse('note', 'must name a whole note, not a part of one');
  const created = await newNote(name, granted, call, now);
  const template = created.periodic?.settings.template ?? '';
  const onlyCreated = (rule: string) =>
    call.refuse('create', `uses the daily note template of the vault, and it ${rule}`);
  const filled: FilledTemplate =
    template === '' ? { text: '' } : await templateText(template, created, granted, call, now, onlyCreated);
  return {
    note: { path: created.path, text: filled.text, etag: '', encode: (after) => Buffer.from(after) },
    isNew: true,
    facts: languageView(created),
    ...(filled.template && { template: filled.template }),
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

/** The day of a task that is done, and how the Tasks plugin records it, if it is enabled. @throws PATH_NOT_ALLOWED for settings that cannot be read */
async function taskDates(vault: Vault, signal: AbortSignal, now: Date): Promise<TaskDates> {
  const settings = await tasksPlugin(vault, signal);
  const day = localDay(now);
  if (settings === undefined) return { day };
  if (isFault(settings)) throw unusable(settings);
  const { setDoneDate, setCancelledDate, taskFormat, globalFilter } = settings;
  const plugin = {
    format: taskFormat === 'dataview' ? 'dataview' : 'emoji',
    done: setDoneDate !== false,
    cancelled: setCancelledDate !== false,
    filter: typeof globalFilter === 'string' ? globalFilter : '',
    marks: markTypes(settings),
  } as const;
  return { day, plugin };
}

function unusable({ path, fault }: SettingsFault): VaultgraphError {
  const instead = 'Fix this file in Obsidian; it says whether the day is added to a task that is done.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: fault, instead });
}

interface EditOfNote {
  readonly op: string;
  readonly note?: string | undefined;
  readonly target?: string | undefined;
  readonly line?: number | undefined;
  readonly due?: string | undefined;
  readonly scheduled?: string | undefined;
  readonly start?: string | undefined;
}

/** The notes in the order in which the edits name them. */
type NoteEdits<Edit> = readonly { readonly note: string; readonly edits: readonly Edit[] }[];

/** The edit with days such as `2026-12-01` for `next friday`. @throws INVALID_QUERY */
function withDays<Edit extends EditOfNote>(edit: Edit, now: Date): Edit {
  const days = (['due', 'scheduled', 'start'] as const).flatMap((name): [string, string][] => {
    const day = edit[name];
    return day === undefined ? [] : [[name, dayOf(day, name, now)]];
  });
  return { ...edit, ...Object.fromEntries(days) };
}

function dayOf(date: string, field: 'due' | 'scheduled' | 'start', now: Date): string {
  if (date.trim().toLowerCase() === 'none') return 'none';
  const { from, before } = parseDays(date, field, now);
  if (from !== undefined && before === dayAfter(new Date(`${from}T00:00`).getTime())) return from;
  const reason = 'it is not one day; write a day such as 2026-12-01, tomorrow or next friday, or none';
  throw new VaultgraphError('INVALID_QUERY', { field, position: 0, reason });
}

/** @throws INVALID_INPUT for an edit without a note; EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS for a task without one */
async function editsByNote<Edit extends EditOfNote>(
  { note, if_match }: { readonly note?: string | undefined; readonly if_match?: string | undefined },
  edits: readonly Edit[],
  granted: WriteSources,
  call: WriteCall,
): Promise<NoteEdits<Edit>> {
  const byNote = new Map<string, Edit[]>();
  for (const [index, edit] of edits.entries()) {
    const reference = edit.note ?? note;
    const target = reference === undefined ? await foundTask(edit, index, granted, call) : { note: reference, edit };
    byNote.set(target.note, [...(byNote.get(target.note) ?? []), target.edit]);
  }
  if (byNote.size > 1 && if_match !== undefined)
    throw call.refuse('if_match', 'is the etag of one note; pass confirm or plan_id for several');
  return [...byNote].map(([path, ofNote]) => ({ note: path, edits: ofNote }));
}

const MAX_CHOICES = 10;

/** The only task of the vault with this text; one with exactly the text before those that contain it. */
async function foundTask<Edit extends EditOfNote>(edit: Edit, index: number, granted: WriteSources, call: WriteCall) {
  const at = `edits.${index}`;
  const { op, target = '', line } = edit;
  if (op !== 'set_task') throw call.refuse('note', `is required for ${op}, or ${at}.note`);
  const isText = target.trim() !== '' && !/^#?\^/.test(target.trim());
  if (!isText || line !== undefined)
    throw call.refuse('note', `is required for a task by its ${isText ? 'line' : 'block'}, or ${at}.note`);
  const targetText = taskText(target);
  const containing = await tasksWithText(targetText, { status: 'any' }, granted, call);
  const tasks = containing.filter(({ text }) => text.includes(targetText));
  const same = tasks.filter(({ text }) => text === targetText);
  const [task, ...others] = same.length > 0 ? same : tasks;
  if (task === undefined) throw taskNotFound(targetText, containing);
  if (others.length > 0) throw severalTasks(targetText, [task, ...others], at);
  return { note: task.path, edit: { ...edit, line: task.line } };
}

function taskNotFound(target: string, alike: readonly ReadTask[]): VaultgraphError {
  const tasks = alike.slice(0, MAX_CHOICES).map(({ text }) => text);
  return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path: '', target, count: 0, tasks });
}

function severalTasks(target: string, tasks: readonly ReadTask[], at: string): VaultgraphError {
  const items = tasks.map(({ path, line, text }): Choice => ({ value: path, path, line, label: text }));
  const choices = { items: items.slice(0, MAX_CHOICES), total: items.length, retryWith: `${at}.note` };
  const details = { path: '', target, count: tasks.length, expected: 1, lines: [], any_note: true as const };
  return new VaultgraphError('EDIT_TARGET_AMBIGUOUS', details, { choices });
}

interface EditedNote {
  readonly path?: string;
  readonly etag?: string;
  readonly unchanged?: true;
}

/**
 * One change of several notes. A note whose edits cannot be made is left as it is, and listed with its error.
 * @throws what ends the whole call, such as VAULT_UNAVAILABLE
 */
async function planSeveral<Edit>(
  notes: NoteEdits<Edit>,
  planOf: (note: string, edits: readonly Edit[]) => Promise<WritePlan>,
  call: WriteCall,
): Promise<WritePlan> {
  const plans = new Map<string, WritePlan>();
  const edits = new Map(notes.map((one) => [one.note, one.edits]));
  const isOfAll = ({ category, code }: VaultgraphError): boolean =>
    category === 'store' || code === 'VAULT_UNAVAILABLE';
  const batch: BatchResult<EditedNote> = await runBatch(
    [...edits.keys()],
    call.signal,
    async (note) => {
      const plan = await planOf(note, edits.get(note) ?? []);
      const { path = note, etag, files, facts } = plan;
      const twice = [...plans.values()].some((other) => other.path === path);
      if (twice) throw call.refuse('edits', `names ${path} in two ways; use one of them in all its edits`);
      plans.set(note, plan);
      const change = files.length === 0 ? { unchanged: true as const } : {};
      return { path, ...(etag === undefined ? {} : { etag }), ...change, ...facts };
    },
    { endsAll: isOfAll },
  );
  const files = [...plans.values()].flatMap((plan) => plan.files);
  return {
    files,
    needsConsent: files.length > 1 || [...plans.values()].some(({ needsConsent }) => needsConsent),
    affected: files.map(({ result }) => result.path),
    facts: batch,
  };
}
