// What a change makes of single paths, each as what is there before and after, so that it can be finished or taken back at any point.
import { VaultgraphError } from '../../../base/errors.ts';
import { hashOf, NOT_PLAIN, type Owned } from './file-content.ts';
import type { FolderHandle } from './folder-handle.ts';
import type { Place } from './place.ts';
import type { Ground } from './vault-root.ts';

/** One path of a change. Hashes are of the content, null where no file is. */
export interface Slot {
  /** As the vault knows it. */
  readonly path: string;
  readonly place: Place;
  readonly before: string | null;
  readonly after: string | null;
  /** Of a file that is written here anew. */
  readonly owned?: Owned;
  /** The other place of what moves within the change. */
  readonly partner?: Place;
  /** Whether the file itself goes from one to the other, its bytes and its times as they are. */
  readonly isCarried?: boolean;
  /** The name the same file has before, where the system takes both for one; both hashes are then its content's. */
  readonly respelled?: string;
}

export type Side = 'before' | 'after';

/** What a slot is settled with. */
export interface Settling {
  readonly ground: Ground;
  /** Names in the slot's folder: what is to come, whole · what was there, until it is sure that nobody wrote in it · a taken place. */
  readonly written: string;
  readonly kept: string;
  readonly claim: string;
  readonly bytesOf: (hash: string) => Uint8Array;
  /** Whether what is here may be the last of a text, so that it must not go. */
  readonly isNeeded: boolean;
}

export function scratchNames(id: string, number: number): Pick<Settling, 'written' | 'kept' | 'claim'> {
  const stem = `.vaultgraph-${id}-${number}`;
  return { written: `${stem}.tmp`, kept: `${stem}.old.tmp`, claim: `${stem}.new.tmp` };
}

export const otherThan = (slot: Slot, side: Side): string | null => (side === 'after' ? slot.before : slot.after);

export function hashAt(slot: Slot, name: string, folder: FolderHandle | undefined, settling: Settling): string | null {
  if (folder === undefined) return null;
  return hashOf(settling.ground.disk, folder.at(name), slot.path, settling.ground.alive);
}

/** What to say where `found` is at a path and `expected` should be. */
export function conflict(path: string, expected: string | null, found: string | null): VaultgraphError {
  if (found === NOT_PLAIN) return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'it is no plain file' });
  if (expected === null && found !== null) return new VaultgraphError('NOTE_EXISTS', { path, etag: found });
  const read = expected === null ? {} : { if_match: expected };
  return new VaultgraphError('WRITE_CONFLICT', { path, ...read, ...(found === null ? {} : { current_etag: found }) });
}

/** Whether somebody else's doing is in the way, and not the system. */
export function isConflict(thrown: unknown): thrown is VaultgraphError {
  return (
    thrown instanceof VaultgraphError && ['WRITE_CONFLICT', 'NOTE_EXISTS', 'PATH_NOT_ALLOWED'].includes(thrown.code)
  );
}
