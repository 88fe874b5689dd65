// Finds files by their ids and paths, and remembers what answers show of them until the index changes.
import { type NotePath, noteName } from '../../../base/note.ts';
import { createRevisionCache } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { type FileRow, fileAt, fileById } from './note-rows.ts';

export interface KnownFile {
  readonly id: number;
  readonly path: NotePath;
  /** By default the name of the file. */
  readonly title: string;
  readonly modified: number;
}

export interface KnownFiles {
  readonly rows: Rows;
  /** @throws DamagedRow also if there is no such file */
  withId(id: number): KnownFile;
  at(path: NotePath): KnownFile | undefined;
}

/** A file has two, its id and its path. */
const MAX_KEYS = 40_000;

/** The returned function gives a reader for the current revision of the index. */
export function createKnownFiles(rows: Rows): () => KnownFiles {
  const known = createRevisionCache<number | NotePath, KnownFile>(rows, MAX_KEYS);
  return () => {
    const files = known();
    const remember = ({ id, path, title, modified }: FileRow): KnownFile => {
      const file = { id, path, title: title ?? noteName(path), modified };
      files.set(id, file).set(path, file);
      return file;
    };
    const lookUp = (path: NotePath): KnownFile | undefined => {
      const file = fileAt(rows, path);
      return file === undefined ? undefined : remember(file);
    };
    return {
      rows,
      withId: (id) => files.get(id) ?? remember(fileById(rows, id)),
      at: (path) => files.get(path) ?? lookUp(path),
    };
  };
}
