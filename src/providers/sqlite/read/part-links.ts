// Reads from the index which parts of files the links of notes name.
import type { NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { LinkedPart, ResolvedLink } from '../../../contracts/store.ts';
import { readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import { type LinkFilter, type LinkRows, resolvedLinks, sourceConditions } from './links.ts';

/** Links that name a part; `links_to_parts` has them in this order. */
const TO_PARTS = `links WHERE subpath <> '' AND target IS NOT NULL`;
const PARTS_PER_SLICE = 2_000;

type Place = readonly [target: number, subpath: string];

export function createLinkedParts({ rows, read }: Source, linkRows: () => LinkRows) {
  return (filter: LinkFilter, signal: AbortSignal): Promise<readonly LinkedPart[]> => {
    const { sql, values } = sourceConditions(filter);
    const page = `SELECT target, subpath, count(*) AS count FROM ${TO_PARTS} AND (target, subpath) > (?, ?) AND ${sql}
      GROUP BY target, subpath ORDER BY target, subpath LIMIT ${PARTS_PER_SLICE}`;
    const sliceAt = (place: Place = [-1, '']): Slice<LinkedPart, Place> => {
      const { pathOf } = linkRows();
      const parts = rows.tuples<readonly [...Place, count: number]>(page, ...place, ...values);
      const found = parts.map(([target, subpath, count]) => ({ target: pathOf(target), subpath, count }));
      const last = parts.length < PARTS_PER_SLICE ? undefined : parts.at(-1);
      return { found, next: last && [last[0], last[1]] };
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
  const { sql, values } = sourceConditions(filter);
  const all = `SELECT links.* FROM links JOIN files ON files.id = links.source
    WHERE links.subpath = ? AND subpath <> '' AND target = (SELECT id FROM files WHERE path = ?) AND ${sql}
    ORDER BY files.path, ordinal LIMIT ? OFFSET ?`;
  return resolvedLinks(linkRows, all, subpath, target, ...values, limit, offset);
}
