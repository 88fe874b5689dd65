// The form of the rows of the feed in PostgreSQL: what describes a file or a change is one text with a hash, the lines of a file are bytes with a checksum.
import { packKept } from '../../../base/kept-json.ts';
import type { FeedMeta } from '../../sqlite/feed/feed-file.ts';
import type { GoneRow } from '../../sqlite/feed/record-changes.ts';
import type { ChangeRow } from '../../sqlite/feed/records.ts';
import type { FileSnapshot, SnapshotRow } from '../../sqlite/feed/snapshot.ts';
import { sealBytes, unsealBytes, valueIn } from '../checked-values.ts';
import { keyOf } from '../write/images.ts';

export interface FeedHead extends FeedMeta {
  /** The id of the part of the vault that is listed. */
  readonly scope: string;
  readonly last: number;
  /** `last` when the size was measured. */
  readonly sized: number;
  readonly bytes: number;
  readonly damaged: boolean;
}

/** Whether its last record is missing, as where a table was emptied or restored by itself. */
export const IS_LOST = `(feed.last > feed.forgotten AND NOT EXISTS (SELECT FROM $schema.feed_changes WHERE seq = feed.last))`;

/** A file that is gone, since when, and who linked to it. */
export type FeedGone = GoneRow;

export interface FileColumns {
  readonly path: string;
  readonly is_new: number;
  readonly about: string;
  readonly lines: Buffer | null;
}

export interface GoneColumns {
  readonly path: string;
  readonly seq: number | null;
  readonly at: number;
  readonly about: string;
  readonly lines: Buffer | null;
}

const WHAT = 'the feed of changes';

/** @throws DamagedOriginal, as do the others */
export function fileFrom({ path, is_new, about, lines }: FileColumns): FileSnapshot {
  const row = valueIn<Omit<SnapshotRow, 'lines'>>(about, path, WHAT);
  return { ...row, lines: lines && unsealBytes(lines, path, WHAT), is_new };
}

export function goneFrom({ path, seq, at, about, lines }: GoneColumns): FeedGone {
  const row = valueIn<Omit<GoneRow, 'lines' | 'seq' | 'at'>>(about, path, WHAT);
  return { ...row, lines: lines && unsealBytes(lines, path, WHAT), seq, at };
}

export const changeFrom = ({ seq, at, record }: { seq: number; at: number; record: string }): ChangeRow => ({
  ...valueIn<Omit<ChangeRow, 'seq' | 'at'>>(record, String(seq), WHAT),
  seq,
  at,
});

export function changeImage({ seq, at, ...row }: ChangeRow) {
  const { kind, path, replaces } = row;
  return { seq, at, kind, path, replaces, key: keyOf(path), record: packKept(row, String(seq)) };
}

/** The name of a remembered position: any text, which a text in PostgreSQL is not. */
export const packName = (name: string): string => packKept(name, 'name');
export const nameFrom = (packed: string): string => valueIn<string>(packed, 'name', WHAT);

/** All lines are one value, of which each row takes its part, as the contents of files do. */
function imagesOf<Row extends SnapshotRow>(rows: readonly Row[]) {
  const lines: Buffer[] = [];
  let at = 1;
  const images = rows.map((row) => {
    const { lines: own, ...about } = row;
    const sealed = own === null || own.length === 0 ? undefined : sealBytes(own, row.path);
    const place = { from: at, bytes: sealed?.length ?? 0 };
    if (sealed !== undefined) lines.push(sealed);
    at += place.bytes;
    return { about, place };
  });
  return { images, lines: Buffer.concat(lines) };
}

export function fileImages(files: readonly FileSnapshot[]): [images: string, lines: Buffer] {
  const { images, lines } = imagesOf(files);
  const packed = images.map(({ about: { is_new, ...row }, place }) => {
    const { path, hash, excluded } = row;
    return { key: keyOf(path), path, hash, excluded, is_new, ...place, about: packKept(row, path) };
  });
  return [JSON.stringify(packed), lines];
}

export function goneImages(gone: readonly FeedGone[]): [images: string, lines: Buffer] {
  const { images, lines } = imagesOf(gone);
  const packed = images.map(({ about: { seq, at, ...row }, place }) => {
    const { path } = row;
    return { key: keyOf(path), path, seq, at, ...place, about: packKept(row, path) };
  });
  return [JSON.stringify(packed), lines];
}
