// Finds notes by name: path, file name, alias or title.
import { asNoteFiles, type NotePath, noteName } from '../../../base/note.ts';
import { comparePaths } from '../../../base/path-order.ts';
import type { NameCandidate, NoteNames, Store } from '../../../contracts/store.ts';
import { addressKey, addressNamed, hasAddresses } from '../../../markdown/links/addresses.ts';
import { foldName, nameKeyOf } from '../../../markdown/links/fold.ts';
import { noteId } from '../../../markdown/links/page-names.ts';
import { FILES_PER_SLICE, readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';
import { EXCLUDED } from './note-conditions.ts';
import { type FileRow, fileAt, fileById, isExcluded } from './note-rows.ts';

const RANKS: readonly NameCandidate['by'][] = ['path', 'name', 'alias', 'title'];

/** Every note that the name matches, each by its best rank; exact matches before folded ones, then by path. */
export function nameCandidates(rows: Rows, text: string): NameCandidate[] {
  const name = text.normalize('NFC');
  const best = new Map<NotePath, NameCandidate>();
  for (const candidate of [...fileCandidates(rows, name), ...namedCandidates(rows, name)]) {
    const better = best.get(candidate.path);
    if (better === undefined || compare(candidate, better) < 0) best.set(candidate.path, candidate);
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
  const keys = [name, ...asNoteFiles(name)].map(nameKeyOf);
  const sql = `SELECT * FROM files WHERE name_key IN (${keys.map(() => '?')}) AND kind <> 'attachment' ORDER BY path`;
  const paths = rows.checked<FileRow>(sql, ...keys).map(({ path }) => path);
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
  const forms = [name, ...asNoteFiles(name)];
  if (forms.includes(fileName)) return { path, by, exact: true };
  const folded = foldName(fileName);
  return forms.some((form) => foldName(form) === folded) ? { path, by, exact: false } : undefined;
}

function namedCandidates(rows: Rows, name: string): NameCandidate[] {
  const named = rows.checked<NameRow>(`SELECT * FROM names WHERE key = ? AND kind <> 'address'`, foldName(name));
  const candidates = named.map(({ file, kind, name: spelling }): NameCandidate => {
    const by = kind as 'alias' | 'title';
    return { path: fileById(rows, file).path, by, exact: spelling.normalize('NFC') === name };
  });
  return [...candidates, ...addressedNotes(rows, name)];
}

/** What links name by the day of a journal in any of the forms of its titles, by the id of a block, or by that of a note. */
function addressedNotes(rows: Rows, name: string): NameCandidate[] {
  const address = addressNamed(name);
  if (address === undefined) return [];
  const sql = `SELECT * FROM names WHERE key = ? AND kind = 'address'`;
  const named = rows.checked<NameRow>(sql, addressKey(address)).map(({ file }) => fileById(rows, file));
  const ids = noteId(name) === name ? asNoteFiles(name).map(nameKeyOf) : [];
  const called = ids.flatMap((key) => rows.checked<FileRow>('SELECT * FROM files WHERE name_key = ?', key));
  return [...named, ...called].map(({ path }) => ({ path, by: 'alias', exact: true }));
}

interface NameRow {
  readonly file: number;
  readonly kind: 'alias' | 'title' | 'address';
  readonly name: string;
}

/** Ascending by path. */
export function allNames(source: Source, signal: AbortSignal): Promise<readonly NoteNames[]> {
  return namesInSlices(source, signal);
}

function namesInSlices(
  { rows, read }: Source,
  signal: AbortSignal,
  maxRestarts?: number,
): Promise<readonly NoteNames[]> {
  const after = (path: NotePath | undefined) => namesAfter(rows, path);
  const query = { rows, read, op: 'names', signal };
  return readInSlices(maxRestarts === undefined ? query : { ...query, maxRestarts }, after);
}

/** The names of the next notes after a path. */
function namesAfter(rows: Rows, after: NotePath | undefined): Slice<NoteNames, NotePath> {
  const next = `FROM files WHERE kind <> 'attachment' AND id NOT IN ${EXCLUDED} AND path > ? ORDER BY path LIMIT ?`;
  const page = [after ?? '', FILES_PER_SLICE] as const;
  const kinds = hasAddresses() ? `kind IN ('alias', 'address')` : `kind = 'alias'`;
  const sql = `SELECT * FROM names WHERE ${kinds} AND file IN (SELECT id ${next}) ORDER BY file, ordinal`;
  const names = Map.groupBy(rows.checked<NameRow>(sql, ...page), ({ file }) => file);
  const files = rows.checked<FileRow>(`SELECT * ${next}`, ...page);
  const candidates = files.map((file) => namesOf(file, names.get(file.id) ?? []));
  return { items: candidates, next: candidates.length < FILES_PER_SLICE ? undefined : candidates.at(-1)?.path };
}

function namesOf({ path, title }: FileRow, rows: readonly NameRow[]): NoteNames {
  const named = (kindOf: NameRow['kind']) => rows.flatMap(({ kind, name }) => (kind === kindOf ? [name] : []));
  const addresses = named('address');
  const names = { path, title: title ?? noteName(path), aliases: named('alias') };
  return addresses.length === 0 ? names : { ...names, addresses };
}

/** After changes of more notes than this all names are read. */
const MAX_CHANGED = 2_000;

/** @returns the method of the store */
export function createChangedNames({ rows, read }: Source): Store['changedNames'] {
  const index = Symbol('index');
  return async (since, signal) => {
    const first = since?.index === index ? since.change : undefined;
    const { last, paths } = await read('changedNames', signal, () => changesSince(rows, first));
    const mark = { index, change: last };
    if (paths === undefined)
      return { mark, isWhole: true, notes: await namesInSlices({ rows, read }, signal, 0), removed: [] };
    const at = (from = 0) => namesAt(rows, paths, from);
    const notes = await readInSlices({ rows, read, op: 'changedNames', signal, maxRestarts: 0 }, at);
    const notePaths = new Set(notes.map(({ path }) => path));
    return { mark, isWhole: false, notes, removed: paths.filter((path) => !notePaths.has(path)) };
  };
}

/** The last change, and the notes that were changed; undefined if they are not known. */
function changesSince(rows: Rows, since: number | undefined) {
  const last = rows.value<number>(`SELECT seq FROM sqlite_sequence WHERE name = 'name_changes'`) ?? 0;
  if (since === undefined) return { last, paths: undefined };
  const changes = rows.checked<{ paths: string | null }>('SELECT * FROM name_changes WHERE id > ? ORDER BY id', since);
  if (changes.length < last - since || changes.some(({ paths }) => paths === null)) return { last, paths: undefined };
  const paths = new Set(changes.flatMap(({ paths }) => JSON.parse(paths as string) as NotePath[]));
  return { last, paths: paths.size > MAX_CHANGED ? undefined : [...paths] };
}

/** The names of those of the next paths that are notes. */
function namesAt(rows: Rows, paths: readonly NotePath[], from: number): Slice<NoteNames, number> {
  const to = from + FILES_PER_SLICE;
  const sql = `SELECT * FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const candidates = paths.slice(from, to).flatMap((path) => {
    const file = fileAt(rows, path);
    return file === undefined || isExcluded(rows, file.id) ? [] : [namesOf(file, rows.checked<NameRow>(sql, file.id))];
  });
  return { items: candidates, next: to < paths.length ? to : undefined };
}

/** Fills in the title, which by default is the file name. */
export function withTitle<T extends { readonly path: NotePath; readonly title: string | null }>(
  row: T,
): T & { readonly title: string } {
  return { ...row, title: row.title ?? noteName(row.path) };
}
