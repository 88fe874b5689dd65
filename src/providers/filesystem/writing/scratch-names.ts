// The names of the temporary files of a change, which it makes in the folders of the files that it changes.
import { beganAt } from './logged-change.ts';
import type { SlotContext } from './slot.ts';

export function scratchNames(id: string, number: number): Pick<SlotContext, 'temporary' | 'backup' | 'reservation'> {
  const stem = `.vaultgraph-${id}-${number}`;
  return { temporary: `${stem}.tmp`, backup: `${stem}.old.tmp`, reservation: `${stem}.new.tmp` };
}

/** Captures the change, and what the file is, from the names above. */
const SCRATCH = /^\.vaultgraph-(chg_[0-9a-z]{9}_[0-9a-f]{6})-\d+(\.old|\.new)?\.tmp$/;

type ScratchKind = 'new text' | 'old text' | 'marker';

/** Undefined for a name that no change makes. */
export function parseScratchName(name: string): { readonly change: string; readonly kind: ScratchKind } | undefined {
  const [, change, middle] = SCRATCH.exec(name) ?? [];
  if (change === undefined) return undefined;
  return { change, kind: middle === undefined ? 'new text' : middle === '.old' ? 'old text' : 'marker' };
}

const BACKUP = /^\.vaultgraph-(chg_[0-9a-z]+_[0-9a-f]+)-\d+\.old\.tmp$/;
/** A file is replaced within milliseconds; an older backup is from a writer that was killed. */
const MAX_BACKUP_MS = 60_000;

/** Whether this is the name of a backup that some writer made within the last minute, by its own clock. */
export function isRecentBackup(name: string, now: number): boolean {
  const [, id] = BACKUP.exec(name) ?? [];
  return id !== undefined && Math.abs(now - beganAt(id)) < MAX_BACKUP_MS;
}
