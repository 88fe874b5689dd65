// Reads links from the index: of a note, between notes, and unresolved ones grouped by name.
import type { Link, LinkKind, Match, NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { LinkText, ResolvedLink } from '../../../contracts/store.ts';
import { displayOf } from '../../../markdown/parse/wikilink.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import { DamagedRow, type SqlValue } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { addressesIn, fileStems, resolve, stemOf } from '../write/link-resolution.ts';
import type { KnownFiles } from './known-files.ts';
import { type Conditions, EXCLUDED, hasExcluded, join, noteConditions } from './note-conditions.ts';
import type { FileRow } from './note-rows.ts';

export interface LinkRow {
  readonly source: number;
  readonly ordinal: number;
  readonly kind: LinkKind | null;
  readonly name: number;
  readonly subpath: string;
  readonly link: string | null;
  readonly display: string | null;
  readonly property: string | null;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly end: number;
  readonly target: number | null;
  readonly match: Match | null;
}

/** Names that links of one note share with those of others. */
const MAX_NAMES = 20_000;

export interface LinkRows {
  readonly rows: Rows;
  pathOf(id: number): NotePath;
  nameOf(id: number): string;
}

/** The returned function gives a reader for the current revision of the index. */
export function createLinkRows(rows: Rows, knownFiles: () => KnownFiles): () => LinkRows {
  const names = createRevisionCache<number, string>(rows, MAX_NAMES);
  return () => {
    const files = knownFiles();
    const nameOf = memoize((id: number) => linkName(rows, id), names());
    return { rows, nameOf, pathOf: (id) => files.withId(id).path };
  };
}

const ID = 'SELECT id FROM files WHERE path = ?';

const BETWEEN = `source = (${ID}) AND target = (${ID})`;
export const NO_NAME = stemOf('');
/** The links of a note to itself that leave out its name. */
const TO_ITSELF = `SELECT source, ordinal FROM link_names CROSS JOIN links
  ON links.name = link_names.id AND stem = ${NO_NAME} AND source = (${ID}) AND target = source`;
/** All other links to a file have one of its stems. */
const byName = (stem: string) =>
  `link_names CROSS JOIN links ON links.name = link_names.id AND stem ${stem} AND target = (${ID})`;
const orToItself = (links: string) =>
  `(SELECT source, ordinal FROM ${links} UNION ${TO_ITSELF}) CROSS JOIN links USING (source, ordinal)`;
/** A file has one, unless links lead to it by addresses, too. */
const isStem = (stems: readonly number[]) => (stems.length > 1 ? 'IN (SELECT value FROM json_each(?))' : '= ?');
const stemsAsValue = (stems: readonly number[]) => (stems.length > 1 ? JSON.stringify(stems) : (stems[0] ?? NO_NAME));

export function linksOf(rows: LinkRows, path: NotePath, direction: 'in' | 'out', page: Page): ResolvedLink[] {
  return direction === 'in' ? linksTo(rows, path, page) : linksFrom(rows, path, page);
}

/** The links of a note are numbered from 0. Rows that an OFFSET skips would be read once for each page. */
const OF_PAGE = `links WHERE source = (${ID}) AND ordinal >= ? AND ordinal < ? ORDER BY ordinal`;

function linksFrom(rows: LinkRows, path: NotePath, { limit, offset }: Page): ResolvedLink[] {
  return resolvedLinks(rows, `SELECT * FROM ${OF_PAGE}`, path, offset, offset + limit);
}

export function linkTargets({ rows, pathOf }: LinkRows, path: NotePath, { limit, offset }: Page): (NotePath | null)[] {
  const targets = rows.column<number | null>(`SELECT target FROM ${OF_PAGE}`, path, offset, offset + limit);
  return targets.map((target) => (target === null ? null : pathOf(target)));
}

function linksTo(linkRows: LinkRows, path: NotePath, { limit, offset }: Page): ResolvedLink[] {
  const { sql: links, values } = linksToFile(linkRows.rows, path);
  // Only the keys of all links go through the sort.
  const page = `SELECT source, ordinal, files.path FROM ${links} CROSS JOIN files ON files.id = source
    ORDER BY files.path, ordinal LIMIT ? OFFSET ?`;
  const sql = `SELECT links.* FROM (${page}) AS page CROSS JOIN links USING (source, ordinal) ORDER BY page.path, ordinal`;
  return resolvedLinks(linkRows, sql, ...values, limit, offset);
}

/** A note seldom links to itself, and looking only for its name takes little more than half the time. */
function linksToFile(rows: Rows, path: NotePath): Conditions {
  const isOwn = rows.value(`${TO_ITSELF} LIMIT 1`, path) !== undefined;
  const stems = fileStems(rows, path);
  const links = byName(isStem(stems));
  const values = [stemsAsValue(stems), path];
  return isOwn ? { sql: orToItself(links), values: [...values, path] } : { sql: links, values };
}

/** A link has one of few names that fit its target; a note with very many such names is read from its start. */
const MAX_FITTING_NAMES = 50;

export function linksBetween(rows: LinkRows, pairs: readonly LinkPair[], perPair: number): ResolvedLink[] {
  // Many pairs have one target.
  const namesOf = memoize((target: NotePath) => namesFitting(rows.rows, target));
  const target = sharedTarget(pairs);
  if (target !== undefined && namesOf(target).length < MAX_FITTING_NAMES) {
    const sources = JSON.stringify(pairs.map(({ source }) => source));
    return resolvedLinks(rows, NAMED_TO_ONE, sources, JSON.stringify(namesOf(target)), target, perPair);
  }
  const namesOfItself = memoize((path: NotePath) => namesFitting(rows.rows, path, NO_NAME));
  return pairs.flatMap((pair) => {
    const names = pair.source === pair.target ? namesOfItself(pair.target) : namesOf(pair.target);
    const ends = [pair.source, pair.target, perPair];
    if (names.length === MAX_FITTING_NAMES)
      return resolvedLinks(rows, `SELECT * FROM links WHERE ${BETWEEN} ORDER BY ordinal LIMIT ?`, ...ends);
    return resolvedLinks(rows, NAMED_BETWEEN, JSON.stringify(names), ...ends);
  });
}

interface LinkPair {
  readonly source: NotePath;
  readonly target: NotePath;
}

/** That of several pairs, none of which is a note and itself. */
function sharedTarget([first, ...others]: readonly LinkPair[]): NotePath | undefined {
  if (first === undefined || others.length === 0 || first.source === first.target) return undefined;
  const { target } = first;
  return others.every((pair) => pair.target === target && pair.source !== target) ? target : undefined;
}

const NAMED_BETWEEN = `SELECT * FROM links INDEXED BY links_by_name
  WHERE name IN (SELECT value FROM json_each(?)) AND ${BETWEEN} ORDER BY ordinal LIMIT ?`;

/** One statement for all sources takes a tenth of the time of one for each. Only the keys of the links are numbered. */
const NAMED_TO_ONE = `SELECT links.* FROM (
    SELECT sources.key AS pair, source, ordinal, row_number() OVER (PARTITION BY sources.key ORDER BY ordinal) AS place
    FROM json_each(?) AS sources CROSS JOIN files ON files.path = sources.value CROSS JOIN json_each(?) AS names
    CROSS JOIN links INDEXED BY links_by_name ON links.name = names.value AND source = files.id AND target = (${ID})
  ) AS found CROSS JOIN links USING (source, ordinal) WHERE place <= ? ORDER BY pair, ordinal`;

function namesFitting(rows: Rows, target: NotePath, ...others: readonly number[]): readonly number[] {
  const stems = [...fileStems(rows, target), ...others];
  const fitting = `SELECT id FROM link_names WHERE stem ${isStem(stems)} LIMIT ?`;
  return rows.column<number>(fitting, stemsAsValue(stems), MAX_FITTING_NAMES);
}

/** @param sql selects all columns of `links` */
export function resolvedLinks(
  { rows, pathOf, nameOf }: LinkRows,
  sql: string,
  ...values: readonly SqlValue[]
): ResolvedLink[] {
  return rows.checked<LinkRow>(sql, ...values).map((row) => {
    const target = row.target === null ? null : pathOf(row.target);
    return resolvedLink(rows, row, { source: pathOf(row.source), targetPath: nameOf(row.name), target });
  });
}

function linkName(rows: Rows, id: number): string {
  const [row] = rows.checked<{ path: string }>('SELECT * FROM link_names WHERE id = ?', id);
  if (row === undefined) throw new DamagedRow('a link has no name');
  return row.path;
}

type Ends = Pick<ResolvedLink, 'source' | 'targetPath' | 'target'>;

function resolvedLink(rows: Rows, row: LinkRow, ends: Ends): ResolvedLink {
  const { subpath, line, column, offset, end, property } = row;
  const written = {
    ...linkText(row, ends.targetPath),
    line,
    column,
    offset,
    end,
    ...(property === null ? {} : { key: property }),
  };
  if (ends.target === null) return { ...written, ...ends, subpath };
  const match = row.match ?? 'exact';
  const others = match === 'ambiguous' ? { others: otherCandidates(rows, written, ends.source) } : {};
  return { ...written, ...ends, subpath, match, ...others };
}

/** @param name the path of the link as written */
export function linkText(
  row: Pick<LinkRow, 'kind' | 'link' | 'display' | 'subpath'>,
  name: string,
): Omit<LinkText, 'target'> {
  const link = row.link ?? name + row.subpath;
  return { kind: row.kind ?? 'wikilink', link, display: row.display ?? displayOf(link) };
}

function otherCandidates(rows: Rows, link: Link, source: NotePath): readonly NotePath[] {
  const paths = 'SELECT * FROM files WHERE name_key = ?';
  const named = (nameKey: string) => rows.checked<FileRow>(paths, nameKey).map(({ path }) => path);
  const target = resolve(link, source, Object.assign(named, addressesIn(rows)));
  return target.path === null ? [] : (target.others ?? []);
}

/** Notes whose links count. */
export interface LinkFilter {
  readonly folder?: string;
  readonly source?: NotePath;
  readonly excluded?: 'include' | 'only';
}

/** Links in excluded files do not count, unless one of these is the source. */
export function sourceConditions(rows: Rows, { source, ...filter }: LinkFilter): Conditions {
  const { excluded = source === undefined ? undefined : ('include' as const), ...others } = filter;
  const isOpen = Object.values(others).every((value) => value === undefined) && excluded !== 'only';
  if (isOpen && source === undefined)
    return { sql: excluded === undefined && hasExcluded(rows) ? `source NOT IN ${EXCLUDED}` : 'TRUE', values: [] };
  const conditions: Conditions[] = isOpen ? [] : [noteConditions({ ...others, ...(excluded && { excluded }) })];
  if (source !== undefined) conditions.push({ sql: 'files.path = ?', values: [source] });
  const { sql, values } = join(conditions, ' AND ');
  return { sql: `source IN (SELECT id FROM files WHERE ${sql})`, values };
}
