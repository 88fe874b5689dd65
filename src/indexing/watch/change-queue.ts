// The changes of a watched vault that wait to be indexed.

export interface Batch {
  readonly paths: readonly string[];
  /** Whether the whole vault has to be scanned, because not all changed paths are known. */
  readonly whole: boolean;
}

/** Times are milliseconds of a clock that never goes back: when the first and the last of the changes came. */
interface Changes {
  readonly paths: Set<string>;
  readonly whole: boolean;
  readonly first: number;
  readonly last: number;
}

const NONE: ReadonlySet<string> = new Set();

/** Without making a set: every answer asks for it, and both may hold the paths of a whole vault. */
function unionSize(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [smaller, larger] = one.size < other.size ? [one, other] : [other, one];
  let size = larger.size;
  for (const path of smaller) if (!larger.has(path)) size += 1;
  return size;
}

export class ChangeQueue {
  #waiting: Changes | undefined;
  #taken: Changes | undefined;

  /** The times of what waits; undefined while nothing does. */
  get waitingSince(): Pick<Changes, 'first' | 'last'> | undefined {
    return this.#waiting;
  }

  /** Number of paths that are not indexed yet; 1 if even their number is unknown. */
  get pending(): number {
    const [taken, waiting] = [this.#taken, this.#waiting];
    const isWhole = taken?.whole === true || waiting?.whole === true;
    return Math.max(unionSize(taken?.paths ?? NONE, waiting?.paths ?? NONE), isWhole ? 1 : 0);
  }

  /** When the oldest pending change came. */
  get oldest(): number | undefined {
    return (this.#taken ?? this.#waiting)?.first;
  }

  add(paths: readonly string[], at: number): void {
    if (paths.length > 0) this.#add(paths, false, at);
  }

  /** The whole vault has to be scanned. */
  addWhole(at: number): void {
    this.#add([], true, at);
  }

  /** All that waits; it stays pending until `done` or `putBack`. */
  take(): Batch {
    this.#taken = this.#waiting;
    this.#waiting = undefined;
    return { paths: [...(this.#taken?.paths ?? [])], whole: this.#taken?.whole ?? true };
  }

  done(): void {
    this.#taken = undefined;
  }

  /** The taken batch could not be indexed; how far it came is unknown, so the whole vault has to be scanned. */
  putBack(): void {
    if (this.#taken === undefined) return;
    const { paths, first } = this.#taken;
    const { last = first } = this.#waiting ?? {};
    const all = new Set([...(this.#waiting?.paths ?? []), ...paths]);
    this.#waiting = { paths: all, whole: true, first, last };
    this.#taken = undefined;
  }

  #add(paths: Iterable<string>, whole: boolean, at: number): void {
    // The set grows in place, because a burst comes as many small events.
    const { paths: all = new Set<string>(), whole: wasWhole = false, first = at } = this.#waiting ?? {};
    for (const path of paths) all.add(path);
    this.#waiting = { paths: all, whole: whole || wasWhole, first, last: at };
  }
}
