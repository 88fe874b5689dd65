// What a watched vault wants looked at, gathered until somebody takes all of it.

export interface Batch {
  readonly paths: readonly string[];
  /** Whether a look at the paths is not enough. */
  readonly whole: boolean;
}

export interface ChangeQueue {
  /** @param at milliseconds by any clock that never goes back */
  add(paths: readonly string[], at: number): void;
  /** As well: not all that happened is known. */
  addWhole(at: number): void;
  /** When the first and the last of what waits came; undefined while nothing waits. */
  waitingSince(): { readonly first: number; readonly last: number } | undefined;
  /** All that waits; it stays pending until `done` or `putBack`. */
  take(): Batch;
  done(): void;
  /** It could not be looked at. What came of it nobody knows, so the whole has to be looked at next. */
  putBack(): void;
  /** Paths not looked at yet; 1 where not even their number is known. */
  pending(): number;
  /** When the oldest of all that is pending came. */
  oldest(): number | undefined;
}

interface Heap {
  readonly paths: ReadonlySet<string>;
  readonly whole: boolean;
  readonly first: number;
  readonly last: number;
}

export function createChangeQueue(): ChangeQueue {
  let waiting: Heap | undefined;
  let taken: Heap | undefined;
  const heaps = (): readonly Heap[] => [taken, waiting].filter((heap) => heap !== undefined);

  function pile(paths: Iterable<string>, whole: boolean, at: number): void {
    const { paths: before = [], whole: wasWhole = false, first = at } = waiting ?? {};
    // The set grows in place: a burst comes in many small hints.
    const all = before instanceof Set ? before : new Set<string>();
    for (const path of paths) all.add(path);
    waiting = { paths: all, whole: whole || wasWhole, first, last: at };
  }

  return {
    add(paths, at) {
      if (paths.length > 0) pile(paths, false, at);
    },
    addWhole: (at) => pile([], true, at),
    waitingSince: () => waiting,
    take() {
      taken = waiting;
      waiting = undefined;
      return { paths: [...(taken?.paths ?? [])], whole: taken?.whole ?? true };
    },
    done() {
      taken = undefined;
    },
    putBack() {
      if (taken === undefined) return;
      const { paths, first } = taken;
      const last = waiting?.last ?? first;
      pile(paths, true, last);
      if (waiting !== undefined) waiting = { ...waiting, first };
      taken = undefined;
    },
    pending() {
      const paths = new Set(heaps().flatMap((heap) => [...heap.paths]));
      return Math.max(paths.size, heaps().some(({ whole }) => whole) ? 1 : 0);
    },
    oldest: () => heaps()[0]?.first,
  };
}
