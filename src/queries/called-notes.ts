// What every note can be called, read once per state of the index, and which are called nearly so. Knows no tool.
import { nearestNames } from '../base/nearest.ts';
import { type NotePath, noteName } from '../base/note.ts';
import type { Store } from '../contracts/store.ts';

/** Each name, title and alias with the notes that have it. */
export type CalledNotes = ReadonlyMap<string, readonly NotePath[]>;

const kept = new WeakMap<Store, { readonly revision: number; readonly called: CalledNotes }>();

export async function calledNotes(store: Store, signal: AbortSignal): Promise<CalledNotes> {
  const { revision } = await store.counts(signal);
  const known = kept.get(store);
  if (known?.revision === revision) return known.called;
  const called = byName(await store.names(signal));
  kept.set(store, { revision, called });
  return called;
}

function byName(notes: Awaited<ReturnType<Store['names']>>): CalledNotes {
  const called = new Map<string, NotePath[]>();
  for (const { path, title, aliases } of notes) {
    for (const name of new Set([noteName(path), title, ...aliases])) {
      const known = called.get(name);
      if (known === undefined) called.set(name, [path]);
      else known.push(path);
    }
  }
  return called;
}

/** Up to `most` notes whose names are near to the last segment of `name`, nearest first; then those whose names hold it. */
export function nearNotes(called: CalledNotes, name: string, most: number): NotePath[] {
  const wanted = lastSegment(name);
  const near = nearestNames(wanted, called.keys(), most).flatMap((one) => called.get(one.name) ?? []);
  const holding = wanted.length < 3 ? [] : namesHolding(called, wanted.toLowerCase(), most);
  return [...new Set([...near, ...holding])].slice(0, most);
}

function namesHolding(called: CalledNotes, part: string, most: number): NotePath[] {
  const found: NotePath[] = [];
  for (const [name, paths] of called) {
    if (found.length >= most) break;
    if (name.toLowerCase().includes(part)) found.push(...paths);
  }
  return found;
}

/** The one note whose name is clearly nearest to the last segment of `name`. */
export function nearestNote(called: CalledNotes, name: string): NotePath | undefined {
  const [first, second] = nearestNames(lastSegment(name), called.keys(), 2);
  if (first === undefined || first.edits === second?.edits) return undefined;
  const [path, another] = called.get(first.name) ?? [];
  return another === undefined ? path : undefined;
}

export function lastSegment(name: string): string {
  return noteName(name.replace(/\/+$/, ''));
}
