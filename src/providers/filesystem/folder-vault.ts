// The vault contract on top of the file threads.

import { SizedMap } from '../../base/async/sized-map.ts';
import type { BatchResult } from '../../base/batch.ts';
import { deserializeError } from '../../base/errors/serialized-error.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type {
  FileContent,
  HashedFile,
  HashedTexts,
  SettingsFile,
  SettingsName,
  Vault,
  VaultListing,
} from '../../contracts/vault.ts';
import type {
  AnswerTo,
  FileReadTask,
  FileRequest,
  FileTask,
  FoundFile,
  FoundFiles,
  ReadRow,
  WatchTask,
} from './file-task.ts';
import type { FileThreadPool, FileThreads } from './file-threads.ts';

type Results<Content = FileContent> = Map<string, Content | VaultgraphError>;
type Contents = ReadonlyMap<string, FileContent>;

/** Some milliseconds of work: a search does not wait longer for the thread that reads the notes of an index. */
const FILES_PER_TASK = 64;
const NOTHING_KNOWN: Contents = new Map();
const NO_NUMBERS = new Uint32Array(0);
const NO_TEXTS: HashedTexts = { words: NO_NUMBERS, lines: NO_NUMBERS, first: NO_NUMBERS, ends: NO_NUMBERS };

interface FolderVaultParts {
  readonly view?: Vault['view'];
  readonly kept?: KeptContents;
  /** Gets the stamp of the settings that each listing was made with. */
  readonly settingsStamps?: Set<string>;
}

export function createFolderVault(
  of: Pick<Vault, 'name' | 'access' | 'language' | 'earlier'>,
  threads: FileThreadPool,
  watch: Vault['watch'],
  { view, kept = new KeptContents(), settingsStamps = new Set() }: FolderVaultParts = {},
): Vault {
  /** The spelling on disk of paths that are not NFC there, from the latest listings. */
  let spellings = new Map<string, string>();
  const readSettings = new Map<SettingsName, { readonly file: SettingsFile; readonly readAt: number }>();

  function noted({ settingsStamp, ...listing }: FoundFiles): FoundFiles {
    if (settingsStamp !== undefined) settingsStamps.add(settingsStamp);
    return listing;
  }

  async function list(signal: AbortSignal): Promise<VaultListing> {
    const listing = noted((await runTask(threads, { kind: 'list' }, signal)).listing);
    spellings = spellingsIn(listing);
    return spellings.size === 0 ? listing : { ...listing, files: listing.files.map(withoutSpelling) };
  }

  const listSome: Vault['listSome'] = async (notes, except, signal) => {
    const listing = noted((await runTask(threads, { kind: 'list', some: { notes, except } }, signal)).listing);
    for (const [path, onDisk] of spellingsIn(listing)) spellings.set(path, onDisk);
    return readablePaths(listing.files);
  };

  async function listAt(paths: readonly NotePath[], signal: AbortSignal): Promise<VaultListing> {
    const { listing } = await runTask(threads, { kind: 'list', paths }, signal);
    return listingAt(paths, listing);
  }

  /** If a file hangs, only the listing is repeated, so that `read` finds out which file it is. */
  const listAndRead: Vault['listAndRead'] = async (paths, maxBytes, signal) => {
    const outcome = await threads.run({ kind: 'list', paths, maxBytes }, signal);
    if (outcome.state === 'stuck') return { listing: await listAt(paths, signal) };
    if (outcome.answer.kind === 'error') throw deserializeError(outcome.answer.error);
    const { listing: all, rows } = outcome.answer as AnswerTo<'list'>;
    const listing = listingAt(paths, all);
    if (rows === undefined) return { listing };
    const readable = readablePaths(listing.files);
    const results: Results = new Map();
    addRows(results, readable, rows, NOTHING_KNOWN);
    return { listing, contents: toBatch(readable, results) };
  };

  function listingAt(paths: readonly NotePath[], all: FoundFiles): VaultListing {
    const listing = noted(all);
    for (const [path, onDisk] of spellingsIn(listing)) spellings.set(path, onDisk);
    const requested = new Set<string>(paths);
    const isWanted = ({ path }: { readonly path: string }): boolean => requested.has(path);
    const files = listing.files.filter(isWanted).map(withoutSpelling);
    return { ...listing, files, skipped: listing.skipped.filter(isWanted) };
  }

  /** @param before contents that are returned again if their files are unchanged */
  async function readUnless(
    before: Contents,
    paths: readonly NotePath[],
    signal: AbortSignal,
    of: Pick<FileRequest, 'isSampled'> = {},
  ): Promise<Results> {
    const results: Results = new Map();
    const requests = requestsOf(paths).map((request): FileRequest => {
      const stamp = before.get(request.path as NotePath)?.stamp;
      return { ...request, ...of, ...(stamp !== undefined && { stamp }) };
    });
    for (let at = 0; at < requests.length; at += FILES_PER_TASK)
      await readInto(results, 'read', requests.slice(at, at + FILES_PER_TASK), before, threads, signal);
    return results;
  }

  const requestsOf = (paths: readonly NotePath[]): readonly FileRequest[] =>
    [...new Set(paths)].map((path) => {
      const onDisk = spellings.get(path);
      return { path, ...(onDisk !== undefined && { onDisk }) };
    });

  const readHashes: Vault['readHashes'] = async (paths, signal) => {
    const results: Results<HashedFile> = new Map();
    const answer = await readInto(results, 'hash', requestsOf(paths), new Map(), threads, signal);
    return { ...toBatch(paths, results), texts: answer?.texts ?? NO_TEXTS };
  };

  const read: Vault['read'] = async (paths, signal) => toBatch(paths, await readUnless(NOTHING_KNOWN, paths, signal));

  const readSamples: Vault['readSamples'] = async (paths, signal) =>
    toBatch(paths, await readUnless(NOTHING_KNOWN, paths, signal, { isSampled: true }));

  const readKept: Vault['readKept'] = async (paths, signal) => {
    // Taken now, because others may push them out meanwhile.
    const results = await readUnless(kept.at(paths), paths, signal);
    for (const result of results.values()) if (!(result instanceof VaultgraphError)) kept.use(result);
    return toBatch(paths, results);
  };

  const settings: Vault['settings'] = async (name, signal, maxAgeMs = 0) => {
    const settings = readSettings.get(name);
    if (settings !== undefined && performance.now() - settings.readAt < maxAgeMs) return settings.file;
    const readAt = performance.now();
    const { file } = await runTask(threads, { kind: 'settings', name }, signal);
    readSettings.set(name, { file, readAt });
    return file;
  };

  return Object.freeze({
    ...of,
    progress: {
      get listed() {
        return threads.listed();
      },
    },
    list,
    listSome,
    listAt,
    listAndRead,
    read,
    readKept,
    readSamples,
    readHashes,
    watch,
    settings,
    ...(view && { view }),
  });
}

/** @throws VAULT_UNAVAILABLE, with ETIMEDOUT when the vault hangs; the signal's reason */
export async function runTask<Kind extends 'list' | 'probe' | 'settings' | WatchTask['kind']>(
  threads: FileThreads,
  task: FileTask & { readonly kind: Kind },
  signal: AbortSignal,
): Promise<AnswerTo<Kind>> {
  const outcome = await threads.run(task, signal);
  if (outcome.state === 'stuck') throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  if (outcome.answer.kind === 'error') throw deserializeError(outcome.answer.error);
  return outcome.answer as AnswerTo<Kind>;
}

/**
 * A file that hangs fails alone: the others are requested again from another thread.
 * @returns the answer about the others, if there are any
 */
async function readInto<Content, Kind extends FileReadTask['kind']>(
  results: Results<Content>,
  kind: Kind,
  requests: readonly FileRequest[],
  before: ReadonlyMap<string, Content>,
  threads: FileThreads,
  signal: AbortSignal,
): Promise<AnswerTo<Kind> | undefined> {
  if (requests.length === 0) return undefined;
  const outcome = await threads.run({ kind, files: requests }, signal);
  if (outcome.state === 'stuck') {
    const hanging = requests[outcome.items];
    if (hanging === undefined) throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
    results.set(hanging.path, new VaultgraphError('FILE_UNREADABLE', { path: hanging.path, errno: 'ETIMEDOUT' }));
    const others = requests.filter((request) => request !== hanging);
    return readInto(results, kind, others, before, threads, signal);
  }
  if (outcome.answer.kind === 'error') throw deserializeError(outcome.answer.error);
  const answer = outcome.answer as AnswerTo<FileReadTask['kind']>;
  addRows(
    results,
    requests.map(({ path }) => path),
    answer.rows as readonly ReadRow<Content>[],
    before,
  );
  return answer as AnswerTo<Kind>;
}

/** @param before the contents of files that may be unchanged */
function addRows<Content>(
  results: Results<Content>,
  paths: readonly string[],
  rows: readonly ReadRow<Content>[],
  before: ReadonlyMap<string, Content>,
): void {
  for (const [at, path] of paths.entries()) {
    const row = rows[at];
    const result = row === undefined ? undefined : resultOf(row, before.get(path));
    if (result !== undefined) results.set(path, result);
  }
}

function resultOf<Content>(row: ReadRow<Content>, before: Content | undefined): Content | VaultgraphError | undefined {
  if ('content' in row) return row.content;
  return 'error' in row ? deserializeError(row.error) : before;
}

function toBatch<Content>(paths: readonly NotePath[], results: Results<Content>): BatchResult<Content> {
  const succeeded: { id: string; result: Content }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  for (const id of paths) {
    const result = results.get(id);
    if (result instanceof VaultgraphError) failed.push({ id, error: result });
    else if (result !== undefined) succeeded.push({ id, result });
  }
  return { succeeded, failed };
}

function spellingsIn({ files }: FoundFiles): Map<string, string> {
  return new Map(files.flatMap(({ path, onDisk }) => (onDisk === undefined ? [] : [[path, onDisk]])));
}

const readablePaths = (files: VaultListing['files']): NotePath[] =>
  files.filter(({ kind, evicted }) => kind !== 'attachment' && !evicted).map(({ path }) => path);

function withoutSpelling(listed: FoundFile): VaultListing['files'][number] {
  if (listed.onDisk === undefined) return listed;
  const { onDisk: _onDisk, ...file } = listed;
  return file;
}

/** Some thousand notes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A larger file would push out too many others. */
const MAX_KEPT_FILE_BYTES = 256 * 1024;

export class KeptContents {
  readonly #byPath = new SizedMap<string, FileContent>(MAX_BYTES);

  at(paths: readonly string[]): ReadonlyMap<string, FileContent> {
    return new Map(paths.flatMap((path) => this.#byPath.get(path) ?? []).map((content) => [content.path, content]));
  }

  /** What is without a stamp is not kept. */
  use(content: FileContent): void {
    const { path, bytes, stamp } = content;
    this.#byPath.delete(path);
    if (stamp === undefined || bytes.length > MAX_KEPT_FILE_BYTES) return;
    this.#byPath.set(path, content, bytes.length);
  }

  clear(): void {
    this.#byPath.clear();
  }
}
