// Writes the links of a note with their targets, and resolves links again after files were added or removed.
import type { Link, LinkKind, Match, NotePath } from '../../../base/note.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { displayOf } from '../../../markdown/parse/wikilink.ts';
import { memoize } from '../database/cache.ts';
import { edgesChecksum, isIntact } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { type LinkResolution, partsOf, stemOf, type Target } from './link-resolution.ts';

/** What the row of a link needs: nothing, another place in the text, or everything. */
type Step = 'same' | 'moved' | 'new';

export interface PlannedLinks {
  /** In the order of the links. */
  readonly targets: readonly Target[];
  /** The target files of the present rows, one entry per link. */
  readonly before: readonly number[];
  /** One for each link that has a row. */
  readonly steps: readonly Step[];
  /** The names of the present rows, in their order. */
  readonly named: readonly number[];
}

type LinkRow = readonly [
  ...[path: string | null, source: number, ordinal: number, kind: LinkKind | null, name: number, subpath: string],
  ...[link: string | null, display: string | null, property: string | null],
  ...[line: number, column: number, offset: number, end: number],
  ...[target: number | null, match: Match | null, checksum: number],
];

/**
 * Most edits leave most links of a note as they are, and to write all rows again takes ten times as long as to compare them.
 * @param resolve for links without a row that can stay
 * @param isNew whether the note has no rows yet
 * @param mayStay false if the rows were written by other rules
 */
export function planLinks(
  rows: Rows,
  [source, isNew]: readonly [source: number, isNew: boolean],
  links: Iterable<Link>,
  resolve: (link: Link) => Target,
  mayStay: boolean,
): PlannedLinks {
  const sql = 'SELECT name FROM links WHERE source = ? ORDER BY ordinal';
  const named = isNew ? [] : rows.column<number>(sql, source);
  const before: number[] = [];
  const steps: Step[] = [];
  const targets: Target[] = [];
  const rest = links[Symbol.iterator]();
  for (const row of named.length === 0 ? [] : rows.each<LinkRow>(PRESENT, source)) {
    const target = row[13];
    if (target !== null) before.push(target);
    const { done, value: link } = rest.next();
    if (done) continue;
    const step = mayStay && row[2] === steps.length ? stepOf(row, link) : 'new';
    steps.push(step);
    targets.push(step === 'new' ? resolve(link) : { target, match: target === null ? null : (row[14] ?? 'exact') });
  }
  for (let next = rest.next(); !next.done; next = rest.next()) targets.push(resolve(next.value));
  return { targets, before, steps, named };
}

const PRESENT = `SELECT link_names.path, links.* FROM links LEFT JOIN link_names ON link_names.id = links.name
  WHERE source = ? ORDER BY ordinal`;

/** A damaged row is written again. */
function stepOf([path, ...row]: LinkRow, link: Link): Step {
  const [, , kind, , subpath, written, display, property, line, column, offset, end] = row;
  const text = written ?? `${path}${subpath}`;
  const isSame =
    text === link.link &&
    (kind ?? 'wikilink') === link.kind &&
    (display ?? displayOf(text)) === link.display &&
    property === (link.key ?? null);
  if (!(isSame && isIntact(row))) return 'new';
  const isMoved = line !== link.line || column !== link.column || offset !== link.offset || end !== link.end;
  return isMoved ? 'moved' : 'same';
}

/** @param unused gets the names of the rows that go */
export function writeLinks(
  rows: Rows,
  source: number,
  links: Iterable<Link>,
  { targets, steps, named }: PlannedLinks,
  names: NameIds,
  unused: Set<number>,
): void {
  for (const [ordinal, name] of named.entries()) if ((steps[ordinal] ?? 'new') === 'new') unused.add(name);
  if (named.length > 0) rows.run('DELETE FROM links WHERE source = ? AND ordinal >= ?', source, targets.length);
  let ordinal = 0;
  for (const link of links) {
    const step = steps[ordinal] ?? 'new';
    if (step === 'moved') moveLink(rows, [source, ordinal], link);
    if (step === 'new') writeLink(rows, [source, ordinal], link, targets[ordinal] as Target, names);
    ordinal += 1;
  }
}

type LinkKey = readonly [source: number, ordinal: number];

function moveLink(rows: Rows, key: LinkKey, { line, column, offset, end }: Link): void {
  const sql = 'UPDATE links SET line = ?, "column" = ?, "offset" = ?, "end" = ? WHERE source = ? AND ordinal = ?';
  rows.run(sql, line, column, offset, end, ...key);
}

function writeLink(rows: Rows, key: LinkKey, link: Link, { target, match }: Target, names: NameIds): void {
  const { path, subpath } = partsOf(link);
  rows.run(
    `INSERT OR REPLACE INTO links (source, ordinal, kind, name, subpath, link, display, property,
       line, "column", "offset", "end", target, match) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[...key, nullIf('wikilink', link.kind), names.linkName(path), subpath],
    ...[nullIf(path + subpath, link.link), nullIf(displayOf(link.link), link.display), link.key ?? null],
    ...[link.line, link.column, link.offset, link.end, target, nullIf('exact', match)],
  );
}

/** @param unused gets the names of its links */
export function deleteLinks(rows: Rows, source: number, unused: Set<number>): void {
  for (const name of rows.column<number>('SELECT name FROM links WHERE source = ?', source)) unused.add(name);
  rows.run('DELETE FROM links WHERE source = ?', source);
}

/** The usual value is stored as null. */
function nullIf<T extends string | null>(usual: string, value: T): T | null {
  return value === usual ? null : value;
}

/** Deletes the names that no link uses any more. */
export function deleteUnusedNames(rows: Rows, names: ReadonlySet<number>): void {
  const sql = 'DELETE FROM link_names WHERE id = ? AND NOT EXISTS (SELECT 1 FROM links WHERE name = link_names.id)';
  for (const name of names) rows.run(sql, name);
}

interface NamedLink {
  readonly source: number;
  readonly ordinal: number;
  readonly path: NotePath;
  readonly kind: LinkKind;
  readonly link: string;
  readonly target: number | null;
  readonly match: Match | null;
}

/** Resolves again every link that may point to a file with one of these stems. @returns whether an edge changed */
export function resolveAgain(
  rows: Rows,
  stems: ReadonlySet<number>,
  resolve: LinkResolution,
  revision: number,
): boolean {
  const changed = new Map<number, NotePath>();
  for (const stem of stems) {
    for (const link of linksByStem(rows, stem)) {
      const { target, match } = resolve(link, link.path);
      if (target === link.target && match === link.match) continue;
      const key = ['source = ? AND ordinal = ?', link.source, link.ordinal] as const;
      rows.update('links', ['target = ?, match = ?', target, nullIf('exact', match)], key);
      if (target !== link.target) changed.set(link.source, link.path);
    }
  }
  for (const [id, path] of changed) {
    const checksum = edgesChecksum(path, targetsOf(rows, id));
    rows.update('files', ['edges_revision = ?, edges = ?', revision, checksum], ['id = ?', id]);
  }
  return changed.size > 0;
}

function linksByStem(rows: Rows, stem: number): NamedLink[] {
  const sql = `SELECT source, ordinal, files.path AS path, ifnull(links.kind, 'wikilink') AS kind,
      ifnull(link, link_names.path || subpath) AS link, target, iif(target IS NULL, NULL, ifnull(match, 'exact')) AS match
    FROM link_names JOIN links ON links.name = link_names.id JOIN files ON files.id = links.source
    WHERE link_names.id = ?`;
  const names = rows.column<number>('SELECT id FROM link_names WHERE stem = ?', stem);
  return names.flatMap((name) => rows.all<NamedLink>(sql, name));
}

/** The target files of a note's links, one entry per link. */
function targetsOf(rows: Rows, source: number): number[] {
  return rows.column<number>('SELECT target FROM links WHERE source = ? AND target IS NOT NULL', source);
}

/** Undefined if the targets of the links are as before. */
export function changedEdges(path: NotePath, { before, targets }: PlannedLinks, revision: number): Edges | undefined {
  const after = targets.flatMap(({ target }) => target ?? []);
  return isSameSet(before, after) ? undefined : { revision, checksum: edgesChecksum(path, after) };
}

function isSameSet(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length) return false;
  const sorted = Float64Array.from(one).sort();
  return Float64Array.from(other)
    .sort()
    .every((id, at) => id === sorted[at]);
}

export interface Edges {
  /** At which the targets changed last. */
  readonly revision: number;
  readonly checksum: ReturnType<typeof edgesChecksum>;
}

/** Ids held at once of each kind: a single note may have a million names. */
const MAX_KEPT = 50_000;

export interface NameIds {
  linkName(path: string): number;
  tag(tag: string): number;
  property(name: string): number;
}

const idsBy = (idOf: (name: string) => number) => memoize(idOf, new Map(), MAX_KEPT);

/** Caches the ids: usable only while no name is deleted. */
export function createNameIds(rows: Rows): NameIds {
  return {
    linkName: idsBy((path: string) => {
      const stem = stemOf(path);
      const id = rows.value<number>('SELECT id FROM link_names WHERE stem = ? AND path = ?', stem, path);
      return id ?? rows.run('INSERT INTO link_names (path, stem) VALUES (?, ?)', path, stem);
    }),
    tag: idsBy((tag: string) => {
      const id = rows.value<number>('SELECT id FROM tag_names WHERE tag = ?', tag);
      return id ?? rows.run('INSERT INTO tag_names (tag, key) VALUES (?, ?)', tag, foldName(tag));
    }),
    property: idsBy((name: string) => {
      const id = rows.value<number>('SELECT id FROM property_names WHERE name = ?', name);
      return id ?? rows.run('INSERT INTO property_names (name, key) VALUES (?, ?)', name, foldName(name));
    }),
  };
}
