// What every note can be called, read once per state of the index, and which are called nearly so.
import { createNearestNames, type NearestNames } from '../../base/nearest.ts';
import { type NotePath, noteName } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { keptByRevision } from './kept-by-revision.ts';

export interface CalledNotes {
  /** Each name, title and alias with the notes that have it. */
  readonly byName: ReadonlyMap<string, readonly NotePath[]>;
  readonly nearest: NearestNames;
}

/** A suggestion that nobody asked for differs in no more than this share of its letters. */
const CLEARLY_NEAR = 0.3;

export const calledNotes = keptByRevision(async (store, signal) => createCalledNotes(await store.names(signal)));

export function createCalledNotes(notes: Awaited<ReturnType<Store['names']>>): CalledNotes {
  const byName = new Map<string, NotePath[]>();
  for (const { path, title, aliases } of notes) {
    for (const name of new Set([noteName(path), title, ...aliases])) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [path]);
      else known.push(path);
    }
  }
  return { byName, nearest: createNearestNames(byName.keys()) };
}

/** Up to `most` notes whose names are near to the last segment of `name`, nearest first; then those whose names hold it. */
export function nearNotes(called: CalledNotes, name: string, most: number): NotePath[] {
  const wanted = lastSegment(name);
  const near = called.nearest(wanted, most).flatMap((one) => called.byName.get(one.name) ?? []);
  const holding = wanted.length < 3 ? [] : namesHolding(called, wanted.toLowerCase(), most);
  return [...new Set([...near, ...holding])].slice(0, most);
}

function namesHolding(called: CalledNotes, part: string, most: number): NotePath[] {
  const found: NotePath[] = [];
  for (const [name, paths] of called.byName) {
    if (found.length >= most) break;
    if (name.toLowerCase().includes(part)) found.push(...paths);
  }
  return found;
}

/** The one note whose name is clearly nearest to the last segment of `name`. */
export function nearestNote(called: CalledNotes, name: string): NotePath | undefined {
  const [first, second] = called.nearest(lastSegment(name), 2, CLEARLY_NEAR);
  if (first === undefined || first.edits === second?.edits) return undefined;
  const [path, another] = called.byName.get(first.name) ?? [];
  return another === undefined ? path : undefined;
}

export function lastSegment(name: string): string {
  return noteName(name.replace(/\/+$/, ''));
}
