// What a scan found, held against what the index knows: which files are new, gone, moved on in time, or to be read. Pure.
import type { FileState, QuarantineEntry } from '../../contracts/store.ts';
import type { FileEntry, VaultListing } from '../../contracts/vault.ts';

export interface Known {
  readonly files: ReadonlyMap<string, FileState>;
  /** Entries of the phases `list` and `read` by path, `list` before `read`. */
  readonly quarantine: ReadonlyMap<string, QuarantineEntry>;
}

export interface Comparison {
  /** New, of another kind, or with a cloud flag that may have changed. */
  readonly found: readonly FileEntry[];
  readonly removed: readonly FileState[];
  /** Attachments under a new size or time stamp: nobody reads them. */
  readonly touched: readonly FileEntry[];
  /** Notes, canvases and bases whose content may be another than the index holds. */
  readonly toRead: readonly FileEntry[];
  /** Known files of which the scan cannot tell whether they are still there, with the reason. */
  readonly unknown: readonly { readonly file: FileState; readonly errno: string }[];
}

/** @param forced paths to read whatever their size and time say */
export function compareListing(listing: VaultListing, known: Known, forced: ReadonlySet<string>): Comparison {
  const listed = new Set<string>(listing.files.map(({ path }) => path));
  const errnoOf = unknownFolders(listing);
  const missing = [...known.files.values()].filter(({ path }) => !listed.has(path));
  return {
    found: listing.files.filter((file) => isFound(file, known)),
    removed: missing.filter(({ path }) => errnoOf(path) === undefined),
    unknown: missing.flatMap((file) => {
      const errno = errnoOf(file.path);
      return errno === undefined ? [] : [{ file, errno }];
    }),
    touched: listing.files.filter((file) => file.kind === 'attachment' && hasMoved(file, known.files.get(file.path))),
    toRead: listing.files.filter((file) => isToRead(file, known, forced)),
  };
}

function isFound(file: FileEntry, { files, quarantine }: Known): boolean {
  if (files.get(file.path)?.kind !== file.kind) return true;
  const wasLeftOut = quarantine.get(file.path)?.phase === 'list';
  return file.kind !== 'attachment' && file.evicted !== wasLeftOut;
}

/** What could not be read the last time is tried again; what is in the cloud is not read at all. */
function isToRead(file: FileEntry, { files, quarantine }: Known, forced: ReadonlySet<string>): boolean {
  if (file.kind === 'attachment' || file.evicted) return false;
  const state = files.get(file.path);
  if (state === undefined || state.kind !== file.kind || state.hash === null) return true;
  return forced.has(file.path) || quarantine.has(file.path) || hasMoved(file, state);
}

/** The time stamp only hints: a file that is read and has the same hash is the same file. */
function hasMoved(file: FileEntry, state: FileState | undefined): boolean {
  return state !== undefined && (file.sizeBytes !== state.sizeBytes || file.modifiedMs !== state.modifiedMs);
}

/** What an unlisted path is hidden by: a folder that could not be listed, or a stub in the place of the file. */
function unknownFolders({ unreadableFolders, skipped }: VaultListing): (path: string) => string | undefined {
  const stubs = new Set(skipped.filter(({ reason }) => reason === 'evicted_stub').map(({ path }) => path));
  return (path) => {
    if (stubs.has(path)) return 'EVICTED';
    const composed = path.normalize('NFC');
    return unreadableFolders.find((folder) => composed.startsWith(`${folder.path}/`))?.errno;
  };
}

/** The part of the vault, or of what is known of it, that lies at the given paths. */
export function within(paths: ReadonlySet<string>): {
  listing(listing: VaultListing): VaultListing;
  known(known: Known): Known;
} {
  const isIn = ({ path }: { readonly path: string }): boolean => paths.has(path);
  const entriesIn = <T>(entries: ReadonlyMap<string, T>) => new Map([...entries].filter(([path]) => paths.has(path)));
  return {
    listing: ({ files, skipped, unreadableFolders }) => ({
      files: files.filter(isIn),
      skipped: skipped.filter(isIn),
      unreadableFolders,
    }),
    known: ({ files, quarantine }) => ({ files: entriesIn(files), quarantine: entriesIn(quarantine) }),
  };
}
