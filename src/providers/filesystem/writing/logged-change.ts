// One change as a single file of the log: what was meant, and behind it every byte that goes or comes.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Change } from '../../../contracts/writer.ts';
import type { ReadPart } from './file-content.ts';
import type { Slot } from './slot.ts';

/** What is written down before anything in the vault is touched. */
export interface Intent extends Omit<Change, 'state' | 'undoneBy'> {
  readonly slots: readonly Slot[];
  /** Folders that are made for it, the outer ones first. */
  readonly folders: readonly string[];
  /** Folders that go with it if they are empty, the inner ones first. */
  readonly emptied: readonly string[];
}

/** By content hash. */
export type Images = ReadonlyMap<string, Uint8Array>;

export interface LoggedChange {
  readonly intent: Intent;
  /** Where each image begins in the file, and its length. */
  readonly images: Readonly<Record<string, readonly [from: number, length: number]>>;
}

/** What a failure calls the log: its real path is nobody's business. */
export const LOG_OF_CHANGES = 'the log of changes';
/** In front: how long the text is that the bytes follow. */
const LENGTH_DIGITS = 12;

/** The parts of the file, in their order. */
export function writtenDown(intent: Intent, images: Images): readonly Uint8Array[] {
  const places: Record<string, [number, number]> = {};
  let from = 0;
  for (const [hash, bytes] of images) {
    places[hash] = [from, bytes.byteLength];
    from += bytes.byteLength;
  }
  const text = Buffer.from(JSON.stringify({ intent, images: places }));
  return [Buffer.from(String(text.byteLength).padStart(LENGTH_DIGITS, '0')), text, ...images.values()];
}

/** @throws FILE_WRITE_FAILED with EBADMSG for a file that nobody can read any more */
export function readDown(read: ReadPart): LoggedChange {
  const length = Number(read(0, LENGTH_DIGITS).toString());
  const start = LENGTH_DIGITS + length;
  try {
    const { intent, images } = JSON.parse(read(LENGTH_DIGITS, length).toString()) as LoggedChange;
    const places = Object.entries(images).map(([hash, [from, size]]) => [hash, [start + from, size]] as const);
    return { intent, images: Object.fromEntries(places) };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const details = { path: LOG_OF_CHANGES, errno: 'EBADMSG', step: 'read', original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: thrown });
  }
}
