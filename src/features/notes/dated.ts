// The date of each note of an answer that was narrowed by dates, and what told it.
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';

/** What an answer adds to a note. */
export interface Dated {
  readonly date: string;
  readonly dated_by: NoteSummary['datedBy'];
}

/** By path; empty where no date was asked for: then nobody needs to know. */
export async function datesOf(
  paths: readonly NotePath[],
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<NotePath, Dated>> {
  if (!asksForDates(filter)) return new Map();
  const notes = await store.notes(paths, signal);
  return new Map(notes.map((note) => [note.path, datedAs(note)]));
}

export function asksForDates({ sinceMs, untilMs }: NoteFilter): boolean {
  return sinceMs !== undefined || untilMs !== undefined;
}

export function datedAs({ date, datedBy }: NoteSummary): Dated {
  return { date, dated_by: datedBy };
}
