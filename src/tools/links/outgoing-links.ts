// Finds the notes that a note's own links lead to; of the links themselves it reads only those that a page shows.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';

export interface OutgoingLinks {
  /** In the order of the first link to each, with the number of links; without the note itself. */
  readonly targets: ReadonlyMap<NotePath, number>;
  /** The first links to each target on the page. */
  readonly linksTo: ReadonlyMap<NotePath | null, readonly ResolvedLink[]>;
  /** How many links lead nowhere; those on the page are in `linksTo` under null. */
  readonly unresolved: number;
}

/** Targets read at once: some milliseconds of work. */
const TARGETS_AT_ONCE = 5_000;
/** Links that far apart are read together with those between them. */
const MAX_GAP = 4;

/** @param perTarget how many links to a target are read at most */
export async function outgoingLinks(
  path: NotePath,
  page: Page,
  perTarget: number,
  store: Store,
  signal: AbortSignal,
): Promise<OutgoingLinks> {
  const walk = new TargetWalk(path, page, perTarget);
  for await (const targets of targetsOf(path, store, signal)) for (const target of targets) walk.add(target);
  const { targets, ordinals, unresolved } = walk;
  const linksTo = Map.groupBy(await linksAt(path, ordinals, store, signal), ({ target }) => target);
  return { targets, linksTo, unresolved };
}

/** The targets of the links of a note in document order, as many at once as can be read without holding up other calls. */
export async function* targetsOf(path: NotePath, store: Store, signal: AbortSignal) {
  for (let offset = 0, isMore = true; isMore; offset += TARGETS_AT_ONCE) {
    await letOthersRun(signal);
    const targets = await store.linkTargets(path, { limit: TARGETS_AT_ONCE, offset }, signal);
    yield targets;
    isMore = targets.length === TARGETS_AT_ONCE;
  }
}

/** Visits the targets of the links in document order, and notes which links the page shows. */
class TargetWalk {
  readonly targets = new Map<NotePath, number>();
  readonly ordinals: number[] = [];
  unresolved = 0;
  readonly #path: NotePath;
  readonly #page: Page;
  readonly #perTarget: number;
  readonly #onPage = new Set<NotePath>();
  #ordinal = 0;

  constructor(path: NotePath, page: Page, perTarget: number) {
    this.#path = path;
    this.#page = page;
    this.#perTarget = perTarget;
  }

  add(target: NotePath | null): void {
    if (target === null) this.#addUnresolved();
    else if (target !== this.#path) this.#addTarget(target);
    this.#ordinal += 1;
  }

  #addUnresolved(): void {
    if (this.#isShown(this.unresolved)) this.ordinals.push(this.#ordinal);
    this.unresolved += 1;
  }

  #addTarget(target: NotePath): void {
    const count = this.targets.get(target) ?? 0;
    if (count === 0 && this.#isShown(this.targets.size)) this.#onPage.add(target);
    if (count < this.#perTarget && this.#onPage.has(target)) this.ordinals.push(this.#ordinal);
    this.targets.set(target, count + 1);
  }

  #isShown(position: number): boolean {
    const { offset, limit } = this.#page;
    return position >= offset && position < offset + limit;
  }
}

/** @param ordinals ascending */
export async function linksAt(path: NotePath, ordinals: readonly number[], store: Store, signal: AbortSignal) {
  const links: ResolvedLink[] = [];
  for (let at = 0; at < ordinals.length; ) {
    await letOthersRun(signal);
    const offset = ordinals[at] as number;
    const offsets = [offset];
    for (at += 1; (ordinals[at] ?? Number.POSITIVE_INFINITY) - (offsets.at(-1) as number) <= MAX_GAP; at += 1)
      offsets.push(ordinals[at] as number);
    const limit = (offsets.at(-1) as number) - offset + 1;
    const page = await store.links(path, 'out', { limit, offset }, signal);
    links.push(...offsets.flatMap((ordinal) => page[ordinal - offset] ?? []));
  }
  return links;
}
