// Determines the state of a note in the index and on disk, and the reason for it.
import { type Choice, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { type FileKind, fileKindOf, type Match, type NotePath, noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { QuarantineEntry } from '../../contracts/change-set.ts';
import type { NoteRecord } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import type { FileEntry, SkippedEntry, VaultListing } from '../../contracts/vault.ts';
import { foldName } from '../../markdown/links/fold.ts';
import type { ReferencePart } from '../../markdown/links/reference.ts';
import { listedCandidates } from '../notes/name-index.ts';
import { readTexts } from '../notes/note-content.ts';
import {
  findIndexed,
  type IndexedReference,
  noteNotFound,
  partOfText,
  REFERENCE_FAILURES,
} from '../notes/note-reference.ts';

/**
 * `indexed` as it is on disk · `changed` since it was indexed · `pending`: not indexed yet · `missing` on disk, still indexed ·
 * `quarantined`: could not be read · `evicted` to the cloud · `ignored` by a rule · `no_note`: an attachment.
 */
export type IndexStatusKind =
  | 'indexed'
  | 'changed'
  | 'pending'
  | 'missing'
  | 'quarantined'
  | 'evicted'
  | 'ignored'
  | 'no_note';

export interface NoteIndexStatus {
  readonly path: NotePath;
  readonly status: IndexStatusKind;
  readonly match?: Match;
  /** The rule that excludes it. */
  readonly rule?: string;
  /** Whether the rule prevents a look at the disk, so that it is unknown whether the file exists. */
  readonly isUnseen?: boolean;
  /** Present if the index knows the file. */
  readonly record?: NoteRecord;
  readonly conflictCopy: boolean;
  /** All quarantine entries of the path. */
  readonly quarantine: readonly QuarantineEntry[];
}

type Sources = Granted<'store' | 'vault'>;
const EVERY_ROW = { limit: 100_000, offset: 0 };
const MAX_CHOICES = 10;
const RULES: Readonly<Record<SkippedEntry['reason'], string>> = {
  symlink: 'a symbolic link is not followed',
  not_a_file: 'it is named like a note but is not a file',
  unlistable_name: 'its name is not valid UTF-8',
};

/** The codes of `indexStatusOf`. */
export const CHECK_FAILURES = [
  ...REFERENCE_FAILURES,
  'NOTE_PART_NOT_FOUND',
  'NOTE_PART_AMBIGUOUS',
] as const satisfies readonly ErrorCode[];

/** @throws CHECK_FAILURES; NOTE_NOT_FOUND only if nothing in the index or on disk matches */
export async function indexStatusOf(
  reference: string,
  sources: Sources,
  context: CallContext,
): Promise<NoteIndexStatus> {
  const { signal } = context;
  const file = await findIndexed(reference, 'note', sources, context);
  const status = await statusOf(file, sources, signal);
  if (status === undefined) throw await noteNotFound(reference, sources, context);
  await requirePart(status.path, (file.located ?? file).part, sources, context);
  return status;
}

/** The part of a note that cannot be read is not looked up. @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS */
async function requirePart(
  path: NotePath,
  part: ReferencePart,
  { vault }: Sources,
  context: CallContext,
): Promise<void> {
  if (part.kind === 'whole') return;
  const text = (await readTexts([path], vault, context, 'written')).get(path);
  if (text !== undefined) await partOfText(path, text, part, 'note', context);
}

/** Undefined if nothing in the index or on disk matches, and no rule excludes the path. */
async function statusOf(
  { located, path, name }: IndexedReference,
  sources: Sources,
  signal: AbortSignal,
): Promise<NoteIndexStatus | undefined> {
  const paths = located === undefined ? [...new Set([name.normalize('NFC') as NotePath, path])] : [located.path];
  const [record] = await sources.store.notes(paths, signal);
  const listing = await sources.vault.listAt(paths, signal);
  const actualPath = record?.path ?? pathIn(listing);
  if (actualPath !== undefined) return statusAt(actualPath, record, located?.match, listing, sources, signal);
  const byName = await findByName(name, sources, signal);
  if (byName !== undefined)
    return statusAt(byName, record, located?.match, await sources.vault.listAt([byName], signal), sources, signal);
  for (const one of paths.toReversed()) {
    const rule = await ruleAgainst(one, sources, signal);
    if (rule !== undefined)
      return { path: one, status: 'ignored', rule, isUnseen: true, conflictCopy: false, quarantine: [] };
  }
  return undefined;
}

function pathIn({ files, skipped, unreadableFolders }: VaultListing): NotePath | undefined {
  const [entry] = [...files, ...skipped, ...unreadableFolders];
  return entry?.path as NotePath | undefined;
}

/** Finds a bare name in any folder. @throws NOTE_AMBIGUOUS */
async function findByName(name: string, { vault }: Sources, signal: AbortSignal): Promise<NotePath | undefined> {
  if (name.includes('/')) return undefined;
  const { files, skipped } = await vault.list(signal);
  const key = foldName(name);
  const isCalled = ({ path }: { readonly path: string }): boolean => foldName(noteName(path)) === key;
  const [only, ...others] = [...files.filter(isNote), ...skipped].filter(isCalled).map(({ path }) => path as NotePath);
  if (only === undefined || others.length === 0) return only;
  const items = [only, ...others].slice(0, MAX_CHOICES).map((path): Choice => ({ value: path, path }));
  const choices = { items, total: others.length + 1, retryWith: 'note' };
  throw new VaultgraphError('NOTE_AMBIGUOUS', { ref: name, ref_kind: 'name' }, { choices });
}

const isNote = ({ kind }: { readonly kind: FileKind }): boolean => kind !== 'attachment';

async function statusAt(
  path: NotePath,
  record: NoteRecord | undefined,
  match: Match | undefined,
  listing: VaultListing,
  sources: Sources,
  signal: AbortSignal,
): Promise<NoteIndexStatus> {
  const file = listing.files.find((one) => one.path === path);
  const skipped = listing.skipped.find((one) => one.path === path);
  const quarantine = (await sources.store.quarantine(EVERY_ROW, signal)).filter((row) => row.path === path);
  const common = {
    path,
    conflictCopy: file?.conflictCopy ?? record?.conflictCopy ?? false,
    quarantine,
    ...(match === undefined || match === 'exact' ? {} : { match }),
    ...(record === undefined ? {} : { record }),
  };
  if (fileKindOf(path) === 'attachment') return { ...common, status: 'no_note' };
  if (file !== undefined) return { ...common, status: statusOfFile(file, record, quarantine) };
  if (skipped !== undefined) return { ...common, status: 'ignored', rule: RULES[skipped.reason] };
  if (listing.unreadableFolders.length > 0) return { ...common, status: 'quarantined' };
  const rule = await ruleAgainst(path, sources, signal);
  return rule === undefined ? { ...common, status: 'missing' } : { ...common, status: 'ignored', rule, isUnseen: true };
}

/** A file that can no longer be read keeps its entry in the index, so it counts as changed. */
function statusOfFile(
  { evicted, sizeBytes, modifiedMs }: FileEntry,
  record: NoteRecord | undefined,
  quarantine: readonly QuarantineEntry[],
): IndexStatusKind {
  if (evicted) return 'evicted';
  if (record?.encoding === 'utf-16') return 'quarantined';
  if (record === undefined || record.hash === null) return quarantine.length > 0 ? 'quarantined' : 'pending';
  return record.sizeBytes === sizeBytes && record.modifiedMs === modifiedMs ? 'indexed' : 'changed';
}

/** The rule by which the vault refuses the path, whether or not there is a file. */
async function ruleAgainst(path: NotePath, { vault }: Sources, signal: AbortSignal): Promise<string | undefined> {
  const { failed } = await vault.read([path], signal);
  const refused = failed.find(({ error }) => error.code === 'PATH_NOT_ALLOWED')?.error.details;
  return refused === undefined ? undefined : (refused as { readonly rule: string }).rule;
}

/** Other notes of the same name, ascending by path. */
export async function namesakesOf(path: NotePath, { store }: Sources, context: ReadContext): Promise<NotePath[]> {
  const candidates = await listedCandidates(path, store, context);
  const others = candidates.filter(({ by, path: other }) => (by === 'name' || by === 'path') && other !== path);
  return others.map(({ path: other }) => other).sort();
}
