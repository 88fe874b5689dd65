// Resolves a link to a file by Obsidian's rules.
import { asNoteFiles, fileKindOf, type LinkKind, type Match, type NotePath } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import {
  type Addressed,
  addressesMeant,
  addressKey,
  isSite,
  pageAddresses,
  pageFolder,
  publishedPath,
  withoutSiteAlias,
} from './addresses.ts';
import { foldName, nameKeyOf, normalizeName, splitLink } from './fold.ts';
import { filesOfPage, noteId } from './page-names.ts';
import { folderOf } from './path-spelling.ts';
export type Resolution =
  | {
      readonly path: NotePath;
      /** `ambiguous`: several files match equally well; the first by code points is used, and `others` are the rest. */
      readonly match: Extract<Match, 'exact' | 'case' | 'ambiguous'>;
      readonly others?: readonly NotePath[];
      /** The link has an address of the note, and not its path. */
      readonly byAddress?: true;
    }
  | { readonly path: null };

export interface CandidatesFor {
  /** All files of the vault whose folded last segment is `nameKey`, in any order. */
  (nameKey: string): readonly NotePath[];
  /** The notes with an address of this key; undefined where links have none. */
  readonly addressed?: ((key: string) => readonly Addressed[]) | undefined;
}

const UNRESOLVED: Resolution = { path: null };

/**
 * Resolves a link's text, including its subpath, found in `source`. Looks up its name with the extension of a note
 * first, then as written; of a Markdown link as written first, so that
 * `[x](LICENSE)` is the file of this name and not `LICENSE.md`.
 */
export function resolveLink(link: string, source: NotePath, candidatesFor: CandidatesFor, kind?: LinkKind): Resolution {
  const { path: written } = splitLink(link);
  if (written === '') return { path: source, match: 'exact' };
  const path = withoutSiteAlias(written);
  const resolved = path.endsWith('/') ? UNRESOLVED : resolveFile(path, source, candidatesFor, kind);
  if (resolved.path !== null) return resolved;
  const published = resolvePublished(path, candidatesFor);
  return published.path === null ? resolveAddress(path, source, candidatesFor) : published;
}

/** A file of a site by its path below the folder from which it is published, such as `/a.png` for `static/a.png`. */
function resolvePublished(path: string, candidatesFor: CandidatesFor): Resolution {
  if (!path.startsWith('/') || !isSite()) return UNRESOLVED;
  const query = wantedPath(path, '');
  const files = candidatesFor(nameKeyOf(path)).filter((file) => foldName(publishedPath(file) ?? '') === query.folded);
  const chosen = best(files.map((file) => rankOf(file, foldName(file), query)));
  return chosen.path === null ? chosen : { ...chosen, byAddress: true };
}

function resolveFile(path: string, source: NotePath, candidatesFor: CandidatesFor, kind?: LinkKind): Resolution {
  const whole = namesWholeFile(kind) ? choose(path, source, candidatesFor(nameKeyOf(path))) : UNRESOLVED;
  if (whole.path !== null) return whole;
  let isNote = false;
  for (const file of asNoteFiles(path)) {
    const notes = candidatesFor(nameKeyOf(file));
    isNote ||= notes.length > 0;
    const chosen = choose(file, source, notes);
    if (chosen.path !== null) return chosen;
  }
  if (isNote && noteId(path) === undefined) return UNRESOLVED;
  const choice = choose(path, source, candidatesFor(nameKeyOf(path)));
  return choice.path === null ? resolvePage(path, source, candidatesFor) : choice;
}

/** Whether links of this kind lead to the file of exactly their name first, before the note of this name. */
export const namesWholeFile = (kind?: LinkKind): boolean => kind === 'markdown' || kind === 'reference';

/** A page whose file has another name, or a note by its id. */
function resolvePage(page: string, source: NotePath, candidatesFor: CandidatesFor): Resolution {
  for (const file of filesOfPage(page).flatMap(asNoteFiles)) {
    const chosen = choose(file, source, candidatesFor(nameKeyOf(file)));
    if (chosen.path !== null) return chosen;
  }
  const id = noteId(page);
  const named = id === page ? asNoteFiles(page).flatMap((file) => candidatesFor(nameKeyOf(file))) : [];
  const ranked = named.map((path) => rankOf(path, foldName(path), wantedPath(path, folderOf(source))));
  return best(ranked);
}

/** A page of a site by its address, or one of Logseq by another name. */
function resolveAddress(link: string, source: NotePath, { addressed }: CandidatesFor): Resolution {
  if (addressed === undefined) return UNRESOLVED;
  for (const { address, isWhole } of addressesMeant(link, source)) {
    const key = foldName(address);
    const beside = foldName(pageFolder(source));
    const ranked = new Map<NotePath, Ranked>();
    for (const one of addressed(addressKey(address))) {
      const folded = foldName(one.address);
      if (folded !== key && (isWhole || key === '' || !folded.endsWith(`/${key}`))) continue;
      const rank = [folded === key ? 0 : 1, folderOf(folded) === beside ? 0 : 1, folded.length];
      const earlier = ranked.get(one.path);
      const candidate = { path: one.path, sameSpelling: true, rank };
      if (earlier === undefined || compareRanks(candidate, earlier) < 0) ranked.set(one.path, candidate);
    }
    const chosen = best([...ranked.values()]);
    if (chosen.path !== null) return { ...chosen, byAddress: true };
  }
  return UNRESOLVED;
}

/** Picks the file that `path`, with its extension, means among the candidates with the same last segment. */
function choose(path: string, source: string, candidates: readonly NotePath[]): Resolution {
  const fixed = fixedPath(path, source);
  if (fixed === undefined) return UNRESOLVED;
  const query = wantedPath(fixed.path, folderOf(source));
  const ranked: Ranked[] = [];
  for (const candidate of candidates) {
    const folded = foldName(candidate);
    const ends = !fixed.whole && folded.endsWith(`/${query.folded}`);
    if (ends || folded === query.folded) ranked.push(rankOf(candidate, folded, query));
  }
  return best(ranked);
}

type WantedPath = ReturnType<typeof wantedPath>;

/** `beside`: the source's own folder, folded. `below`: the path from there, which comes first in sites. */
function wantedPath(path: string, sourceFolder: string) {
  const [folded, beside] = [foldName(path), foldName(sourceFolder)];
  const below = isSite() && beside !== '' ? `${beside}/${folded}` : undefined;
  return { spelled: normalizeName(path), folded, beside, below };
}

/**
 * `/x` is relative to the root, `./x` and `../x` to the source's folder; those are whole paths, others match the end
 * of a path.
 */
function fixedPath(path: string, source: string): { path: string; whole: boolean } | undefined {
  if (path.startsWith('/')) return { path: path.slice(1), whole: true };
  if (!path.startsWith('./') && !path.startsWith('../')) return { path, whole: false };
  const from = folderOf(source) === '' ? [] : folderOf(source).split('/');
  for (const segment of path.split('/')) {
    if (segment === '..' && from.pop() === undefined) return undefined;
    if (segment !== '..' && segment !== '.') from.push(segment);
  }
  return { path: from.join('/'), whole: true };
}

type Ranked = ReturnType<typeof rankOf>;

/**
 * In sites the path from the source's own folder first; the exact vault path, then the source's own folder, then the shorter path, then the same spelling.
 * `rank`: compared in order; smaller is closer.
 */
function rankOf(path: NotePath, folded: string, query: WantedPath) {
  const sameSpelling = normalizeName(path).endsWith(query.spelled);
  const isWhole = folded === query.folded;
  const isBeside = folderOf(folded) === query.beside;
  const rank = [folded === query.below ? 0 : 1, isWhole ? 0 : 1, isBeside ? 0 : 1, path.length, sameSpelling ? 0 : 1];
  return { path, sameSpelling, rank };
}

function best(ranked: readonly Ranked[]): Resolution {
  const sorted = [...ranked].sort((one, other) => compareRanks(one, other) || comparePaths(one.path, other.path));
  const [first, ...rest] = sorted;
  if (first === undefined) return UNRESOLVED;
  const others = rest.filter((other) => compareRanks(first, other) === 0).map(({ path }) => path);
  if (others.length > 0) return { path: first.path, match: 'ambiguous', others };
  return { path: first.path, match: first.sameSpelling ? 'exact' : 'case' };
}

function compareRanks(one: Ranked, other: Ranked): number {
  for (const [index, rank] of one.rank.entries()) {
    const difference = rank - (other.rank[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The candidates of a vault without addresses; those of sites have the addresses that their paths give. */
export function candidatesByName(paths: Iterable<NotePath>): CandidatesFor {
  const byName = Map.groupBy(paths, nameKeyOf);
  const byPath = (nameKey: string): readonly NotePath[] => byName.get(nameKey) ?? [];
  if (!isSite()) return byPath;
  const all = [...byName.values()].flat().filter((path) => fileKindOf(path) === 'note');
  return withAddresses(
    byPath,
    all.flatMap((path) => pageAddresses(path).map((address) => ({ path, address }))),
  );
}

export function withAddresses(candidatesFor: CandidatesFor, all: readonly Addressed[]): CandidatesFor {
  const byKey = Map.groupBy(all, ({ address }) => addressKey(address));
  return Object.assign((nameKey: string) => candidatesFor(nameKey), {
    addressed: (key: string) => byKey.get(key) ?? [],
  });
}
