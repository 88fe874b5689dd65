// The days that tasks are asked to be due before and after, as people write them. Knows no task.
import { parseMoment } from './moment.ts';

interface DueArguments {
  readonly due_before?: string | undefined;
  readonly due_after?: string | undefined;
}

/**
 * Both leave out the day named, and a stretch such as `next week` as a whole.
 * @throws INVALID_QUERY
 */
export function dueDays({ due_before, due_after }: DueArguments, now = new Date()) {
  return {
    ...(due_before === undefined ? {} : { dueBefore: dayOf(parseMoment(due_before, 'due_before', now)) }),
    // Where a day or a stretch ends is where the next day begins.
    ...(due_after === undefined ? {} : { dueAfter: dayOf(parseMoment(due_after, 'due_after', now) - 1) }),
  };
}

/** On this machine's calendar. */
function dayOf(moment: number): string {
  const at = new Date(moment);
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${at.getFullYear()}-${month}-${day}`;
}
