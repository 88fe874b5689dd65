// Finds which notes link to a file that is about to leave the index.
import type { NotePath } from '../../../base/note.ts';
import type { Rows } from '../database/rows.ts';
import { fileStems } from '../write/link-resolution.ts';

export interface Linkers {
  readonly paths: readonly NotePath[];
  readonly count: number;
}

const MAX_NAMED = 10;
/** Links that are looked at: of a note with more, the count is a lower bound. */
const MAX_LINKS = 50_000;

const SOURCES = `SELECT DISTINCT source FROM (
    SELECT source FROM link_names CROSS JOIN links ON links.name = link_names.id
      AND stem IN (SELECT value FROM json_each(?)) AND target = ? LIMIT ?)
  WHERE source <> ? AND source NOT IN (SELECT file FROM excluded_files)`;

/** Undefined for a file that the index does not know. */
export function linkersOf(index: Rows, path: NotePath): Linkers | undefined {
  const id = index.value<number>('SELECT id FROM files WHERE path = ?', path);
  if (id === undefined) return undefined;
  const sources = index.column<number>(SOURCES, JSON.stringify(fileStems(index, path)), id, MAX_LINKS, id);
  const named = 'SELECT path FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path LIMIT ?';
  const paths = sources.length === 0 ? [] : index.column<NotePath>(named, JSON.stringify(sources), MAX_NAMED);
  return { paths, count: sources.length };
}
