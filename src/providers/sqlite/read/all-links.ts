// Reads the links of all notes at once, which takes a fraction of the time that it takes note by note.
import type { NotePath } from '../../../base/note.ts';
import type { LinkText, Store } from '../../../contracts/store.ts';
import { DamagedRow } from '../database/checksum.ts';
import { readAndFinish, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';
import { LISTED } from './known-files.ts';
import { type LinkRow, linkText } from './links.ts';

/** Links read in a slice, of a part of a note or of many: some milliseconds. */
const LINKS_PER_SLICE = 500;
type LinkKey = readonly [source: number, ordinal: number];

const FOLLOWING = 'SELECT * FROM links WHERE (source, ordinal) > (?, ?) ORDER BY source, ordinal LIMIT ?';

export function createAllLinks({ rows, read }: Source): Store['allLinks'] {
  return (signal) => {
    let reading = new LinkReading(rows);
    const sliceAt = (after: LinkKey | undefined): Slice<never, LinkKey> => {
      if (after === undefined) reading = new LinkReading(rows);
      return { items: [], next: reading.readAfter(after ?? [-1, -1]) };
    };
    // Notes that change meanwhile would have been read before or after their change one by one, too.
    const query = { rows, read, op: 'allLinks', signal, maxRestarts: 0 };
    return readAndFinish(query, sliceAt, () => reading.links);
  };
}

class LinkReading {
  readonly links = new Map<NotePath, LinkText[]>();
  readonly #rows: Rows;
  readonly #paths = new Map<number, NotePath>();
  readonly #names = new Map<number, string>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The key of the last link; undefined at the end. @throws DamagedRow */
  readAfter(after: LinkKey): LinkKey | undefined {
    const rows = this.#rows.checked<LinkRow>(FOLLOWING, ...after, LINKS_PER_SLICE);
    this.#learn(
      this.#paths,
      'files',
      rows.flatMap(({ source, target }) => (target === null ? source : [source, target])),
    );
    this.#learn(
      this.#names,
      'link_names',
      rows.map(({ name }) => name),
    );
    for (const row of rows) {
      const path = found(this.#paths, row.source);
      const target = row.target === null ? null : found(this.#paths, row.target);
      const link = { ...linkText(row, found(this.#names, row.name)), target };
      const links = this.links.get(path);
      if (links === undefined) this.links.set(path, [link]);
      else links.push(link);
    }
    const last = rows.at(-1);
    return last === undefined || rows.length < LINKS_PER_SLICE ? undefined : [last.source, last.ordinal];
  }

  #learn(paths: Map<number, string>, table: 'files' | 'link_names', ids: readonly number[]): void {
    const unknown = [...new Set(ids)].filter((id) => !paths.has(id));
    if (unknown.length === 0) return;
    const sql = `SELECT * FROM ${table} WHERE id IN ${LISTED}`;
    for (const { id, path } of this.#rows.checked<{ id: number; path: string }>(sql, JSON.stringify(unknown)))
      paths.set(id, path);
  }
}

function found<Path extends string>(paths: ReadonlyMap<number, Path>, id: number): Path {
  const path = paths.get(id);
  if (path === undefined) throw new DamagedRow('a link refers to a row that is missing');
  return path;
}
