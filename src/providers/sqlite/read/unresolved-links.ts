// Reads the names of links that lead nowhere, counted in slices, between which other calls run.
import type { Page } from '../../../contracts/note-filter.ts';
import type { UnresolvedGroup } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { createRevisionCache } from '../database/cache.ts';
import { readAndFinish, type Slice, type Source } from '../database/read-in-slices.ts';
import { checkLimit, checkPage, type Rows } from '../database/rows.ts';
import { stemOf } from '../write/link-resolution.ts';
import { type LinkFilter, type LinkRows, resolvedLinks, sourceConditions } from './links.ts';

/** Links counted in a slice, of a part of a name or of many names: some milliseconds. */
const LINKS_PER_SLICE = 5_000;
/** The names of a list that is read page by page are counted once for as many. */
const MIN_RANKED = 20_000;
/** Filters whose counts are kept. */
const MAX_RANKINGS = 4;

/** A link after all links of the slices before. */
type Place = readonly [name: number, source: number, ordinal: number];
const FIRST: Place = [-1, -1, -1];

type NameCount = readonly [id: number, count: number, path: string];

interface Ranking {
  /** Most links first, then ascending. */
  readonly best: readonly NameCount[];
  readonly total: number;
}

interface Unresolved {
  readonly groups: readonly UnresolvedGroup[];
  readonly total: number;
}

export function createUnresolved({ rows, read }: Source, linkRows: () => LinkRows) {
  const cache = createRevisionCache<string, Ranking>(rows, MAX_RANKINGS);
  return async (filter: LinkFilter, maxLinks: number, page: Page, signal: AbortSignal): Promise<Unresolved> => {
    const { limit, offset } = checkPage(page);
    const where = await read('unresolved', signal, () => sourceConditions(rows, filter));
    const key = JSON.stringify(where);
    const shown = ({ best, total }: Ranking): Unresolved => ({
      groups: best.slice(offset, offset + limit).map((name) => groupOf(linkRows(), name, where, checkLimit(maxLinks))),
      total,
    });
    const answer = await read('unresolved', signal, () => {
      const ranking = cache().get(key);
      const isEnough = ranking && ranking.best.length >= Math.min(offset + limit, ranking.total);
      return isEnough ? shown(ranking) : undefined;
    });
    if (answer !== undefined) return answer;
    let ranked = createRanking(offset + limit);
    const sliceAt = (after: Place | undefined): Slice<never, Place> => {
      if (after === undefined) ranked = createRanking(offset + limit);
      return countSlice(rows, after ?? FIRST, where, ranked);
    };
    return readAndFinish({ rows, read, op: 'unresolved', signal }, sliceAt, (_none, isOfOneRevision) => {
      const ranking = ranked.end();
      if (isOfOneRevision) cache().set(key, ranking);
      return shown(ranking);
    });
  };
}

export function unresolvedNamed(rows: Rows, name: string): number {
  const counts = `SELECT path, (SELECT count(*) FROM links WHERE name = link_names.id AND target IS NULL) FROM link_names
    WHERE stem = ?`;
  const folded = foldName(name);
  const sources = rows.tuples<readonly [path: string, count: number]>(counts, stemOf(name));
  return sources.reduce((sum, [path, count]) => (foldName(path) === folded ? sum + count : sum), 0);
}

type Conditions = ReturnType<typeof sourceConditions>;

function countSlice(
  rows: Rows,
  after: Place,
  { sql, values }: Conditions,
  ranked: ReturnType<typeof createRanking>,
): Slice<never, Place> {
  const links = `SELECT name, source, ordinal FROM links INDEXED BY unresolved_links
    WHERE target IS NULL AND (name, source, ordinal) > (?, ?, ?) ORDER BY name, source, ordinal LIMIT ?`;
  const counts = `SELECT id, count, path FROM (SELECT name, count(*) AS count FROM (${links}) WHERE ${sql} GROUP BY name) AS groups
    JOIN link_names ON link_names.id = groups.name ORDER BY id`;
  ranked.add(rows.tuples<NameCount>(counts, ...after, LINKS_PER_SLICE, ...values));
  const [next] = rows.tuples<Place>(`${links} OFFSET ?`, ...after, 1, LINKS_PER_SLICE - 1);
  return { items: [], next };
}

/** Keeps the names with the most links, so that a million names are never held at once. */
function createRanking(limit: number) {
  // Who reads beyond the first names reads on: twice as many are kept each time, so that few counts are needed.
  const size = limit > MIN_RANKED ? 2 * limit : MIN_RANKED;
  let best: NameCount[] = [];
  let total = 0;
  /** The last name, of which the next slice may have more links. */
  let last: NameCount | undefined;
  const addLast = () => {
    if (last === undefined) return;
    total += 1;
    best.push(last);
  };
  const cut = () => {
    best = best.sort(byCount).slice(0, size);
  };
  return {
    add: (counts: readonly NameCount[]) => {
      for (const [id, count, path] of counts) {
        const more = last?.[0] === id ? last[1] : 0;
        if (more === 0) addLast();
        last = [id, count + more, path];
      }
      if (best.length > 2 * size) cut();
    },
    end: (): Ranking => {
      addLast();
      cut();
      return { best, total };
    },
  };
}

function byCount([, one, path]: NameCount, [, other, otherPath]: NameCount): number {
  if (one !== other) return other - one;
  return path < otherPath ? -1 : 1;
}

function groupOf(linkRows: LinkRows, [id, count]: NameCount, { sql, values }: Conditions, maxLinks: number) {
  const links = `SELECT links.* FROM links JOIN files ON files.id = links.source
    WHERE links.name = ? AND links.target IS NULL AND ${sql} ORDER BY files.path, ordinal LIMIT ?`;
  return {
    name: linkRows.nameOf(id),
    count,
    links: maxLinks === 0 ? [] : resolvedLinks(linkRows, links, id, ...values, maxLinks),
  };
}
