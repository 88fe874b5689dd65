// Runs one job of the text index from the listing to the last write; it can stop after every step.
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { isPdf, type NotePath } from '../../base/note.ts';
import { errorOf } from '../../base/outcome.ts';
import { keepHeapsSmall } from '../../base/system/memory.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type ChangeSet, type FileState, NO_CHANGES, type QuarantineEntry } from '../../contracts/change-set.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { TextHistory } from '../../contracts/feed.ts';
import type { Store } from '../../contracts/store.ts';
import type { FileContent, FileEntry, Vault, VaultListing } from '../../contracts/vault.ts';
import type { AttachmentSamples } from './attachment-samples.ts';
import {
  CLOCK_STEP_MS,
  type Comparison,
  changeTimes,
  checkMassDelete,
  compareListing,
  FILES_PER_STEP,
  type HasText,
  isNote,
  type Known,
  knownWithin,
  listingWithin,
  type MassDeleteLimits,
  type QuarantineChange,
  quarantineChange,
} from './comparison.ts';
import { keepTexts, leaveTexts } from './fill-history.ts';
import {
  FIRST_SLICE_FILES,
  MAX_SLICE_BYTES,
  parseSlice,
  type ReadSlice,
  readSlice,
  type SliceResult,
  slicesOf,
} from './index-slice.ts';
import type { JobRecord } from './job-record.ts';
import type { PdfTexts } from './pdf-texts.ts';

export interface JobParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  /** Reads the texts of PDFs; absent if they are not indexed. */
  readonly pdfs?: PdfTexts;
  /** Absent if earlier texts are not kept. */
  readonly history?: TextHistory;
  /** Absent if no feed of changes is kept. */
  readonly samples?: AttachmentSamples;
  /** Whether another job waits for the end of this one. */
  readonly isAwaited: () => boolean;
  readonly massDelete: MassDeleteLimits;
  /** Discards all derived data of the store. */
  readonly reset: (signal: AbortSignal) => Promise<void>;
  /** Called after each commit. */
  readonly onCommit: () => Promise<void>;
}

const ENTRIES_PER_PAGE = 1000;
const READY_POLL_MS = 500;

const NOTHING_KNOWN: Known = { files: new Map(), quarantine: new Map() };

/**
 * Adds all new files and removes all deleted ones first, so that links resolve at once; contents follow in slices.
 * @param first notes that were indexed before, for the same job; those that changed too recently are read again
 * @returns the paths that are left to another job: files that vanished after they were listed, and attachments, which take long, if others wait
 * @throws VAULT_UNAVAILABLE, MASS_DELETE_BLOCKED before anything was changed; the store's errors; the job's own abort
 */
export async function runJob(
  job: JobRecord,
  parts: JobParts,
  first: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const { store, reset, onCommit } = parts;
  const begunAt = new Date().toISOString();
  keepHeapsSmall();
  job.enter('listing');
  job.listing = parts.vault.progress;
  const snapshot = await takeSnapshot(job, parts);
  job.listing = undefined;
  job.counts.listed = snapshot.listing.files.length;
  job.enter('comparing');
  const { comparison, quarantine, known } = await compare(job, snapshot, parts);
  const before = first.size - comparison.toRead.filter(({ path }) => first.has(path)).length;
  for (const count of ['changed', 'done', 'indexed'] as const) job.counts[count] += before;
  job.counts.changed += comparison.toRead.length;
  job.counts.removed = comparison.removed.length;
  job.enter('indexing');
  if (job.request.kind === 'rebuild') await reset(job.signal);
  // A new index does not know which notes are gone.
  if (job.request.kind !== 'notes' && known.scannedMs === undefined) parts.history?.doubt();
  const writeFiles = async (): Promise<void> => {
    const left = leaveTexts(parts.history, comparison, known);
    for (const part of partsOf(firstChanges(comparison, quarantine))) {
      await applyIfAny(store, part, job);
      await onCommit();
    }
    await left;
  };
  const { true: notes = [], false: attachments = [] } = Object.groupBy(comparison.toRead, (file) => `${isNote(file)}`);
  const vanished = await indexContents(job, notes, { ...snapshot, known }, parts, writeFiles);
  // Everything that is about notes can be answered from now on.
  if (job.request.kind !== 'notes') await store.completeScan(begunAt, job.signal);
  await onCommit();
  return [...vanished, ...(await indexAttachments(job, attachments, { known, listedMs: snapshot.listedMs }, parts))];
}

/** A job for single files reads at least some of its attachments, so that their jobs come to an end. */
async function indexAttachments(
  job: JobRecord,
  files: readonly FileEntry[],
  before: Omit<Snapshot, 'listing'>,
  parts: JobParts,
): Promise<readonly string[]> {
  const slices = slicesOf(files);
  for (const [at, slice] of slices.entries()) {
    const isStarted = at > 0 || job.request.kind !== 'notes';
    if (isStarted && parts.isAwaited()) return slices.slice(at).flatMap((left) => left.map(({ path }) => path));
    await indexContents(job, slice, before, parts);
  }
  return [];
}

/** What is in the vault and what the index knows, as far as the job needs it; for a few small notes with their contents. */
interface Snapshot {
  readonly listing: VaultListing;
  readonly known: Known;
  readonly contents?: ReadSlice;
  /** By the clock of the system, not later than the files were listed. */
  readonly listedMs: number;
}

/** The clock may be set back meanwhile. */
async function withListedMs<T extends object>(list: () => Promise<T>): Promise<T & Pick<Snapshot, 'listedMs'>> {
  const before = Date.now();
  const result = await list();
  return { ...result, listedMs: Math.min(before, Date.now()) };
}

/** What was changed before a scan is older than a step of the clock when it is listed, so that it need not be read again by the next one. */
const afterClockStep = (signal: AbortSignal): Promise<void> => untilAborted(sleep(CLOCK_STEP_MS + 1), signal);

/** Single notes cost the same in a vault of any size, unless one is missing: only a full listing shows whether others are missing too. */
async function takeSnapshot(job: JobRecord, { vault, store }: JobParts): Promise<Snapshot> {
  const { kind, paths = [] } = job.request;
  await untilReady(store, job.signal);
  if (kind === 'notes') {
    const named = paths as readonly NotePath[];
    const knownThere = store.notes(named, job.signal).then((files) => knownOf(files, store, job.signal));
    const reading = withListedMs(() => vault.listAndRead(named, MAX_SLICE_BYTES, job.signal));
    const [{ listing, contents, listedMs }, known] = await allOrFirstError([reading, knownThere]);
    const listed = new Set<string>(listing.files.map(({ path }) => path));
    const isNoneMissing = [...known.files.keys()].every((path) => listed.has(path));
    if (job.isConfirmed || isNoneMissing) return { listing, known, listedMs, ...(contents && { contents }) };
  }
  const allKnown = store.fileStates(job.signal).then((files) => knownOf(files, store, job.signal));
  const [{ listing, listedMs }, known, { scannedAt }] = await allOrFirstError([
    afterClockStep(job.signal).then(() => withListedMs(async () => ({ listing: await vault.list(job.signal) }))),
    allKnown,
    store.progress(job.signal),
  ]);
  return { listing, listedMs, known: { ...known, ...(scannedAt !== null && { scannedMs: Date.parse(scannedAt) }) } };
}

/** An index on another machine may take longer to copy than a call waits for it. Other failures are met again by the job. */
async function untilReady(store: Store, signal: AbortSignal): Promise<void> {
  while ((await errorOf(store.progress(signal)))?.code === 'NOT_READY')
    await sleep(READY_POLL_MS, undefined, { signal });
}

export async function knownOf(files: readonly FileState[], store: Store, signal: AbortSignal): Promise<Known> {
  const entries = (await allQuarantined(store, signal)).filter(({ phase }) => phase !== 'parse');
  const listLast = entries.toSorted((left, right) => Number(left.phase === 'list') - Number(right.phase === 'list'));
  const byPath = new Map<string, FileState>();
  for (const file of files) {
    if (byPath.size % FILES_PER_STEP === 0) await letOthersRun();
    byPath.set(file.path, file);
  }
  return {
    files: byPath,
    quarantine: new Map(listLast.map((entry) => [entry.path, entry])),
  };
}

async function allQuarantined(store: Store, signal: AbortSignal): Promise<readonly QuarantineEntry[]> {
  const entries: QuarantineEntry[] = [];
  for (;;) {
    const page = await store.quarantine({ limit: ENTRIES_PER_PAGE, offset: entries.length }, signal);
    entries.push(...page);
    if (page.length < ENTRIES_PER_PAGE) return entries;
  }
}

/** A rebuild treats every file as new, but only after the guard has compared the vault with the present index. */
async function compare(job: JobRecord, snapshot: Snapshot, { massDelete, pdfs, samples }: JobParts) {
  const hasText: HasText = (file) => isNote(file) || (pdfs !== undefined && isPdf(file.path));
  const { kind, paths = [], hinted } = job.request;
  const forced = new Set(paths);
  const isPart = kind === 'notes';
  const listing = isPart ? listingWithin(snapshot.listing, forced) : snapshot.listing;
  const indexed = isPart ? knownWithin(snapshot.known, forced) : snapshot.known;
  const difference = await compareListing(listing, indexed, forced, hasText);
  if (!job.isConfirmed) checkMassDelete(difference, snapshot.listing.files, snapshot.known, massDelete);
  const base = kind === 'rebuild' ? NOTHING_KNOWN : indexed;
  const compared = kind === 'rebuild' ? await compareListing(listing, base, forced, hasText) : difference;
  const comparison = (await samples?.into(compared, listing.files, hasText, job.signal)) ?? compared;
  if (isPart && hinted !== true) job.addFailures(missingPaths(paths, listing, base));
  return { comparison, quarantine: quarantineChange(listing, comparison, base, hasText), known: base };
}

/** Requested paths that are neither in the vault nor in the index. */
function missingPaths(paths: readonly string[], { files }: VaultListing, known: Known) {
  const listed = new Set<string>(files.map(({ path }) => path));
  return paths
    .filter((path) => !listed.has(path) && !known.files.has(path))
    .map((id) => ({ id, error: new VaultgraphError('FILE_UNREADABLE', { path: id, errno: 'ENOENT' }) }));
}

/** Sending a set of changes holds this thread, writing it has a time limit, and what is not written is lost if the process ends. */
const MAX_CHANGED_FILES = 1_000;

/**
 * All at once, as a renamed note is new and gone at the same time; a change of a large part of a large vault in several, the first of
 * them small: a process that soon ends again leaves something.
 */
function* partsOf(changes: ChangeSet): Generator<ChangeSet> {
  const { added, touched, removed, quarantined, released } = changes;
  const lists = { added, touched, removed, quarantined, released };
  const count = Object.values(lists).reduce((sum, { length }) => sum + length, 0);
  if (count <= MAX_CHANGED_FILES) return yield changes;
  let size = FIRST_SLICE_FILES;
  for (const [name, list] of Object.entries(lists))
    for (let at = 0; at < list.length; ) {
      yield { ...NO_CHANGES, [name]: list.slice(at, at + size) };
      at += size;
      size = Math.min(2 * size, MAX_CHANGED_FILES);
    }
}

function firstChanges({ added, removed, touched }: Comparison, quarantine: QuarantineChange): ChangeSet {
  return { ...NO_CHANGES, added, removed: removed.map(({ path }) => path), touched, ...quarantine };
}

/**
 * While one slice is written, the next two are parsed and the one after them read; only these four are in memory. A slice that takes long
 * to write does not keep the others from being parsed.
 * @param writeBefore what is written before all of them, while the first are read and parsed
 * @returns the paths of files that vanished after they were listed, unless an earlier job has met that, too
 */
async function indexContents(
  job: JobRecord,
  files: readonly FileEntry[],
  { known, contents, listedMs }: Omit<Snapshot, 'listing'>,
  { vault, store, compute, pdfs, history, onCommit }: JobParts,
  writeBefore: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const vanished: string[] = [];
  const write = async ({ changes, failures, kept }: SliceResult, size: number): Promise<void> => {
    await allOrFirstError([applyIfAny(store, changes, job), kept]);
    job.addFailures(failures);
    vanished.push(...failures.filter(isGone).flatMap(({ id }) => (known.quarantine.has(id) ? [] : [id])));
    job.counts.done += size;
    job.counts.failed += failures.length;
    job.counts.indexed += size - failures.length;
    job.reportProgress();
    await onCommit();
  };
  const slices = slicesOf(files);
  const readNext = (slice: readonly FileEntry[] = []): Promise<ReadSlice> => readSlice(slice, vault, job.signal);
  const writes = new WriteQueue();
  writes.add(writeBefore);
  try {
    let next = contents !== undefined && slices.length === 1 ? contentsOf(files, contents) : await readNext(slices[0]);
    for (const [at, slice] of slices.entries()) {
      const keep = (changed: readonly FileContent[]) => keepTexts(history, changed, slice, known);
      const changedAt = changeTimes(slice, listedMs);
      const parsing = parseSlice(next, known, { compute, pdfs, changedAt, keep }, job.signal);
      const [result, ahead] = await allOrFirstError([parsing, readNext(slices[at + 1]), writes.allButLast()]);
      next = ahead;
      writes.add(() => write(result, slice.length));
    }
  } finally {
    await writes.all();
  }
  return vanished;
}

const isGone = ({ error: { details } }: SliceResult['failures'][number]): boolean =>
  'errno' in details && details.errno === 'ENOENT';

function contentsOf(files: readonly FileEntry[], { succeeded, failed }: ReadSlice): ReadSlice {
  const paths = new Set<string>(files.map(({ path }) => path));
  const isWanted = ({ id }: { readonly id: string }): boolean => paths.has(id);
  return { succeeded: succeeded.filter(isWanted), failed: failed.filter(isWanted) };
}

/** Waits for all of them even if one fails, so that no write is in progress when the job ends. */
async function allOrFirstError<T extends readonly (Promise<unknown> | undefined)[]>(
  works: readonly [...T],
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** What is being written when the job is to end is still written. */
async function applyIfAny(store: Store, changes: ChangeSet, { signal, lateSignal }: JobRecord): Promise<void> {
  signal.throwIfAborted();
  const { parsed: _parsed, words: _words, ...lists } = changes;
  if (Object.values(lists).some(({ length }) => length > 0)) await store.apply(changes, lateSignal);
}

/** After a failure it does no more of them. */
class WriteQueue {
  /** Each resolves to the failure of its write, or of one before. */
  #last: Promise<VaultgraphError | undefined> = Promise.resolve(undefined);
  #beforeLast = this.#last;

  add(write: () => Promise<void>): void {
    this.#beforeLast = this.#last;
    this.#last = this.#last.then((failure) => failure ?? errorOf(write()));
  }

  allButLast(): Promise<void> {
    return orThrow(this.#beforeLast);
  }

  all(): Promise<void> {
    return orThrow(this.#last);
  }
}

async function orThrow(failing: Promise<VaultgraphError | undefined>): Promise<void> {
  const failure = await failing;
  if (failure !== undefined) throw failure;
}
