// One index job from listing to last write. What it commits, it commits in whole steps, so that it may end anywhere.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Compute } from '../../compute/offload.ts';
import { keepHeapsSmall } from '../../compute/small-heaps.ts';
import type { ChangeSet, FileState, QuarantineEntry, Store } from '../../contracts/store.ts';
import type { FileEntry, Vault, VaultListing } from '../../contracts/vault.ts';
import { type Comparison, compareListing, type Known, within } from './comparison.ts';
import { parseSlice, type ReadSlice, readSlice, type SliceResult } from './index-slice.ts';
import type { JobRecord } from './job-record.ts';
import { ledgerChange } from './listing-quarantine.ts';
import { checkMassDelete, type MassDeleteLimits } from './mass-delete-guard.ts';

export interface JobParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly massDelete: MassDeleteLimits;
  /** Has the store forget all that is derived. */
  readonly reset: (signal: AbortSignal) => Promise<void>;
  /** Called behind each step that the store took. */
  readonly onCommit: () => Promise<void>;
}

const ENTRIES_PER_PAGE = 1000;
const NOTHING_KNOWN: Known = { files: new Map(), quarantine: new Map() };

/**
 * All new and gone files are made known first, in one step, so that links find them at once; their content follows in slices.
 * @throws VAULT_UNAVAILABLE, MASS_DELETE_BLOCKED before anything was changed; the store's errors; the job's own abort
 */
export async function runJob(job: JobRecord, parts: JobParts): Promise<void> {
  const { store, reset, onCommit } = parts;
  keepHeapsSmall();
  job.enter('listing');
  const sight = await lookAround(job, parts);
  job.counts.listed = sight.listing.files.length;
  job.enter('comparing');
  const { comparison, ledger, known } = compare(job, sight, parts);
  job.counts.changed = comparison.toRead.length;
  job.counts.removed = comparison.removed.length;
  job.enter('indexing');
  if (job.request.kind === 'rebuild') await reset(job.signal);
  await applyIfAny(store, announcement(comparison, ledger), job.signal);
  await onCommit();
  await indexContents(job, comparison.toRead, known, parts);
  if (job.request.kind !== 'notes') await store.completeScan(new Date().toISOString(), job.signal);
}

/** What is in the vault and what the index knows, as far as the job has to look. */
interface Sight {
  readonly listing: VaultListing;
  readonly all: Known;
}

/** Some notes cost the same in a vault of any size, unless one is gone: whether it was lost with others only the whole tells. */
async function lookAround(job: JobRecord, parts: JobParts): Promise<Sight> {
  const { vault, store } = parts;
  const { kind, paths = [] } = job.request;
  if (kind === 'notes') {
    const named = paths as readonly NotePath[];
    const listing = vault.listAt(named, job.signal);
    const [some, all] = await allOrFirstError([listing, knownAt(named, store, job.signal)]);
    const listed = new Set<string>(some.files.map(({ path }) => path));
    const isThere = (path: string): boolean => listed.has(path);
    if (job.isConfirmed() || [...all.files.keys()].every(isThere)) return { listing: some, all };
  }
  const [listing, all] = await allOrFirstError([vault.list(job.signal), whatIsKnown(store, job.signal)]);
  return { listing, all };
}

/** A rebuild compares with an index that knows nothing, but only once it is sure that the vault is there whole. */
function compare(job: JobRecord, { listing, all }: Sight, { massDelete }: JobParts) {
  const { kind, paths = [] } = job.request;
  const forced = new Set(paths);
  const part =
    kind === 'notes' ? within(forced) : { listing: (whole: VaultListing) => whole, known: (it: Known) => it };
  const inScope = part.listing(listing);
  const before = compareListing(inScope, part.known(all), forced);
  if (!job.isConfirmed()) checkMassDelete(before, listing.files, all, massDelete);
  const known = kind === 'rebuild' ? NOTHING_KNOWN : part.known(all);
  const comparison = kind === 'rebuild' ? compareListing(inScope, known, forced) : before;
  if (kind === 'notes' && job.request.hinted !== true) job.fail(nowhere(paths, inScope, known));
  return { comparison, ledger: ledgerChange(inScope, comparison, known), known };
}

async function whatIsKnown(store: Store, signal: AbortSignal): Promise<Known> {
  return knownOf(await store.fileStates(signal), store, signal);
}

async function knownAt(paths: readonly NotePath[], store: Store, signal: AbortSignal): Promise<Known> {
  return knownOf(await store.notes(paths, signal), store, signal);
}

async function knownOf(files: readonly FileState[], store: Store, signal: AbortSignal): Promise<Known> {
  const ledger = (await wholeLedger(store, signal)).filter(({ phase }) => phase !== 'parse');
  const listLast = ledger.toSorted((left, right) => Number(left.phase === 'list') - Number(right.phase === 'list'));
  return {
    files: new Map(files.map((file) => [file.path, file])),
    quarantine: new Map(listLast.map((entry) => [entry.path, entry])),
  };
}

async function wholeLedger(store: Store, signal: AbortSignal): Promise<readonly QuarantineEntry[]> {
  const entries: QuarantineEntry[] = [];
  for (;;) {
    const page = await store.quarantine({ limit: ENTRIES_PER_PAGE, offset: entries.length }, signal);
    entries.push(...page);
    if (page.length < ENTRIES_PER_PAGE) return entries;
  }
}

/** Paths that were asked for and are neither in the vault nor in the index. */
function nowhere(paths: readonly string[], { files }: VaultListing, known: Known) {
  const listed = new Set<string>(files.map(({ path }) => path));
  return paths
    .filter((path) => !listed.has(path) && !known.files.has(path))
    .map((id) => ({ id, error: new VaultgraphError('FILE_UNREADABLE', { path: id, errno: 'ENOENT' }) }));
}

function announcement(comparison: Comparison, ledger: Pick<ChangeSet, 'quarantined' | 'released'>): ChangeSet {
  return {
    found: comparison.found,
    removed: comparison.removed.map(({ path }) => path),
    touched: comparison.touched.map(({ path, sizeBytes, modifiedMs }) => ({ path, sizeBytes, modifiedMs })),
    indexed: [],
    ...ledger,
  };
}

/** While one slice is written, the next is parsed and the one behind it read; no more than these three are in memory. */
async function indexContents(
  job: JobRecord,
  files: readonly FileEntry[],
  known: Known,
  parts: JobParts,
): Promise<void> {
  const { vault, store, compute, onCommit } = parts;
  const write = async ({ changes, failures }: SliceResult, size: number): Promise<void> => {
    await applyIfAny(store, changes, job.signal);
    job.fail(failures);
    job.counts.done += size;
    job.counts.failed += failures.length;
    job.counts.indexed += size - failures.length;
    job.tell();
    await onCommit();
  };
  const slices = slicesOf(files);
  const read = (slice: readonly FileEntry[] = []): Promise<ReadSlice> => readSlice(slice, vault, job.signal);
  let contents = await read(slices[0]);
  let writing: Promise<void> = Promise.resolve();
  for (const [at, slice] of slices.entries()) {
    const parsing = parseSlice(contents, known, compute, job.signal);
    const [result, ahead] = await allOrFirstError([parsing, read(slices[at + 1]), writing]);
    contents = ahead;
    writing = write(result, slice.length);
  }
  await writing;
}

/** Waits for all also when one fails, so that nothing is still being written when the job ends. */
async function allOrFirstError<T extends readonly Promise<unknown>[]>(
  works: readonly [...T],
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

async function applyIfAny(store: Store, changes: ChangeSet, signal: AbortSignal): Promise<void> {
  if (Object.values(changes).some(({ length }) => length > 0)) await store.apply(changes, signal);
}

const MAX_FILES = 512;
const MAX_BYTES = 2 * 1024 * 1024;

/** In the given order; a slice above the byte limit holds one file. */
export function slicesOf<F extends { readonly sizeBytes: number }>(files: readonly F[]): readonly (readonly F[])[] {
  const slices: F[][] = [];
  let current: F[] = [];
  let bytes = 0;
  for (const file of files) {
    if (current.length === MAX_FILES || (current.length > 0 && bytes + file.sizeBytes > MAX_BYTES)) {
      slices.push(current);
      current = [];
      bytes = 0;
    }
    current.push(file);
    bytes += file.sizeBytes;
  }
  return current.length > 0 ? [...slices, current] : slices;
}
