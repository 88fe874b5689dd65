// Finds notes by name: path, file name, alias or title.
import { type NotePath, noteName } from '../../../base/note.ts';
import { comparePaths } from '../../../base/path-order.ts';
import type { NameCandidate } from '../../../contracts/store.ts';
import { foldName, nameKeyOf } from '../../../markdown/links/fold.ts';
import type { Rows } from '../database/rows.ts';

const RANKS: readonly NameCandidate['by'][] = ['path', 'name', 'alias', 'title'];

/** Every note that the name matches, each by its best rank; exact matches before folded ones, then by path. */
export function nameCandidates(rows: Rows, text: string): NameCandidate[] {
  const name = text.normalize('NFC');
  const best = new Map<NotePath, NameCandidate>();
  for (const candidate of [...fileCandidates(rows, name), ...namedCandidates(rows, name)]) {
    const known = best.get(candidate.path);
    if (known === undefined || compare(candidate, known) < 0) best.set(candidate.path, candidate);
  }
  return [...best.values()].sort(compare);
}

function compare(left: NameCandidate, right: NameCandidate): number {
  const byRank = RANKS.indexOf(left.by) - RANKS.indexOf(right.by);
  const byExactness = Number(right.exact) - Number(left.exact);
  return byRank || byExactness || comparePaths(left.path, right.path);
}

/** Matches by path or file name. The extension of a note may be left out. */
function fileCandidates(rows: Rows, name: string): NameCandidate[] {
  const sql = `SELECT path FROM files WHERE name_key IN (?, ?) AND kind <> 'attachment' ORDER BY path`;
  const paths = rows.column<NotePath>(sql, nameKeyOf(name), nameKeyOf(`${name}.md`));
  const exact = paths.filter((path) => path === name);
  return paths.flatMap((path) => {
    const byPath = match(name, path, path, 'path', exact.length === 0 || path === name);
    return byPath ?? match(name, path, path.slice(path.lastIndexOf('/') + 1), 'name', true) ?? [];
  });
}

/** An exact path matches that file only: `a.base` is not also the path of `a.base.md`. */
function match(
  name: string,
  path: NotePath,
  fileName: string,
  by: 'path' | 'name',
  allowed: boolean,
): NameCandidate | undefined {
  if (!allowed) return undefined;
  const forms = [name, `${name}.md`];
  if (forms.includes(fileName)) return { path, by, exact: true };
  const folded = foldName(fileName);
  return forms.some((form) => foldName(form) === folded) ? { path, by, exact: false } : undefined;
}

function namedCandidates(rows: Rows, name: string): NameCandidate[] {
  const sql = `SELECT path, names.kind AS "by", name FROM names JOIN files ON files.id = names.file
    WHERE key = ? ORDER BY path`;
  return rows
    .all<{ path: NotePath; by: 'alias' | 'title'; name: string }>(sql, foldName(name))
    .map((row) => ({ path: row.path, by: row.by, exact: row.name.normalize('NFC') === name }));
}

interface NoteNames {
  readonly path: NotePath;
  readonly title: string;
  readonly aliases: readonly string[];
}

/** Ascending by path. */
export function allNames(rows: Rows): NoteNames[] {
  const aliases = new Map<number, string[]>();
  const aliasSql = `SELECT file, name FROM names WHERE kind = 'alias' ORDER BY file, ordinal`;
  for (const { file, name } of rows.all<{ file: number; name: string }>(aliasSql)) {
    const known = aliases.get(file);
    if (known === undefined) aliases.set(file, [name]);
    else known.push(name);
  }
  return rows
    .all<{ id: number; path: NotePath; title: string | null }>(
      `SELECT id, path, title FROM files WHERE kind <> 'attachment' ORDER BY path`,
    )
    .map(({ id, path, title }) => ({ path, title: title ?? noteName(path), aliases: aliases.get(id) ?? [] }));
}

/** Fills in the title, which by default is the file name. */
export function withTitle<T extends { readonly path: NotePath; readonly title: string | null }>(
  row: T,
): T & { readonly title: string } {
  return { ...row, title: row.title ?? noteName(row.path) };
}
