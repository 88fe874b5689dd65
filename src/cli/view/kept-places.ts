// Keeps the layout of the graph in a file beside the index, so that the page does not compute it again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/atomic-write.ts';
import { packKept, unpackKept } from '../../base/kept-json.ts';
import type { GraphPicture } from '../../contracts/graph-picture.ts';

/** Numbers per note: x, y, and how many notes were linked then. */
const ROW = 3;
type Row = readonly [number, number, number];

const FILE_NAME = 'layout.json';

export type KeptPlaces = ReturnType<typeof createKeptPlaces>;

/** @param folder of the index */
export function createKeptPlaces(folder: string) {
  const file = join(folder, FILE_NAME);
  return Object.freeze({
    /** The rows of the notes in their order, null for a note without one. Without a file, or with a broken one, every note is new. */
    rows: async ({ notes }: GraphPicture): Promise<(number | null)[]> => {
      const [read] = await Promise.allSettled([readFile(file, 'utf8')]);
      const places = read.status === 'fulfilled' ? unpackKept(read.value, FILE_NAME) : undefined;
      const kept = new Map(Object.entries((places ?? {}) as Readonly<Record<string, Row>>));
      return notes.flatMap(({ path }) => kept.get(path) ?? [null, null, null]);
    },
    /** @returns false, with nothing written, if the rows are not those of the notes */
    keep: async ({ notes }: GraphPicture, rows: unknown): Promise<boolean> => {
      if (!Array.isArray(rows) || rows.length !== notes.length * ROW || !rows.every(Number.isFinite)) return false;
      const kept = notes.map(({ path }, node) => [path, rows.slice(node * ROW, node * ROW + ROW)]);
      await replaceFile(file, packKept(Object.fromEntries(kept), FILE_NAME));
      return true;
    },
  });
}
