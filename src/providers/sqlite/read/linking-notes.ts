// Counts the links to a file by the notes that hold them, in slices, because there can be millions.
import type { NotePath } from '../../../base/note.ts';
import { comparePaths } from '../../../base/path-order.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { LinkedPart, LinkingNote, ResolvedLink, Store } from '../../../contracts/store.ts';
import { readAndFinish, readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';
import { fileStems } from '../write/link-resolution.ts';
import { type LinkFilter, type LinkRows, NO_NAME, resolvedLinks, sourceConditions } from './links.ts';

/** Links with one name: those of `source` after one of them, or else those of the sources after it. */
interface Place {
  /** One of the stems of the file, then `NO_NAME`. */
  readonly stem: number;
  readonly name: number;
  readonly source: number;
  readonly ordinal?: number;
}

type Count = readonly [source: number, links: number];

/** Links looked at in a slice: some milliseconds. */
const LINKS_PER_SLICE = 5_000;
const ID = 'SELECT id FROM files WHERE path = ?';

export function createLinkingNotes({ rows, read }: Source, linkRows: () => LinkRows): Store['linkingNotes'] {
  return (path, signal) => {
    const sliceAt = (place?: Place) => sliceOf(rows, path, place);
    const finish = (counts: readonly Count[]) => sorted(counts, linkRows());
    return readAndFinish<Count, Place, readonly LinkingNote[]>(
      { rows, read, op: 'linkingNotes', signal },
      sliceAt,
      finish,
    );
  };
}

/** Links with a stem of the file, then those of the file to itself that leave out its name. */
function sliceOf(rows: Rows, path: NotePath, begin?: Place): Slice<Count, Place> {
  const id = rows.value<number>(ID, path);
  const counted: Count[] = [];
  const stems = [...fileStems(rows, path), NO_NAME];
  const first: Place = { stem: stems[0] as number, name: 0, source: 0 };
  let place: Place | undefined = id === undefined ? undefined : (begin ?? first);
  for (let left = LINKS_PER_SLICE; left > 0 && place !== undefined && id !== undefined; ) {
    const { counts, seen, next } = linksAfter(rows, id, place, left, stems);
    counted.push(...counts);
    // A name costs as much to look up as some links.
    left -= seen + 1;
    place = next;
  }
  return { items: counted, next: place };
}

function linksAfter(rows: Rows, id: number, place: Place, limit: number, stems: readonly number[]) {
  const { stem } = place;
  const first = 'SELECT id FROM link_names WHERE stem = ? AND id >= ? ORDER BY id LIMIT 1';
  const name = rows.value<number>(first, stem, place.name);
  const ownSource = { source: id, ordinal: -1 };
  if (name === undefined) {
    const next = stem === NO_NAME ? undefined : (stems[stems.indexOf(stem) + 1] ?? NO_NAME);
    const source = next === NO_NAME ? ownSource : { source: 0 };
    return { counts: [], seen: 0, next: next === undefined ? undefined : { stem: next, name: 0, ...source } };
  }
  const from = name === place.name ? place : { stem, name, ...(stem === NO_NAME ? ownSource : { source: 0 }) };
  const { counts, seen, end } = linksInRange(rows, id, from, limit);
  const isLastSource = from.ordinal === undefined || stem === NO_NAME;
  const nextSource = isLastSource ? { stem, name: name + 1, source: 0 } : { stem, name, source: from.source };
  return { counts, seen, next: end === undefined ? nextSource : { stem, name, ...end } };
}

/** A comparison of source and ordinal together would use the index for the source alone. */
function linksInRange(rows: Rows, id: number, { name, source, ordinal }: Place, limit: number) {
  const range = `links INDEXED BY links_by_name WHERE name = ? AND source ${ordinal === undefined ? '>' : '= ? AND ordinal >'} ?`;
  const values = [name, source, ...(ordinal === undefined ? [] : [ordinal])];
  const keys = `SELECT source, ordinal, target FROM ${range} ORDER BY source, ordinal LIMIT ?`;
  const counted = `SELECT source, count(*) FROM (${keys}) WHERE target = ? GROUP BY source`;
  const counts = rows.tuples<[number, number]>(counted, ...values, limit, id);
  const last = `SELECT source, ordinal FROM ${range} ORDER BY source, ordinal LIMIT 1 OFFSET ?`;
  const [end] = rows.tuples<[number, number]>(last, ...values, limit - 1);
  if (end === undefined) return { counts, seen: counts.reduce((sum, [, links]) => sum + links, 0), end };
  return { counts, seen: limit, end: { source: end[0], ordinal: end[1] } };
}

function sorted(counts: readonly Count[], { pathOf }: LinkRows): LinkingNote[] {
  const sums = new Map<number, number>();
  for (const [source, links] of counts) sums.set(source, (sums.get(source) ?? 0) + links);
  const notes = [...sums].map(([source, links]) => ({ path: pathOf(source), links }));
  return notes.sort((one, other) => comparePaths(one.path, other.path));
}

/** Links that name a part; `links_to_parts` has them in this order. */
const TO_PARTS = `links WHERE subpath <> '' AND target IS NOT NULL`;
const PARTS_PER_SLICE = 2_000;

type PartPlace = readonly [target: number, subpath: string];

export function createLinkedParts({ rows, read }: Source, linkRows: () => LinkRows) {
  return async (filter: LinkFilter, signal: AbortSignal): Promise<readonly LinkedPart[]> => {
    const { sql, values } = await read('linkedParts', signal, () => sourceConditions(rows, filter));
    const page = `SELECT target, subpath, count(*) AS count FROM ${TO_PARTS} AND (target, subpath) > (?, ?) AND ${sql}
      GROUP BY target, subpath ORDER BY target, subpath LIMIT ${PARTS_PER_SLICE}`;
    const sliceAt = (place: PartPlace = [-1, '']): Slice<LinkedPart, PartPlace> => {
      const { pathOf } = linkRows();
      const parts = rows.tuples<readonly [...PartPlace, count: number]>(page, ...place, ...values);
      const targets = parts.map(([target, subpath, count]) => ({ target: pathOf(target), subpath, count }));
      const last = parts.length < PARTS_PER_SLICE ? undefined : parts.at(-1);
      return { items: targets, next: last && [last[0], last[1]] };
    };
    return readInSlices({ rows, read, op: 'linkedParts', signal }, sliceAt);
  };
}

/** Links to the part of a file, by the path of their note and their place in it. */
export function linksToPart(
  linkRows: LinkRows,
  { target, subpath }: { readonly target: NotePath; readonly subpath: string },
  filter: LinkFilter,
  { limit, offset }: Page,
): readonly ResolvedLink[] {
  const { sql, values } = sourceConditions(linkRows.rows, filter);
  const all = `SELECT links.* FROM links JOIN files ON files.id = links.source
    WHERE links.subpath = ? AND subpath <> '' AND target = (SELECT id FROM files WHERE path = ?) AND ${sql}
    ORDER BY files.path, ordinal LIMIT ? OFFSET ?`;
  return resolvedLinks(linkRows, all, subpath, target, ...values, limit, offset);
}
