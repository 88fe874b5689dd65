// Finds the paths and titles of files, and remembers them until the index changes.
import { type NotePath, noteName } from '../../../base/note.ts';
import { createRevisionCache } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { type FileRow, fileAt, fileById } from './note-rows.ts';

export interface FileNames {
  /** @throws DamagedRow also if there is no such file */
  pathOf(id: number): NotePath;
  /** By default the name of the file. Undefined if there is no such file. */
  titleOf(path: NotePath): string | undefined;
}

interface Named {
  readonly path: NotePath;
  readonly title: string;
}

/** A file has two, its id and its path. */
const MAX_KEYS = 40_000;

/** The returned function gives a reader for the current revision of the index. */
export function createFileNames(rows: Rows): () => FileNames {
  const known = createRevisionCache<number | NotePath, Named>(rows, MAX_KEYS);
  return () => {
    const files = known();
    const remember = ({ id, path, title }: FileRow): Named => {
      const named = { path, title: title ?? noteName(path) };
      files.set(id, named).set(path, named);
      return named;
    };
    const namedAt = (path: NotePath): Named | undefined => {
      const file = fileAt(rows, path);
      return file === undefined ? undefined : remember(file);
    };
    return {
      pathOf: (id) => (files.get(id) ?? remember(fileById(rows, id))).path,
      titleOf: (path) => (files.get(path) ?? namedAt(path))?.title,
    };
  };
}
