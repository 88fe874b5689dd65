// Compares a listing of the vault with the index: new, removed, touched and unreadable files, and files to read.
import { VaultgraphError } from '../../base/errors.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { ChangedMs, FileState, QuarantineEntry, QuarantineRow, Sampled } from '../../contracts/change-set.ts';
import type { FileEntry, SkippedEntry, VaultListing } from '../../contracts/vault.ts';

/** What the index knows. */
export interface Known {
  readonly files: ReadonlyMap<string, FileState>;
  /** Entries of the phases `list` and `read` by path; `list` wins. */
  readonly quarantine: ReadonlyMap<string, QuarantineEntry>;
  /** When the last whole scan began; absent before the first. */
  readonly scannedMs?: number;
}

/** Whether the text of a file is indexed: that of every note, canvas and base, and of the attachments that the config names. */
export type HasText = (file: Pick<FileEntry, 'path' | 'kind'>) => boolean;

export const isNote: HasText = ({ kind }) => kind !== 'attachment';

export interface Comparison {
  /** New, of another kind, or with another cloud flag; also files that are removed with their text first. */
  readonly added: readonly (FileEntry & Sampled)[];
  readonly removed: readonly FileState[];
  /** Attachments with another size or time stamp, unless their text is indexed. */
  readonly touched: readonly (FileEntry & Sampled)[];
  /** Files whose text may differ from the index; attachments last, because each takes long. */
  readonly toRead: readonly FileEntry[];
  /** Known files that may or may not exist, with the errno that hides them. */
  readonly unknown: readonly { readonly file: FileState; readonly errno: string }[];
}

/** Files that are looked at before other calls may run. */
export const FILES_PER_STEP = 64;

/** @param forced paths to read whatever their size and time stamp */
export async function compareListing(
  listing: VaultListing,
  known: Known,
  forced: ReadonlySet<string>,
  hasText: HasText = isNote,
): Promise<Comparison> {
  const listed = new Set<string>();
  const entries: FileEntry[] = [];
  const withdrawn: FileEntry[] = [];
  const touched: FileEntry[] = [];
  const notes: FileEntry[] = [];
  const attachments: FileEntry[] = [];
  for (const [at, file] of listing.files.entries()) {
    if (at % FILES_PER_STEP === 0) await letOthersRun();
    listed.add(file.path);
    if (isWithdrawn(file, known, hasText)) withdrawn.push(file);
    else if (isFound(file, known) || isExclusionNew(file, listing, known))
      entries.push(knownExclusion(file, listing, known));
    if (!hasText(file)) {
      if (isTouched(file, known.files.get(file.path))) touched.push(file);
    } else if (isToRead(file, known, forced)) (isNote(file) ? notes : attachments).push(file);
  }
  const { removed, unknown } = await missingFiles(listing, listed, known);
  return {
    added: [...entries, ...withdrawn],
    removed: [...removed, ...withdrawn.flatMap(({ path }) => known.files.get(path) ?? [])],
    unknown,
    touched,
    toRead: [...notes, ...attachments],
  };
}

async function missingFiles(listing: VaultListing, listed: ReadonlySet<string>, known: Known) {
  const errnoOf = hiddenBy(listing);
  const removed: FileState[] = [];
  const unknown: { readonly file: FileState; readonly errno: string }[] = [];
  let seen = 0;
  for (const file of known.files.values()) {
    if (seen++ % FILES_PER_STEP === 0) await letOthersRun();
    if (listed.has(file.path)) continue;
    const errno = errnoOf(file.path);
    if (errno === undefined) removed.push(file);
    else unknown.push({ file, errno });
  }
  return { removed, unknown };
}

/** It is of another kind now; its text was indexed by other rules; or another config has indexed it, or could not read it. */
function isWithdrawn(file: FileEntry, { files, quarantine }: Known, hasText: HasText): boolean {
  const state = files.get(file.path);
  if (state !== undefined && state.kind !== file.kind) return true;
  if (state === undefined || isNote(file)) return false;
  if (hasText(file)) return state.hash === '';
  return state.hash !== null || quarantine.get(file.path)?.phase === 'read';
}

function isFound(file: FileEntry, { files }: Known): boolean {
  const state = files.get(file.path);
  return state?.kind !== file.kind || file.evicted !== (state.evicted === true);
}

function isExclusionNew(file: FileEntry, { settingsFault }: VaultListing, { files }: Known): boolean {
  return settingsFault?.isUnread !== true && (file.excluded === true) !== (files.get(file.path)?.excluded === true);
}

/** While the settings cannot be read, what was excluded stays so. */
function knownExclusion(file: FileEntry, { settingsFault }: VaultListing, { files }: Known): FileEntry {
  const wasExcluded = settingsFault?.isUnread === true && files.get(file.path)?.excluded === true;
  return wasExcluded ? { ...file, excluded: true } : file;
}

/** A file that could not be read last time is retried; a file that is only in the cloud is never read. */
function isToRead(file: FileEntry, known: Known, forced: ReadonlySet<string>): boolean {
  const { files, quarantine } = known;
  if (file.evicted) return false;
  const state = files.get(file.path);
  if (state === undefined || state.kind !== file.kind || !state.hash) return true;
  return forced.has(file.path) || quarantine.has(file.path) || isTouched(file, state) || isChanged(file, state, known);
}

/**
 * A program that restores a file gives it back its size and time, but not the time of its change, which is another one, and may be an
 * earlier one if the clock was set. What another machine has read is changed if it was since the last scan began.
 */
function isChanged({ changedMs }: FileEntry, state: FileState, { scannedMs = 0 }: Known): boolean {
  if (changedMs === undefined) return false;
  return state.changedMs === undefined ? latestMs(changedMs) > scannedMs : changedMs !== state.changedMs;
}

/** The times of files may be behind the clock by a step of it. */
export const CLOCK_STEP_MS = 18;

/** By path, as they are kept. @param listedMs a time of the clock, not later than the files were listed */
export function changeTimes(files: readonly FileEntry[], listedMs: number): ReadonlyMap<string, ChangedMs> {
  const isOver = (changedMs: number): boolean => latestMs(changedMs) + CLOCK_STEP_MS < listedMs;
  return new Map(
    files.flatMap(({ path, changedMs }) =>
      changedMs === undefined ? [] : [[path, isOver(changedMs) ? changedMs : 0] as const],
    ),
  );
}

/** The steps of exFAT and FAT; others are of one second. */
const MAX_STEP_MS = 2_000;

/** When it may have changed at the latest: times of whole seconds may be those of a file system that has no others. */
const latestMs = (changedMs: number): number => Math.floor(changedMs) + (changedMs % 1_000 === 0 ? MAX_STEP_MS : 0);

/** Only a hint: a file with the same hash is unchanged. */
export function isTouched(
  { sizeBytes, modifiedMs, createdMs }: Pick<FileEntry, 'sizeBytes' | 'modifiedMs' | 'createdMs'>,
  state: FileState | undefined,
): boolean {
  if (state === undefined) return false;
  const isAnother = createdMs !== undefined && state.createdMs !== undefined && createdMs !== state.createdMs;
  return isAnother || sizeBytes !== state.sizeBytes || modifiedMs !== state.modifiedMs;
}

/** For an unlisted path the errno of the file, or of a folder above it that could not be listed. */
function hiddenBy({ unreadableFolders }: VaultListing): (path: string) => string | undefined {
  return (path) => {
    const composed = path.normalize('NFC');
    return unreadableFolders.find(({ path }) => composed === path || composed.startsWith(`${path}/`))?.errno;
  };
}

/** A fault of the settings is recorded with a list of the whole vault. */
export function listingWithin({ files, skipped, ...rest }: VaultListing, paths: ReadonlySet<string>): VaultListing {
  const isIn = ({ path }: { readonly path: string }): boolean => paths.has(path);
  const settingsFault = rest.settingsFault && { ...rest.settingsFault, reasons: [] };
  return { files: files.filter(isIn), skipped: skipped.filter(isIn), ...rest, ...(settingsFault && { settingsFault }) };
}

export function knownWithin({ files, quarantine }: Known, paths: ReadonlySet<string>): Known {
  const within = <T>(entries: ReadonlyMap<string, T>) => new Map([...entries].filter(([path]) => paths.has(path)));
  return { files: within(files), quarantine: within(quarantine) };
}

export interface MassDeleteLimits {
  /** Share of the known notes that one scan may remove. */
  readonly ratio: number;
  /** With fewer known notes only an empty vault is suspicious. */
  readonly minNotes: number;
}

/**
 * Tells a vault whose notes were deleted from one of which a part is missing. A note with the same name, size and time elsewhere was
 * moved.
 * @throws MASS_DELETE_BLOCKED
 */
export function checkMassDelete(
  comparison: Comparison,
  listed: readonly FileEntry[],
  known: Known,
  limits: MassDeleteLimits,
): void {
  const missing = missingNotes(comparison);
  if (missing === 0) return;
  const notes = [...known.files.values()].filter(isNote).length;
  const ratio = missing / notes;
  const isEmpty = !listed.some(isNote);
  if (isEmpty || (notes >= limits.minNotes && ratio > limits.ratio))
    throw new VaultgraphError('MASS_DELETE_BLOCKED', { known: notes, missing, ratio });
}

/** How many known notes are neither in their place nor moved. */
export function missingNotes({ added, removed }: Comparison): number {
  if (removed.length === 0) return 0;
  const arrived = new Set(added.filter(isNote).map(moveKey));
  const present = new Set<string>(added.map(({ path }) => path));
  const isMissing = (file: FileState): boolean =>
    isNote(file) && !arrived.has(moveKey(file)) && !present.has(file.path);
  return removed.filter(isMissing).length;
}

function moveKey({ path, sizeBytes, modifiedMs }: FileEntry | FileState): string {
  return `${sizeBytes} ${modifiedMs} ${path.slice(path.lastIndexOf('/') + 1)}`;
}

export interface QuarantineChange {
  readonly quarantined: readonly QuarantineRow[];
  readonly released: readonly string[];
}

/** What the listing had to leave out, and what it no longer leaves out. Only differences, so an unchanged vault costs no write. */
export function quarantineChange(
  listing: VaultListing,
  comparison: Comparison,
  { quarantine }: Known,
  hasText: HasText = isNote,
): QuarantineChange {
  const rows = new Map(listingRows(listing, comparison, hasText).map((row) => [row.path, row]));
  const removed = new Set<string>(comparison.removed.map(({ path }) => path));
  const isOver = ({ path, phase }: QuarantineRow): boolean =>
    !rows.has(path) && (phase === 'list' || removed.has(path));
  return {
    quarantined: [...rows.values()].filter((row) => {
      const before = quarantine.get(row.path);
      return before?.code !== row.code || before.reason !== row.reason;
    }),
    released: [...quarantine.values()].filter(isOver).map(({ path }) => path),
  };
}

function listingRows(listing: VaultListing, { unknown }: Comparison, hasText: HasText): readonly QuarantineRow[] {
  const evicted = listing.files.filter((file) => file.evicted && hasText(file));
  return [
    ...listing.unreadableFolders.map(({ path, errno }) => unreadable(path, errno)),
    ...unknown.map(({ file, errno }) => unreadable(file.path, errno)),
    ...listing.skipped.map(skippedRow),
    ...evicted.map(({ path }) => unreadable(path, 'EVICTED')),
    ...settingsRows(listing),
  ];
}

function settingsRows({ settingsFault }: VaultListing): readonly QuarantineRow[] {
  const { path = '', reasons = [] } = settingsFault ?? {};
  if (reasons.length === 0) return [];
  return [listRow(path, new VaultgraphError('SETTINGS_INVALID', { path, reasons }))];
}

const RULES = {
  symlink: 'a symbolic link is not followed',
  not_a_file: 'it has the name of a note but is not a regular file',
  unlistable_name: 'its name is not valid UTF-8',
} as const;

function skippedRow({ path, reason }: SkippedEntry): QuarantineRow {
  return listRow(path, new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: RULES[reason] }));
}

function unreadable(path: string, errno: string): QuarantineRow {
  return listRow(path, new VaultgraphError('FILE_UNREADABLE', { path, errno }));
}

function listRow(path: string, error: VaultgraphError): QuarantineRow {
  return { path, phase: 'list', code: error.code, reason: error.message };
}
