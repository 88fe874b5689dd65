// Rule: open tasks whose due date is long past.
import type { FoundTask } from '../../contracts/store.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { taskMarks } from '../tasks/list_tasks.ts';
import { everyTask, readTasks } from '../tasks/task-texts.ts';
import { type CheckRule, DAY_MS, type Finding, fixedBy } from './check-rule.ts';

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
    const found = findings.map(({ task }) => task);
    const tasks = await readTasks(found, query.granted.vault, query.call);
    const now = Date.parse(`${query.today}T12:00`);
    return tasks.map(({ path, line, text, due = '' }) => ({
      path,
      line,
      text,
      due,
      days: Math.round((now - Date.parse(`${due}T12:00`)) / DAY_MS),
      ...fixedBy(
        query,
        ['edit_note', { note: path, edits: [{ op: 'set_task', target: text, line, due: 'today' }], dry_run: true }],
        ['read_notes', { notes: [path] }],
      ),
    }));
  },
};
