// The checkbox items of all notes, by what is due first. Knows nothing of how a task is written.
import * as z from 'zod';
import type { Store } from '../../contracts/store.ts';
import type { TaskFilter } from '../../contracts/tasks.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { taskStatus } from '../../markdown/parse/task.ts';
import { taskFields } from '../../markdown/parse/task-fields.ts';
import { briefFilterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { dueDays } from './due-days.ts';
import { type WrittenTask, writtenTasks } from './task-texts.ts';

const input = z.strictObject({
  status: z.enum(['open', 'done', 'any']).default('open'),
  due_before: z.string().optional(),
  due_after: z.string().optional(),
  heading: z.string().min(1).optional(),
  ...briefFilterShape,
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
});
const paging = createPaging('list_tasks', input.shape);

export const listTasks = defineTool({
  name: 'list_tasks',
  summary:
    'Checkbox tasks of all notes, first due first; due_before and due_after exclude the day. `full` adds their other dates.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
  input,
  run: async (given, { store, vault }, call) => {
    const page = paging.pageOf(given);
    const notes = noteFilter(given);
    const { status, heading } = given;
    const filter = { ...notes, ...dueDays(given), status, ...(heading === undefined ? {} : { heading }) };
    const { tasks: found, total } = await store.listTasks(filter, page, call.signal);
    await warnOfEmptyFilters(notes, store, call);
    if (total === 0) await warnOfEmptyHeading(filter, store, call);
    const tasks = await writtenTasks(found, vault, call);
    return {
      tasks: tasks.map(given.detail === 'brief' ? brief : full),
      total,
      ...paging.next(given, page, { shown: found.length, total }),
    };
  },
});

async function warnOfEmptyHeading({ heading }: TaskFilter, store: Store, call: CallContext): Promise<void> {
  if (heading === undefined) return;
  const { total } = await store.listTasks({ heading, status: 'any' }, { limit: 1, offset: 0 }, call.signal);
  const message = `no task stands under a heading ${JSON.stringify(heading)}`;
  if (total === 0) call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
}

/** The mark where it says more than the status; a blank of another kind is one. */
function brief({ path, line, text, mark, due, heading }: WrittenTask) {
  const status = taskStatus(mark);
  const isPlain = mark.trim() === '' || status !== 'open';
  return { path, line, text, status, mark: isPlain ? undefined : mark, due, heading };
}

function full(task: WrittenTask) {
  return { ...brief(task), ...taskFields(task.text) };
}
