// A real vault folder, a real SQLite store, real threads and an indexer over them, for the tests of indexing.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createCompute } from '../../src/compute/offload.ts';
import type { Embedding } from '../../src/contracts/embedding.ts';
import type { Indexer, IndexJob, IndexRequest } from '../../src/contracts/indexer.ts';
import type { Store } from '../../src/contracts/store.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import type { Writer } from '../../src/contracts/writer.ts';
import { createIndexer, type OpenIndexer } from '../../src/indexing/indexer.ts';
import { PDF_HEAP_MIB, type PdfLimits, PdfTexts } from '../../src/indexing/jobs/pdf-texts.ts';
import { writerProvider } from '../../src/providers/filesystem/writer-provider.ts';
import { sqliteProvider } from '../../src/providers/sqlite/provider.ts';
import { openVault, type VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { withFreshParts, withKeptParts } from './kept-parts.ts';

export const { signal } = new AbortController();

export interface IndexOptions {
  readonly embedding?: Embedding;
  readonly pullLimitMs?: number;
  /** As of `JobQueueParts`. */
  readonly lateMs?: number;
  readonly begin?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Whether the vault may be written. */
  readonly writes?: boolean;
  readonly exclude?: string[];
  /** Nothing of it was open in a test before. */
  readonly fresh?: boolean;
  /** What happens in the folder right after it was listed. */
  readonly afterList?: (folder: VaultFolder) => void;
  /** Indexes the text of PDFs. */
  readonly pdf?: Partial<PdfLimits>;
}

export interface IndexUnderTest {
  readonly folder: VaultFolder;
  readonly vault: Vault;
  readonly store: Store;
  readonly indexer: OpenIndexer;
  /** Of a vault that may be written. */
  readonly writer?: Writer;
  /** Runs a job to its end. */
  run(request?: IndexRequest): Promise<IndexJob>;
  /** Runs a job and the embed job behind it; gives the latter. */
  embed(request?: IndexRequest): Promise<IndexJob>;
  /** Closes all and leaves the folders. */
  close(): Promise<void>;
}

/** What an index under test is made of besides its jobs: opening it starts threads. */
export interface OpenParts {
  readonly folder: VaultFolder;
  readonly vault: Vault;
  readonly store: Store;
  readonly writer?: Writer;
  close(): Promise<void>;
}

export async function openParts(
  folder: VaultFolder,
  dataFolder: string,
  { writes = false, exclude = [] }: Pick<IndexOptions, 'writes' | 'exclude'>,
): Promise<OpenParts> {
  const context = { vaultRoot: folder.root, dataFolder, stateFolder: join(folder.outside, 'state'), log: () => {} };
  const files = await openVault(folder, exclude, writes ? 'read-write' : 'read-only');
  const config = writerProvider.config.parse({ path: folder.root, access: 'read-write', exclude });
  const written = writes ? await writerProvider.open(config, context, signal) : undefined;
  const opened = await sqliteProvider.open({}, context, signal);
  return {
    folder,
    vault: files.vault,
    store: opened.capability,
    ...(written && { writer: written.capability }),
    close: async () => void (await Promise.all([files.close(), opened.close(), written?.close()])),
  };
}

export async function openIndex(
  folder: VaultFolder,
  dataFolder = join(folder.outside, 'data'),
  options: IndexOptions = {},
): Promise<IndexUnderTest> {
  const parts = await openParts(folder, dataFolder, options);
  const under = indexOver(parts, options);
  const close = async (): Promise<void> => {
    await under.close();
    await parts.close();
  };
  return { ...under, close };
}

/** An indexer over what is open; to close it leaves that open. */
function indexOver(
  { folder, vault: files, store: kept, writer }: OpenParts,
  { embedding, pullLimitMs = 60_000, lateMs, begin, pdf, afterList }: IndexOptions = {},
): IndexUnderTest {
  const compute = createCompute();
  const list: Vault['list'] = async (...given) => {
    const listing = await files.list(...given);
    afterList?.(folder);
    return listing;
  };
  // Objects of their own, because caches know a vault and a store by theirs.
  const vault = { ...files, list: afterList === undefined ? files.list : list };
  const store = { ...kept };
  const pdfs = pdf && new PdfTexts(createCompute({ maxHeapMib: PDF_HEAP_MIB }), pdf);
  const more = {
    ...(lateMs && { lateMs }),
    ...(embedding && { embedding }),
    ...(begin && { begin }),
    ...(pdfs && { pdfs }),
  };
  const indexer = createIndexer({ vault, store, compute, log: () => {}, pullLimitMs, ...more });
  const run = async (request: IndexRequest = { kind: 'catch_up' }): Promise<IndexJob> =>
    indexer.ended((await indexer.start(request)).id, signal);
  return {
    folder,
    vault,
    store,
    indexer,
    ...(writer && { writer }),
    run,
    embed: async (request) => {
      const before = await run(request);
      assert.equal(before.state, 'succeeded', String(before.error));
      return embedEnded(indexer);
    },
    close: async () => {
      await indexer.close();
      await Promise.all([compute.close(), pdfs?.close()]);
    },
  };
}

/** The newest embed job, once it ended. */
export async function embedEnded(indexer: Indexer): Promise<IndexJob> {
  const job = indexer.jobs().find(({ kind }) => kind === 'embed');
  assert.ok(job, 'there is an embed job');
  return indexer.ended(job.id, signal);
}

/** Gives an empty folder and an index over it; unless they are fresh, they may have held the notes of another test. */
export async function withIndex(
  check: (under: IndexUnderTest) => Promise<void>,
  options: IndexOptions = {},
): Promise<void> {
  const withParts = options.fresh === true ? withFreshParts : withKeptParts;
  await withParts(async (parts) => {
    const under = indexOver(parts, options);
    try {
      await check(under);
    } finally {
      await under.close();
    }
  }, options);
}

/** Everything an index answers from, but for when and how often it was written. */
export async function contentOf(store: Store): Promise<unknown> {
  const page = { limit: 100_000, offset: 0 };
  // When a file was read is no content.
  const states = await store.fileStates(signal);
  const files = states.map(({ changedMs: _changedMs, createdMs: _createdMs, ...file }) => file);
  const paths = files.map(({ path }) => path);
  const { revision: _revision, scannedAt: _scannedAt, ...counts } = await store.counts(signal);
  const quarantine = await store.quarantine(page, signal);
  const { revision: _graphRevision, ...graph } = await store.graph(signal);
  return {
    files,
    counts,
    graph,
    notes: await store.notes(paths, signal),
    links: await Promise.all(paths.map((path) => store.links(path, 'out', page, signal))),
    unresolved: await store.unresolved({}, 1000, page, signal),
    tags: await store.listTags(undefined, {}, signal),
    names: await store.names(signal),
    quarantine: quarantine.map(({ attempts: _attempts, first: _first, last: _last, ...row }) => row),
  };
}

/** The content of an index that is built from nothing beside the given one, of the same folder. */
export async function coldRebuild({ folder }: IndexUnderTest): Promise<unknown> {
  const fresh = await openIndex(folder, join(folder.outside, `cold-${performance.now()}`));
  try {
    await fresh.run();
    return await contentOf(fresh.store);
  } finally {
    await fresh.close();
  }
}

/** Paths that full-text search finds for a word. */
export async function found(store: Store, word: string): Promise<readonly string[]> {
  const query = { terms: [{ kind: 'word', text: word }], match: 'all' } as never;
  const { hits } = await store.searchText(query, {}, { limit: 100, offset: 0 }, signal);
  return hits.map(({ path }) => path).toSorted();
}

/** Writes notes with links and tags into seven folders. */
export function fill(folder: VaultFolder, notes: number, from = 0): void {
  for (let n = from; n < from + notes; n += 1)
    folder.put(`area ${n % 7}/Note ${n}.md`, `# Note ${n}\n\n[[Note ${(n * 13) % notes}]] #t${n % 5} word${n}\n`);
}
