// Merges segments of the text index, so that few have to be searched and replaced notes take no space.
import { mergeSegments } from '../../../postings/merge-segments.ts';
import { SegmentPacker } from '../../../postings/segment-packer.ts';
import type { Rows } from '../database/rows.ts';
import { loadSegment, SegmentWriter, type StoredSegment, segmentRow } from './segment-rows.ts';

/** So many segments of one size become one. Each size has as many times the notes of the one below. */
const MERGED = 8;
/** Merged within a change; a larger merge takes longer than a change may, and waits for the end of a scan. */
const MAX_NOTES = 2_048;
/** A segment is merged with those after it only once these have so large a part of its notes, so that few notes are merged often. */
const MIN_SHARE = 0.25;
/** The words of more segments at once would take longer to compare. */
const MAX_MERGED = 16;
/** A segment of so many notes is merged no further: a write that merges a large vault as a whole runs into its time limit. */
const LARGEST = 32_768;
/** So many notes are merged after one scan; the others wait for the next. */
const MAX_MERGED_NOTES = 2 * LARGEST;

interface SegmentSize {
  readonly id: number;
  readonly notes: number;
  readonly firstDoc: number;
  readonly lastDoc: number;
}

/** After a change: merges the newest segments up to a size if enough of them have that size. */
export function mergeSmall(rows: Rows): void {
  let segments = sizes(rows);
  for (let size = 1; size * MERGED <= MAX_NOTES; size *= MERGED) {
    const newest = newestBelow(size * MERGED, segments);
    const isDue = newest.filter(({ notes }) => notes >= size).length >= MERGED;
    if (!isDue || noteCount(newest) > MAX_NOTES) continue;
    merge(rows, newest);
    segments = sizes(rows);
  }
  const newest = newestBelow(LARGEST, segments);
  if (noteCount(newest) >= LARGEST) mergeToOne(rows, newest);
}

/** After a scan: leaves few segments, and none of which most notes have been replaced. */
export function mergeAll(rows: Rows): void {
  let left = MAX_MERGED_NOTES;
  for (const run of runsIn(worthMerging(newestBelow(LARGEST, sizes(rows))))) {
    if (left > 0) mergeToOne(rows, run);
    left -= noteCount(run);
  }
  const dead = deadDocs(rows);
  for (const one of sizes(rows)) {
    const count = dead.filter((doc) => doc >= one.firstDoc && doc <= one.lastDoc).length;
    if (count * 2 <= one.notes || left <= 0) continue;
    merge(rows, [one]);
    left -= one.notes - count;
  }
}

/** Neighbours that become one segment each. */
function runsIn(segments: readonly SegmentSize[]): SegmentSize[][] {
  const runs: SegmentSize[][] = [];
  for (const segment of segments) {
    const last = runs.at(-1);
    if (last === undefined || noteCount(last) >= LARGEST) runs.push([segment]);
    else last.push(segment);
  }
  return runs;
}

/** @param run neighbours, in their order */
function mergeToOne(rows: Rows, run: readonly SegmentSize[]): void {
  const [first, last] = [run[0]?.firstDoc ?? 0, run.at(-1)?.lastDoc ?? 0];
  let segments = run;
  while (segments.length > 1) {
    for (let at = 0; at < segments.length; at += MAX_MERGED) merge(rows, segments.slice(at, at + MAX_MERGED));
    segments = sizes(rows).filter(({ firstDoc, lastDoc }) => firstDoc >= first && lastDoc <= last);
  }
}

/** The segments after the last one that has so many notes. */
function newestBelow(count: number, segments: readonly SegmentSize[]): readonly SegmentSize[] {
  return segments.slice(segments.findLastIndex(({ notes }) => notes >= count) + 1);
}

/** From the newest back to the first one that is too large for what was added since. */
function worthMerging(segments: readonly SegmentSize[]): SegmentSize[] {
  const isTooLarge = ({ notes }: SegmentSize, at: number): boolean => {
    return at < segments.length - 1 && noteCount(segments.slice(at + 1)) < notes * MIN_SHARE;
  };
  return segments.slice(segments.findLastIndex(isTooLarge) + 1);
}

/** The numbers of notes grow, so the segments are in the order in which their notes were written. */
function sizes(rows: Rows): SegmentSize[] {
  return rows.all<SegmentSize>(
    'SELECT id, note_count AS notes, first_doc AS firstDoc, last_doc AS lastDoc FROM text_segments ORDER BY first_doc',
  );
}

function deadDocs(rows: Rows): number[] {
  return rows.checked<{ doc: number }>('SELECT * FROM text_dead').map(({ doc }) => doc);
}

function noteCount(segments: readonly SegmentSize[]): number {
  return segments.reduce((sum, { notes }) => sum + notes, 0);
}

/** @param segments neighbours, in their order */
function merge(rows: Rows, segments: readonly SegmentSize[]): void {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return;
  const stored = segments.map(({ id }) => loadSegment(rows, id, (row) => segmentRow(rows, row)));
  const { toMerge, ...notes } = livingNotes(stored, new Set(deadDocs(rows)));
  if (notes.docs.length > 0) {
    const writer = new SegmentWriter(rows);
    const packer = new SegmentPacker((row) => writer.row(row));
    mergeSegments(toMerge, packer);
    writer.end(notes, packer.finish());
  }
  rows.run('DELETE FROM text_dead WHERE doc BETWEEN ? AND ?', first.firstDoc, last.lastDoc);
  for (const { id } of segments) deleteSegment(rows, id);
}

/** The notes of the merged segment, and the number of each note in it. */
function livingNotes(stored: readonly StoredSegment[], dead: ReadonlySet<number>) {
  const [docs, files, lengths]: [number[], number[], number[]] = [[], [], []];
  const toMerge = stored.map((one) => {
    const ordinals = Int32Array.from(one.docs, (doc, at) => {
      if (dead.has(doc)) return -1;
      files.push(one.files[at] as number);
      lengths.push(one.lengths[at] as number);
      return docs.push(doc) - 1;
    });
    return { segment: one.segment, ordinals };
  });
  return { toMerge, docs: Int32Array.from(docs), files: Int32Array.from(files), lengths: Int32Array.from(lengths) };
}

function deleteSegment(rows: Rows, id: number): void {
  const firstRow = 'SELECT first_row FROM text_segments WHERE id = ?';
  const next = 'SELECT first_row + row_count FROM text_segments WHERE id = ?';
  rows.run(`DELETE FROM text_rows WHERE id >= (${firstRow}) AND id < (${next})`, id, id);
  rows.run('DELETE FROM text_segments WHERE id = ?', id);
}
