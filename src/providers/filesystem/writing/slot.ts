// One path of a change, with its content before and after, so that the change can be rolled forward or back at any point.
import { VaultgraphError } from '../../../base/errors.ts';
import { hashOf, NOT_A_FILE, type Ownership } from './file-content.ts';
import type { FolderHandle } from './folder-handle.ts';
import type { Place } from './place.ts';
import type { VaultRoot } from './vault-root.ts';

/** Stored in the change log. Hashes are of the content; null means that no file is there. */
export interface Slot {
  /** The vault path. */
  readonly path: string;
  readonly place: Place;
  readonly before: string | null;
  readonly after: string | null;
  /** The attributes of a file that is created here. */
  readonly owned?: Ownership;
  /** For a move, the place at its other end. */
  readonly partner?: Place;
  /** Whether a move keeps the file itself, with its times, instead of copying its bytes. */
  readonly isCarried?: boolean;
  /** The old name, if only the spelling of the name changes and the system takes both for one; both hashes are then the same. */
  readonly respelled?: string;
}

export type Side = 'before' | 'after';

/** A file that has no name any more, as it was when it was compared last. */
export interface ReplacedFile {
  readonly descriptor: number;
  readonly size: number;
  readonly modifiedNs: bigint;
  readonly hash: string;
  /** Where its text continues, and the content that the change left there; null if it was removed. */
  readonly place: Place;
  readonly expected: string | null;
}

/** What is needed to bring one slot to a side. */
export interface SlotContext {
  readonly vault: VaultRoot;
  /** The name, in the slot's folder, of the complete new content. */
  readonly temporary: string;
  /** The name of the old file, kept until it is certain that no process wrote to it meanwhile. */
  readonly backup: string;
  /** The name of the marker for a place that was reserved with an empty file. */
  readonly reservation: string;
  readonly bytesOf: (hash: string) => Uint8Array;
  /** Whether the file here may be the last copy of a text, so that it must not be removed. */
  readonly mustKeep: boolean;
  /** Takes over an open file that a change has replaced; without it such files are closed. */
  readonly onReplaced?: ((file: ReplacedFile) => void) | undefined;
}

/** The hash on the other side. */
export const oppositeHash = (slot: Slot, side: Side): string | null => (side === 'after' ? slot.before : slot.after);

export function hashAt(
  slot: Slot,
  name: string,
  folder: FolderHandle | undefined,
  context: SlotContext,
): string | null {
  if (folder === undefined) return null;
  return hashOf(context.vault.disk, folder.at(name), slot.path, context.vault.heartbeat);
}

/** The error for a path that has the content `actual` instead of `expected`. */
export function conflict(path: string, expected: string | null, actual: string | null): VaultgraphError {
  if (actual === NOT_A_FILE) return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'it is not a regular file' });
  if (expected === null && actual !== null) return new VaultgraphError('NOTE_EXISTS', { path, etag: actual });
  const ifMatch = expected === null ? {} : { if_match: expected };
  return new VaultgraphError('WRITE_CONFLICT', {
    path,
    ...ifMatch,
    ...(actual === null ? {} : { current_etag: actual }),
  });
}

/** Whether another program's change is in the way, and not a failure of the system. */
export function isConflict(thrown: unknown): thrown is VaultgraphError {
  return (
    thrown instanceof VaultgraphError && ['WRITE_CONFLICT', 'NOTE_EXISTS', 'PATH_NOT_ALLOWED'].includes(thrown.code)
  );
}
