// Which note a link that leads nowhere may have meant.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { NotePath } from '../../base/note.ts';
import type { NameCandidate, Store } from '../../contracts/store.ts';
import { type CalledNotes, calledNotes, lastSegment, nearestNote } from './name-index.ts';

export interface Suggestion {
  readonly suggestion: NotePath;
  /** `name`, `alias` or `title`: the note is called so, and links do not find it by that; `near`: its name is close. */
  readonly suggested_by: NameCandidate['by'] | 'near';
}

/** Nothing unless one note alone fits best. */
export type Suggest = (name: string) => Promise<Suggestion | Record<string, never>>;

/** For the names of one answer: what all notes are called is read at most once. */
export function createSuggest(store: Store, signal: AbortSignal): Suggest {
  let called: Promise<CalledNotes> | undefined;
  return async (name) => {
    const [first, second] = await store.candidates(lastSegment(name), signal);
    if (first !== undefined) {
      const isAlone = second === undefined || second.by !== first.by || second.exact !== first.exact;
      return isAlone ? { suggestion: first.path, suggested_by: first.by } : {};
    }
    called ??= calledNotes(store, signal);
    const near = nearestNote(await called, name);
    // Comparing with every name takes a while; other calls get their turn in between.
    await letOthersRun();
    return near === undefined ? {} : { suggestion: near, suggested_by: 'near' };
  };
}
