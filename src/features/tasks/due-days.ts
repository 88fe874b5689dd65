// The days that tasks are asked to be due before and after, as people write them. Knows no task.
import { localDay } from '../../markdown/frontmatter/written-date.ts';
import { parseMoment } from '../notes/parse-date.ts';

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
    ...(due_before === undefined ? {} : { dueBefore: localDay(new Date(parseMoment(due_before, 'due_before', now))) }),
    // Where a day or a stretch ends is where the next day begins.
    ...(due_after === undefined ? {} : { dueAfter: localDay(new Date(parseMoment(due_after, 'due_after', now) - 1)) }),
  };
}
