// Which note a link that leads nowhere may have meant. Knows nothing of where the link stands.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { NotePath } from '../base/note.ts';
import type { NameCandidate, Store } from '../contracts/store.ts';
import { calledNotes, lastSegment, nearestNote } from './called-notes.ts';

export interface Suggestion {
  readonly suggestion: NotePath;
  /** `name`, `alias` or `title`: the note is called so, and links do not find it by that; `near`: its name is close. */
  readonly suggested_by: NameCandidate['by'] | 'near';
}

/** Nothing unless one note alone fits best. */
export async function suggestionFor(
  name: string,
  store: Store,
  signal: AbortSignal,
): Promise<Suggestion | Record<string, never>> {
  const [first, second] = await store.candidates(lastSegment(name), signal);
  if (first !== undefined) {
    const isAlone = second === undefined || second.by !== first.by || second.exact !== first.exact;
    return isAlone ? { suggestion: first.path, suggested_by: first.by } : {};
  }
  // Comparing with every name takes a while; other calls get their turn in between.
  await letOthersRun();
  const near = nearestNote(await calledNotes(store, signal), name);
  return near === undefined ? {} : { suggestion: near, suggested_by: 'near' };
}
