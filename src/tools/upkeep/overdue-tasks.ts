// Rule: open tasks whose due date is long past.
import type { FoundTask } from '../../contracts/store.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { readTexts } from '../notes/note-content.ts';
import { taskMarks } from '../tasks/list_tasks.ts';
import { everyTask, readTasks } from '../tasks/task-texts.ts';
import { type Call, type CheckRule, DAY_MS, type Finding, fixedBy } from './check-rule.ts';

interface OverdueTask extends Finding {
  readonly task: FoundTask;
}

/** Those that were due first first. */
export const overdueTasks: CheckRule<OverdueTask> = {
  find: async ({ granted, call, filter, settings, today }) => {
    const marks = await taskMarks(granted.vault, call);
    const before = localDay(new Date(Date.parse(`${today}T12:00`) - settings.overdue_days * DAY_MS));
    const late = { ...filter, status: 'open', days: { due: { before } }, ...(marks && { marks }) } as const;
    const tasks = await everyTask(late, granted.store, call.signal);
    return tasks.map((task) => ({ names: [task.path], task }));
  },
  show: async (findings, query) => {
    const overdue = findings.map(({ task }) => task);
    const tasks = await readTasks(overdue, query.granted.vault, query.call);
    const paths = [...new Set(tasks.map(({ path }) => path))];
    const texts = await readTexts(paths, query.granted.vault, query.call, 'lines');
    const now = Date.parse(`${query.today}T12:00`);
    return tasks.map(({ path, line, text, due = '' }) => ({
      path,
      line,
      text,
      due,
      days: Math.round((now - Date.parse(`${due}T12:00`)) / DAY_MS),
      ...fixedBy(query, ...(isMarked(texts.get(path), line) ? [calling(path, text, line)] : []), [
        'read_notes',
        { notes: [path] },
      ]),
    }));
  },
};

/** A task of Logseq has a word in place of the mark, and is not changed by edit_note. */
const isMarked = (text: string | undefined, line: number): boolean =>
  /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[.\]/u.test(text?.split(/\r\n?|\n/)[line - 1] ?? '');

const calling = (note: string, target: string, line: number): Call => [
  'edit_note',
  { note, edits: [{ op: 'set_task', target, line, due: 'today' }], dry_run: true },
];
