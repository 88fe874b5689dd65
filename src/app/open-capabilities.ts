// Opens the providers of a config, measures them, and makes the indexer from them.

import type { BatchResult } from '../base/batch.ts';
import type { Log } from '../base/log.ts';
import { isPdf, type NotePath } from '../base/note.ts';
import { createCompute } from '../compute/offload.ts';
import type { Config } from '../config/config.ts';
import type { Capabilities } from '../contracts/capability.ts';
import type { EmbeddingIdentity } from '../contracts/embedding.ts';
import type { ChangeFeed, StoredFeed } from '../contracts/feed.ts';
import { StoreCache } from '../contracts/session.ts';
import type { Store } from '../contracts/store.ts';
import { type FileContent, type Vault, withReads } from '../contracts/vault.ts';
import type { PastChange } from '../contracts/writer.ts';
import { createIndexer } from '../indexing/indexer.ts';
import { AttachmentSamples } from '../indexing/jobs/attachment-samples.ts';
import { PDF_HEAP_MIB, PdfTexts } from '../indexing/jobs/pdf-texts.ts';
import { VaultMatch } from '../indexing/vault-match.ts';
import type { LoadContext } from '../lifecycle/loader.ts';
import { measuredProviders } from '../lifecycle/provider-health.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import { Recovery, sharedWriter } from '../providers/filesystem/recovery/recovery.ts';
import { ForeignChanges, UnfinishedChanges } from '../providers/filesystem/recovery/unfinished-changes.ts';
import { logFolders } from '../providers/filesystem/writing/logged-change.ts';
import { PastWrites } from '../providers/filesystem/writing/past-writes.ts';
import { viewOf } from './closed-vault.ts';
import { earlierTexts, hiddenBy, historyOf } from './earlier-texts.ts';
import { loadProviders } from './load-providers.ts';

interface Setup {
  readonly config: Config;
  readonly log: Log;
  readonly journal: CallJournal;
  /** The current name of this process in the lease of the index. */
  readonly client: { readonly name: string };
  /** Whether this process is a server. */
  readonly serves: boolean;
}

export type Opened = Awaited<ReturnType<typeof openCapabilities>>;

/** Opens the providers, measures them, and makes the indexer from the vault, the store and the embedding provider. */
export async function openCapabilities({ config, log, journal, client, serves }: Setup) {
  const { count, metrics } = journal;
  const hooks: LoadContext['hooks'] = {
    count,
    // The loader calls these only after it returned, when `indexer` and `store` are set.
    onAnswered: () => indexer.providerAnswered(),
    startPull: (pull, by) => indexer.startPull(pull, by),
    storedIdentity: (signal) => identityOfVectors(store, signal),
  };
  const loaded = await loadProviders(config, { log, serves, hooks });
  const measured = measuredProviders(loaded.capabilities, (name, ms) => metrics.observe('provider_ms', ms, name));
  const provided = { ...loaded.capabilities, ...measured } as Capabilities & { vault: Vault; store: Store };
  const { store, embedding } = provided;
  const foreign = new ForeignChanges(provided.vault, logFolders(config).log);
  const vault = foreign.observed();
  const compute = createCompute();
  // Separate from `compute`, or a call would wait for the batch of notes that is being parsed.
  const indexing = createCompute({ isBackground: true });
  const storeCache = new StoreCache();
  const unfinished = new UnfinishedChanges(logFolders(config).log, viewOf(config));
  const { writeLock: lock } = loaded;
  const writer =
    provided.writer && lock
      ? sharedWriter({ writer: provided.writer, lock, unfinished: () => unfinished.find(), log })
      : provided.writer;
  const recovery = new Recovery({ writer, store, log, unfinished: () => unfinished.find() });
  const { ratio, min_notes: minNotes } = config.index.mass_delete_guard;
  const pdfs = config.index.attachments.includes('pdf')
    ? new PdfTexts(createCompute({ maxHeapMib: PDF_HEAP_MIB, isBackground: true }))
    : undefined;
  const massDelete = { ratio, minNotes };
  const match = new VaultMatch({ vault, store, limits: massDelete });
  const history = historyOf(config, log);
  const indexer = createIndexer({
    vault,
    store,
    compute: indexing,
    log,
    massDelete,
    begin: (signal) => recovery.begin(signal),
    ...(embedding && { embedding }),
    ...(pdfs && { pdfs }),
    ...(history && { history }),
    ...(loaded.feed && { samples: new AttachmentSamples(vault, loaded.feed) }),
    client: () => client.name,
    onTakeover: () => count('lease_takeovers'),
  });
  const past = new PastWrites(logFolders(config), viewOf(config));
  const earlier = earlierTexts({
    history,
    git: vault.earlier,
    changeWithId: past.withId,
    store,
    hides: hiddenBy(config),
  });
  const shownVault = { ...withAttachmentTexts(vault, store), earlier };
  const ownParts = { ...(writer && { writer }), vault: shownVault, indexer };
  const feed = loaded.feed && { ...loaded.feed, ownChanges: changesOfTools(past.since, loaded.feed) };
  const capabilities: Capabilities = Object.freeze({ ...provided, ...ownParts, ...(feed && { feed }) });
  return {
    loaded,
    capabilities,
    vault,
    store,
    embedding,
    writer,
    indexer,
    compute,
    indexing,
    pdfs,
    history,
    storeCache,
    recovery,
    foreign,
    match,
  };
}

/** Those in the change log of this machine have the contents as well, and the time by the clock of the feed. */
function changesOfTools(inLog: ChangeFeed['ownChanges'], feed: StoredFeed): ChangeFeed['ownChanges'] {
  return async (sinceMs, signal) => {
    const local = await inLog(sinceMs, signal);
    const shared = await feed.sharedChanges?.(sinceMs, signal);
    if (shared === undefined) {
      const { movedAt = 0 } = (await feed.state(signal)) ?? {};
      // Before, tools on other machines may have made changes.
      return { ...local, completeSince: Math.max(local.completeSince, movedAt) };
    }
    const byId = new Map(shared.changes.map((past) => [past.change.id, past]));
    for (const { change, contentOf } of local.changes)
      byId.set(change.id, { change: { ...change, time: byId.get(change.id)?.change.time ?? change.time }, contentOf });
    const timeOf = ({ change }: PastChange): number => Date.parse(change.time);
    return { ...shared, changes: [...byId.values()].sort((one, other) => timeOf(other) - timeOf(one)) };
  };
}

/** The model that made the active vectors; undefined if there are none. */
async function identityOfVectors(store: Store, signal: AbortSignal): Promise<EmbeddingIdentity | undefined> {
  const generations = await store.generations(signal);
  return generations.find(({ role, state }) => role === 'main' && state === 'active')?.fingerprint;
}

/** The index decides, and not the config: another process may keep it, with another config. */
function withAttachmentTexts(vault: Vault, store: Store): Vault {
  return withReads(vault, (read) => async (paths, signal) => {
    const pdfs = paths.filter(isPdf);
    if (pdfs.length === 0) return read(paths, signal);
    const texts = await indexedTexts(pdfs, store, signal);
    const others = paths.filter((path) => !texts.has(path));
    const { succeeded, failed } = await read(others, signal);
    const contents = new Map([...texts, ...succeeded.map((one) => [one.id, one] as const)]);
    return { succeeded: paths.flatMap((path) => contents.get(path) ?? []), failed };
  });
}

type ReadFile = BatchResult<FileContent>['succeeded'][number];

/** One after the other, because the text of a book takes some milliseconds. */
async function indexedTexts(
  paths: readonly NotePath[],
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadFile>> {
  const texts = new Map<string, ReadFile>();
  const encoder = new TextEncoder();
  for (const path of new Set(paths)) {
    const [file] = await store.attachmentTexts([path], signal);
    if (file === undefined) continue;
    const { text, sizeBytes, modifiedMs } = file;
    texts.set(path, { id: path, result: { path, bytes: encoder.encode(text), sizeBytes, modifiedMs } });
  }
  return texts;
}
