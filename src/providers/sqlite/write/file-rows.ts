// Writes the files that were added, removed or touched in the vault.
import type { NotePath } from '../../../base/note.ts';
import type { ChangeSet } from '../../../contracts/change-set.ts';
import type { FileEntry } from '../../../contracts/vault.ts';
import { nameDate } from '../../../markdown/dates/note-date.ts';
import { nameKeyOf } from '../../../markdown/links/fold.ts';
import { edgesChecksum } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { deleteChunks } from '../vectors/apply-vectors.ts';
import { deleteContent } from './content-rows.ts';
import { fileStems, stemOf } from './link-resolution.ts';
import { deleteLinks } from './link-writes.ts';

/** Changes that may affect links. */
export interface Moved {
  /** Stems with more or fewer files than before. */
  readonly stems: ReadonlySet<number>;
  /** Notes, canvases and bases that were added, removed, excluded or no longer excluded. */
  readonly nodes: ReadonlySet<NotePath>;
  /** Link names of removed notes. */
  readonly linkNames: ReadonlySet<number>;
}

export function writeFiles(
  rows: Rows,
  { removed, added, touched, sightings }: Pick<ChangeSet, 'removed' | 'added' | 'touched' | 'sightings'>,
): Moved {
  const stems = new Set<number>();
  const linkNames = new Set<number>();
  const nodes = new Set<NotePath>();
  for (const path of removed) {
    const ofFile = fileStems(rows, path);
    const file = deleteFile(rows, path, linkNames);
    if (file === undefined) continue;
    for (const stem of ofFile) stems.add(stem);
    if (file.kind !== 'attachment') nodes.add(path);
  }
  for (const entry of added) {
    const isNew = addFile(rows, entry);
    const isMoved = setExcluded(rows, entry) || isNew;
    if (isMoved && entry.kind !== 'attachment') nodes.add(entry.path);
    if (!isNew) continue;
    stems.add(stemOf(entry.path));
  }
  for (const { path, sizeBytes, modifiedMs, createdMs = null, changedMs = null } of touched) {
    const set = 'size = ?, modified = ?, created = ifnull(?, created), changed = ?';
    rows.update('files', [set, sizeBytes, modifiedMs, createdMs, changedMs], ['path = ?', path]);
  }
  for (const { path, hash, changedMs } of sightings)
    rows.update('files', ['changed = ?', changedMs], ['path = ? AND hash = ?', path, hash]);
  return { stems, nodes, linkNames };
}

function deleteFile(rows: Rows, path: NotePath, linkNames: Set<number>): { readonly kind: string } | undefined {
  const file = rows.first<{ id: number; kind: string }>('SELECT id, kind FROM files WHERE path = ?', path);
  rows.run('DELETE FROM quarantine WHERE path = ?', path);
  if (file === undefined) return undefined;
  deleteContent(rows, file.id);
  deleteLinks(rows, file.id, linkNames);
  deleteChunks(rows, file.id);
  rows.run('DELETE FROM excluded_files WHERE file = ?', file.id);
  rows.run('DELETE FROM files WHERE id = ?', file.id);
  return file;
}

/** @returns whether that changes */
function setExcluded(rows: Rows, { path, excluded = false }: FileEntry): boolean {
  const id = rows.value<number>('SELECT id FROM files WHERE path = ?', path) ?? -1;
  const wasExcluded = rows.value<number>('SELECT 1 FROM excluded_files WHERE file = ?', id) === 1;
  if (wasExcluded === excluded) return false;
  if (excluded) rows.run('INSERT INTO excluded_files (file) VALUES (?)', id);
  else rows.run('DELETE FROM excluded_files WHERE file = ?', id);
  // No text of an excluded file goes to a model, and what a model made of it is not kept.
  if (excluded) deleteChunks(rows, id);
  return true;
}

/**
 * The size and time of an indexed file stay as they were when it was read, so that a change of its content is found.
 * @returns whether the path is new
 */
function addFile(rows: Rows, entry: FileEntry): boolean {
  const { path, kind, sizeBytes, modifiedMs, createdMs = null, changedMs = null } = entry;
  const flags = [Number(entry.evicted), Number(entry.conflictCopy)] as const;
  const id = rows.value<number>('SELECT id FROM files WHERE path = ?', path);
  if (id !== undefined) {
    const set = `evicted = ?, conflict_copy = ?, created = ifnull(?, created),
      size = iif(hash IS NULL, ?, size), modified = iif(hash IS NULL, ?, modified)`;
    rows.update('files', [set, ...flags, createdMs, sizeBytes, modifiedMs], ['id = ?', id]);
    return false;
  }
  // The name may have the date of a note whose content cannot be read yet, for example in a cloud folder.
  const dated = kind === 'attachment' ? undefined : nameDate(path);
  rows.run(
    `INSERT INTO files (path, name_key, kind, size, modified, created, changed, evicted, conflict_copy, date, dated_by,
       edges_revision, edges) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    ...[
      path,
      nameKeyOf(path),
      kind,
      sizeBytes,
      modifiedMs,
      createdMs,
      // A note has the time that goes with the content which is read.
      kind === 'attachment' ? changedMs : null,
      ...flags,
      dated?.date ?? null,
      dated?.by ?? null,
      edgesChecksum(path, []),
    ],
  );
  return true;
}
