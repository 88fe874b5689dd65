// Finds the file that a link points to, among the files in the index.
import { asNoteFiles, currentDialect, type Link, type Match, type NotePath } from '../../../base/note.ts';
import { type Addressed, addressKey, hasAddresses, isSite, withoutEnding } from '../../../markdown/links/addresses.ts';
import { type LinkTarget, nameKeyOf, splitLink, subpathOf } from '../../../markdown/links/fold.ts';
import { journalDay, noteId, pageName } from '../../../markdown/links/page-names.ts';
import {
  type CandidatesFor,
  namesWholeFile,
  type Resolution,
  resolveLink,
} from '../../../markdown/links/resolve-link.ts';
import { memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';

export interface Target {
  readonly target: number | null;
  readonly match: Match | null;
}

type Written = Pick<Link, 'kind' | 'link'>;

export type LinkResolution = (link: Written, source: NotePath) => Target;

const NOWHERE: Target = { target: null, match: null };

/** A file card of a canvas has a full vault path, in which `#` is part of the name; every other link is found by its last segment. */
export function resolve({ kind, link }: Written, source: NotePath, candidatesFor: CandidatesFor): Resolution {
  if (kind !== 'canvas') return resolveLink(link, source, candidatesFor, kind);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === undefined ? { path: null } : { path, match: 'exact' };
}

const NOTE_ENDINGS = /(\.(md|markdown|mdx|qmd|rmd|mdown|mkd|txt))+$/;

/**
 * A hash that a link has in common with every file that it can point to. It ignores more than a name key does: a link may leave
 * out `.md`, and then its last σ is folded differently. Different names can have the same hash.
 */
export function stemOf(path: string): number {
  const name = isSite() ? nameInSite(path) : path;
  const key = nameKeyOf(currentDialect() === 'obsidian' ? name : nameElsewhere(name));
  const stem = withoutEndings(key).replaceAll('ς', 'σ');
  let number = 0;
  for (let i = 0; i < stem.length; i++) number = (Math.imul(number, 31) + stem.charCodeAt(i)) | 0;
  return number;
}

function withoutEndings(key: string): string {
  if (currentDialect() !== 'obsidian') return key.replace(NOTE_ENDINGS, '');
  let end = key.length;
  while (key.endsWith('.md', end)) end -= '.md'.length;
  return key.slice(0, end);
}

function nameElsewhere(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const day = journalDay(name) ?? journalDay(last.replace(NOTE_ENDINGS, ''));
  return day ?? noteId(last) ?? pageName(name) ?? name;
}

/** All links whose last segment is not in the address that they mean. */
const DOTS = '..';

/** An address may end as a folder or a page does; that of the home page is not the empty path of a link within a note. */
function nameInSite(path: string): string {
  const address = withoutEnding(path);
  if (/(?:^|\/)\.{1,2}$/.test(address)) return DOTS;
  return path === '' ? '' : address || '\0';
}

/** The stems of the path of a file, and of its addresses. */
export function fileStems(rows: Rows, path: string): readonly number[] {
  return [...new Set([stemOf(path), ...addressStems(fileAddresses(rows, path))])];
}

export function fileAddresses(rows: Rows, path: string): readonly string[] {
  if (!hasAddresses()) return [];
  const sql = `SELECT name FROM names WHERE kind = 'address' AND file = (SELECT id FROM files WHERE path = ?)`;
  return rows.column<string>(sql, path);
}

export function addressStems(addresses: readonly string[]): readonly number[] {
  const stems = addresses.map((address) => stemOf(address === '' ? '/' : address));
  return isSite() && stems.length > 0 ? [...stems, stemOf(DOTS)] : stems;
}

/** The part that a card of a canvas shows is not in its link. */
export function partsOf({ kind, link, display = link }: Written & { readonly display?: string }): LinkTarget {
  return kind === 'canvas' ? { path: link, subpath: subpathOf({ kind, link, display }) } : splitLink(link);
}

/** Looking up this many names takes as long as reading the names of the whole vault. */
const MAX_LOOKUPS = 1_000;

/** Targets held at once: a single note may have a million links. */
const MAX_KEPT = 50_000;

/** Caches candidates by name: usable only while no file is added or removed. */
export function createLinkResolution(rows: Rows): LinkResolution {
  const ids = new Map<NotePath, number>();
  const byName = new Map<string, NotePath[]>();
  let lookups = 0;
  const remember = (nameKey: string, id: number, path: NotePath): void => {
    ids.set(path, id);
    const candidates = byName.get(nameKey);
    if (candidates === undefined) byName.set(nameKey, [path]);
    else candidates.push(path);
  };
  const lookUp = (nameKey: string): void => {
    if (lookups > MAX_LOOKUPS) return;
    const all = ++lookups > MAX_LOOKUPS;
    if (all) byName.clear();
    const sql = `SELECT name_key, id, path FROM files ${all ? '' : 'WHERE name_key = ?'}`;
    for (const row of rows.tuples<[string, number, NotePath]>(sql, ...(all ? [] : [nameKey]))) remember(...row);
  };
  const namedFiles = (nameKey: string): readonly NotePath[] => {
    if (!byName.has(nameKey)) lookUp(nameKey);
    return byName.get(nameKey) ?? [];
  };
  const candidatesFor: CandidatesFor = hasAddresses() ? Object.assign(namedFiles, addressesIn(rows)) : namedFiles;
  const resolveFrom: LinkResolution = (link, source) => {
    const resolved = resolve(link, source, candidatesFor);
    if (resolved.path === null) return NOWHERE;
    const target = ids.get(resolved.path) ?? fileIdOf(rows, resolved.path);
    return target === undefined ? NOWHERE : { target, match: resolved.match };
  };
  /** Targets of links whose path is the name of one file, or of none: they lead there from every note. */
  const byPath = new Map<string, Target>();
  return (link, source) => {
    const { path } = partsOf(link);
    const isWhole = namesWholeFile(link.kind);
    const key = isWhole ? `](${path}` : path;
    const candidates = byPath.get(key);
    if (candidates !== undefined && link.kind !== 'canvas') return candidates;
    const target = resolveFrom(link, source);
    if (link.kind !== 'canvas' && isOfAnyNote(path, isWhole, candidatesFor)) {
      if (byPath.size === MAX_KEPT) byPath.clear();
      byPath.set(key, target);
    }
    return target;
  };
}

/** What else links find in the index than the names of files. */
export function addressesIn(rows: Rows): Pick<CandidatesFor, 'addressed'> {
  if (!hasAddresses()) return {};
  const sql = `SELECT path, name AS address FROM names JOIN files ON files.id = file WHERE key = ? AND names.kind = 'address'`;
  return { addressed: memoize((key: string) => rows.all<Addressed>(sql, key), new Map(), MAX_KEPT) };
}

/** Whether the links of this path lead to the same file from every note. */
function isOfAnyNote(path: string, isWhole: boolean, candidatesFor: CandidatesFor): boolean {
  if (path === '' || path.includes('/') || isSite()) return false;
  if ((candidatesFor.addressed?.(addressKey(path)).length ?? 0) > 1) return false;
  const notes =
    asNoteFiles(path)
      .map(nameKeyOf)
      .map(candidatesFor)
      .find(({ length }) => length > 0) ?? [];
  const files = notes.length === 0 || isWhole ? candidatesFor(nameKeyOf(path)) : [];
  return notes.length <= 1 && files.length <= 1;
}

/** For a note that links to itself: its own name has not been looked up. */
function fileIdOf(rows: Rows, path: NotePath): number | undefined {
  return rows.value<number>('SELECT id FROM files WHERE path = ?', path);
}
