// Works out which notes the edits of a call are about, and plans those of several notes as one change.
import { type BatchResult, runBatch } from '../../base/batch.ts';
import { type Choice, VaultgraphError } from '../../base/errors.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { taskText } from '../../markdown/edit/task.ts';
import { dayAfter, parseDays } from '../notes/parse-date.ts';
import { type ReadTask, tasksWithText } from '../tasks/task-texts.ts';
import type { Refuse, WriteSources } from './run-write.ts';
import type { WritePlan } from './write-plan.ts';

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
export type NoteEdits<Edit> = readonly { readonly note: string; readonly edits: readonly Edit[] }[];

/** The edit with days such as `2026-12-01` for `next friday`. @throws INVALID_QUERY */
export function withDays<Edit extends EditOfNote>(edit: Edit, now: Date): Edit {
  const days = (['due', 'scheduled', 'start'] as const).flatMap((name): [string, string][] => {
    const day = edit[name];
    return day === undefined ? [] : [[name, dayOf(day, name, now)]];
  });
  return { ...edit, ...Object.fromEntries(days) };
}

function dayOf(written: string, field: 'due' | 'scheduled' | 'start', now: Date): string {
  if (written.trim().toLowerCase() === 'none') return 'none';
  const { from, before } = parseDays(written, field, now);
  if (from !== undefined && before === dayAfter(new Date(`${from}T00:00`).getTime())) return from;
  const reason = 'it is not one day; write a day such as 2026-12-01, tomorrow or next friday, or none';
  throw new VaultgraphError('INVALID_QUERY', { field, position: 0, reason });
}

/** @throws INVALID_INPUT for an edit without a note; EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS for a task without one */
export async function editsByNote<Edit extends EditOfNote>(
  { note, if_match }: { readonly note?: string | undefined; readonly if_match?: string | undefined },
  edits: readonly Edit[],
  granted: WriteSources,
  call: CallContext,
  refuse: Refuse,
): Promise<NoteEdits<Edit>> {
  const byNote = new Map<string, Edit[]>();
  for (const [index, edit] of edits.entries()) {
    const own = edit.note ?? note;
    const found = own === undefined ? await foundTask(edit, index, granted, call, refuse) : { note: own, edit };
    byNote.set(found.note, [...(byNote.get(found.note) ?? []), found.edit]);
  }
  if (byNote.size > 1 && if_match !== undefined)
    throw refuse('if_match', 'is the etag of one note; pass confirm or plan_id for several');
  return [...byNote].map(([path, ofNote]) => ({ note: path, edits: ofNote }));
}

const MAX_CHOICES = 10;

/** The only task of the vault with this text; one with exactly the text before those that contain it. */
async function foundTask<Edit extends EditOfNote>(
  edit: Edit,
  index: number,
  granted: WriteSources,
  call: CallContext,
  refuse: Refuse,
) {
  const at = `edits.${index}`;
  const { op, target = '', line } = edit;
  if (op !== 'set_task') throw refuse('note', `is required for ${op}, or ${at}.note`);
  const isText = target.trim() !== '' && !/^#?\^/.test(target.trim());
  if (!isText || line !== undefined)
    throw refuse('note', `is required for a task by its ${isText ? 'line' : 'block'}, or ${at}.note`);
  const wanted = taskText(target);
  const containing = await tasksWithText(wanted, { status: 'any' }, granted, call);
  const tasks = containing.filter(({ text }) => text.includes(wanted));
  const same = tasks.filter(({ text }) => text === wanted);
  const [task, ...others] = same.length > 0 ? same : tasks;
  if (task === undefined) throw taskNotFound(wanted, containing);
  if (others.length > 0) throw severalTasks(wanted, [task, ...others], at);
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
export async function planSeveral<Edit>(
  notes: NoteEdits<Edit>,
  planOf: (note: string, edits: readonly Edit[]) => Promise<WritePlan>,
  call: CallContext,
  refuse: Refuse,
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
      if (twice) throw refuse('edits', `names ${path} in two ways; use one of them in all its edits`);
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
