// What commands see of a vault without opening its providers: changes, and which paths are shown.
import { basename } from 'node:path';
import { NEVER } from '../base/async/waits.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../contracts/store.ts';
import { EVERYTHING, type Vault, type VaultListing } from '../contracts/vault.ts';
import type { Change } from '../contracts/writer.ts';
import { VaultMatch } from '../indexing/vault-match.ts';
import { foreignIn, foreignText, UnfinishedChanges } from '../providers/filesystem/recovery/unfinished-changes.ts';
import { createView, type View } from '../providers/filesystem/view-globs.ts';
import {
  checkLog,
  type LogCheck,
  pastChanges,
  setAsideDamaged,
} from '../providers/filesystem/writing/inverse-change.ts';
import { logFolders } from '../providers/filesystem/writing/logged-change.ts';
import { parseScratchName } from '../providers/filesystem/writing/scratch-names.ts';
import { pastDiff } from '../tools/write/past-diff.ts';

export { unreadMarks } from '../tools/diagnose/unread-marks.ts';

/** Undefined for the whole vault. */
export function viewOf({ viewId, vault }: Config): View | undefined {
  return viewId === undefined ? undefined : createView({ read: vault.read, write: EVERYTHING });
}

/** What tools changed in the vault, newest first, each with its diff. Opens no provider, and changes nothing on disk. */
export function changesIn(config: Config, limit: number): readonly { readonly change: Change; diff(): string }[] {
  return pastChanges(logFolders(config), limit, viewOf(config)).map((past) => ({
    change: past.change,
    diff: () => pastDiff(past),
  }));
}

/** Ids of the changes of the vault that are being written, or were interrupted. Opens no provider, and changes nothing on disk. */
export async function unfinishedChanges(config: Config): Promise<readonly string[]> {
  return (await new UnfinishedChanges(logFolders(config).log).find()).map(({ id }) => id);
}

/** Whether each change in the log of the vault can be undone. Opens no provider, and changes nothing on disk. @throws FILE_UNREADABLE */
export function loggedChanges(config: Config): LogCheck {
  return checkLog(logFolders(config));
}

/** Takes the interrupted changes whose log is damaged out of it. @throws FILE_UNREADABLE */
export function setAsideChanges(config: Config): LogCheck['damages'] {
  return setAsideDamaged(logFolders(config));
}

/** The temporary files, in a listing of the vault, of changes that another state folder has the log of; and a sentence about them. */
export function foreignChanges(config: Config, listing: VaultListing) {
  const foreign = foreignIn(listing, logFolders(config).log);
  const files = foreign.flatMap((change) => change.files);
  return {
    text: foreignText(foreign),
    files: files.map((path) => ({ path, kind: parseScratchName(basename(path))?.kind })),
  };
}

/** Whether clients may see a file of the vault at this path, if there is one. */
export function showsPath(config: Config, path: string): boolean {
  return viewOf(config)?.shows(path) ?? true;
}

/** @throws MASS_DELETE_BLOCKED if the index is of another vault */
export function refuseOtherVault({ index }: Config, vault: Vault, store: Store): Promise<void> {
  const { ratio, min_notes: minNotes } = index.mass_delete_guard;
  return new VaultMatch({ vault, store, limits: { ratio, minNotes } }).check(NEVER);
}
