// Keeps the text index of the present revision ready for queries: its segments as they are, and which of their notes are replaced.
import { SizedMap } from '../../../base/async/sized-map.ts';
import { partitionPoint } from '../../../base/binary-search.ts';
import { type LoadedSegment, TextIndex, Workspace } from '../../../postings/text-index.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { loadSegment, type StoredSegment, segmentRow } from './segment-rows.ts';

/** Rows that were read last are kept up to here. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Changes with everything that the text index is read from. */
const MARK = `SELECT revision || ' ' || (SELECT count(*) || ' ' || ifnull(max(id), 0) FROM text_segments) || ' ' ||
  ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'text_dead'), 0) FROM state`;

interface KnownSegment extends StoredSegment {
  readonly dead: Uint8Array;
  live: number;
  liveWords: number;
}

/** The text index of the revision that the transaction reads. */
export interface TextIndexes {
  whole(): TextIndex;
  /** The index as if the notes that Obsidian's settings exclude were not in it: they count in no weight, and no word is known from them. */
  listed(): TextIndex;
}

export function createTextIndexes(rows: Rows): TextIndexes {
  const reader = new IndexReader(rows);
  return { whole: () => reader.current(), listed: () => reader.listed() };
}

class IndexReader {
  readonly #rows: Rows;
  readonly #workspace = new Workspace();
  readonly #readRow: (row: number) => Uint8Array;
  #segments = new Map<number, KnownSegment>();
  #lastDead = 0;
  #mark: string | undefined;
  #index = new TextIndex([], this.#workspace);
  #listed: { readonly of: TextIndex; readonly index: TextIndex } | undefined;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#readRow = keepRows((row) => segmentRow(rows, row));
  }

  current(): TextIndex {
    const mark = this.#rows.value<string>(MARK);
    if (mark === this.#mark) return this.#index;
    this.#refresh();
    this.#mark = mark;
    return this.#index;
  }

  listed(): TextIndex {
    const whole = this.current();
    if (this.#listed?.of !== whole) this.#listed = { of: whole, index: this.#withoutExcluded(whole) };
    return this.#listed.index;
  }

  #withoutExcluded(whole: TextIndex): TextIndex {
    const excluded = new Set(this.#rows.column<number>('SELECT file FROM excluded_files'));
    if (excluded.size === 0) return whole;
    return new TextIndex(
      [...this.#segments.values()].map((segment) => loadedSegment(withoutFiles(segment, excluded))),
      this.#workspace,
    );
  }

  #refresh(): void {
    const ids = this.#rows.column<number>('SELECT id FROM text_segments ORDER BY first_doc');
    const isNew = ids.some((id) => !this.#segments.has(id));
    const segments = ids.map((id) => this.#segments.get(id) ?? this.#load(id));
    this.#segments = new Map(segments.map((one) => [one.id, one]));
    // A new segment may hold notes that were replaced before it was read.
    const since = isNew ? 0 : this.#lastDead;
    for (const { id, doc } of this.#rows.checked<{ id: number; doc: number }>(
      'SELECT * FROM text_dead WHERE id > ? ORDER BY id',
      since,
    )) {
      markDead(segments, doc);
      this.#lastDead = Math.max(this.#lastDead, id);
    }
    this.#index = new TextIndex(segments.map(loadedSegment), this.#workspace);
  }

  #load(id: number): KnownSegment {
    const stored = loadSegment(this.#rows, id, this.#readRow);
    const { length } = stored.docs;
    return { ...stored, dead: new Uint8Array(length), live: length, liveWords: sum(stored.lengths) };
  }
}

function loadedSegment({ segment, dead, files, lengths, live, liveWords }: KnownSegment): LoadedSegment {
  return { segment, dead, hasDead: live < dead.length, files, lengths, live, liveWords };
}

function withoutFiles(segment: KnownSegment, excluded: ReadonlySet<number>): KnownSegment {
  const without = { ...segment, dead: segment.dead.slice() };
  for (let note = 0; note < segment.files.length; note++)
    if (excluded.has(segment.files[note] as number)) markNote(without, note);
  return without;
}

function markDead(segments: readonly KnownSegment[], doc: number): void {
  const at = partitionPoint(segments.length, (index) => (segments[index]?.docs[0] ?? 0) <= doc) - 1;
  const segment = segments[at];
  if (segment === undefined) throw new DamagedRow('a replaced note of the text index is in no segment');
  const { docs } = segment;
  const note = partitionPoint(docs.length, (index) => (docs[index] as number) < doc);
  if (docs[note] === doc) markNote(segment, note);
}

function markNote(segment: KnownSegment, note: number): void {
  const { dead, lengths } = segment;
  if (dead[note] === 1) return;
  dead[note] = 1;
  segment.live -= 1;
  segment.liveWords -= lengths[note] as number;
}

function sum(numbers: Int32Array): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Rows never change, so those that were used last are kept. */
function keepRows(read: (row: number) => Uint8Array): (row: number) => Uint8Array {
  const cache = new SizedMap<number, Uint8Array>(MAX_KEPT_BYTES);
  return (row) => {
    const data = cache.get(row) ?? read(row);
    cache.set(row, data, data.length);
    return data;
  };
}
