// The composition root: config -> providers -> capabilities -> tools.
import { homedir } from 'node:os';
import { quoted, VaultgraphError } from './base/errors.ts';
import type { Log } from './base/log.ts';
import { NEVER } from './base/until-aborted.ts';
import { VERSION } from './base/version.ts';
import { createCompute } from './compute/offload.ts';
import type { Capabilities, CapabilityName } from './contracts/capability.ts';
import type { EmbeddingIdentity } from './contracts/embedding.ts';
import type { GraphPicture } from './contracts/graph-picture.ts';
import type { Indexer } from './contracts/indexer.ts';
import { isMultilingual } from './contracts/multilingual-models.ts';
import type { ProvidedCapability } from './contracts/provider.ts';
import { StoreCache } from './contracts/session.ts';
import type { Store } from './contracts/store.ts';
import type { StoredIndex } from './contracts/stored-index.ts';
import type { ServerReport } from './contracts/tool.ts';
import { EVERYTHING, type Vault } from './contracts/vault.ts';
import type { Change, Writer } from './contracts/writer.ts';
import { methodCatalog, promptCatalog, toolCatalogFor } from './features/catalog.ts';
import { graphPicture } from './features/links/graph-picture.ts';
import { type ExportedNote, exportedNotes } from './features/notes/exported-notes.ts';
import { updateNames } from './features/notes/name-index.ts';
import { createNoteSigns } from './features/resources/note-signs.ts';
import { pastDiff } from './features/write/past-diff.ts';
import { createWriteSession } from './features/write/write-session.ts';
import { createIndexer } from './indexing/indexer.ts';
import { PDF_HEAP_MIB, PdfTexts } from './indexing/jobs/pdf-texts.ts';
import { withAttachmentTexts } from './lifecycle/attachment-texts.ts';
import { type Config, readSources, vaultSetting } from './lifecycle/config/config.ts';
import type { ConfigSources } from './lifecycle/config/config-sources.ts';
import { readableGlobs } from './lifecycle/config/provider-sections.ts';
import { isSwitchedOn } from './lifecycle/config/server-settings.ts';
import { readVaultConfigs, type VaultConfigs } from './lifecycle/config/vault-configs.ts';
import { readViewConfigs } from './lifecycle/config/view-configs.ts';
import { lastCrash } from './lifecycle/crash-file.ts';
import { IdleRelease } from './lifecycle/idle-release.ts';
import { type LoadContext, load } from './lifecycle/loader.ts';
import {
  breakerStates,
  createOtherHealth,
  measuredProviders,
  presentCapabilities,
  verifyProviders,
} from './lifecycle/provider-health.ts';
import { Recovery } from './lifecycle/recovery.ts';
import { checkStateFolder } from './lifecycle/state-folder.ts';
import { type CallJournal, createCallJournal } from './mcp/dispatch/call-journal.ts';
import { createDispatch, createRun, type Dispatch, type Host } from './mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from './mcp/dispatch/expose.ts';
import type { Metrics } from './mcp/metrics/registry.ts';
import { createPathMask } from './mcp/render/safe-text.ts';
import type { OpenVault } from './mcp/vaults/member.ts';
import type { ServerFeatures } from './mcp/wire/method.ts';
import { offeredPrompts } from './mcp/wire/prompt-methods.ts';
import { createServerFeatures } from './mcp/wire/server-features.ts';

export { measureFit } from './indexing/embed/measure-fit.ts';
export { checkModel, LOCAL_MODEL_FILES } from './providers/model2vec/check-model.ts';
export { storeAsInt8 } from './providers/model2vec/int8-table.ts';

import { providerCatalog } from './providers/catalog.ts';
import { createView, type View } from './providers/filesystem/view-globs.ts';
import { logFolders } from './providers/filesystem/writing/logged-change.ts';
import { pastChanges } from './providers/filesystem/writing/past-changes.ts';
import { UnfinishedChanges } from './providers/filesystem/writing/unfinished-changes.ts';

export interface GraphCore {
  readonly config: Config;
  readonly exposed: Exposed;
  readonly journal: CallJournal;
  readonly vault: Vault;
  readonly store: Store;
  readonly indexer: Indexer;
  /** Only for a read-write vault. */
  readonly writer: Writer | undefined;
  readonly call: Dispatch;
  /** The MCP methods for a client. */
  readonly offer: ServerFeatures;
  /** The same for a server of several vaults, which renders and lists by itself. */
  readonly asMember: OpenVault;
  /** If the config asks for it. */
  readonly otherHealth: Host['otherHealth'];
  /** Every indexed note, in ascending order of path. */
  exportedNotes(signal: AbortSignal): AsyncIterable<ExportedNote>;
  /** The graph of all indexed notes, with a layout. @throws the store's errors */
  picture(signal: AbortSignal): Promise<GraphPicture>;
  /** What `status` reports about the server; probes every provider. */
  report(signal: AbortSignal): Promise<ServerReport>;
  /** The capabilities that are not configured, and the config keys that turn them on. */
  readonly absent: ServerReport['capabilities']['absent'];
  /** @throws CONFIG_INVALID with the key and error code of every provider that fails its probe */
  verify(signal: AbortSignal): Promise<void>;
  /** Starts to keep the index up to date, or to follow the process that does. */
  attend(): void;
  /** Sets the name of this process for other processes. */
  nameClient(name: string): void;
  /** Loads the models in the background and logs the result. */
  warmUp(): void;
  /** Absent if the index is ready; until it resolves, calls fail with NOT_READY. Rejects with the reason if it never will be. */
  readonly ready?: Promise<void>;
  /** Ends the index job, then closes the providers in reverse order. */
  close(): Promise<void>;
}

export const TOOL_NAMES = toolCatalogFor({ textOnly: false }).map(({ name }) => name);

/** @throws CONFIG_INVALID with every fault at once, also of the views; CONFIG_MISSING */
export async function readConfigsFrom(sources: ConfigSources): Promise<VaultConfigs> {
  return (await readServedFrom(sources)).vaults;
}

/** The configs of the views, by name: parts of a vault for tokens over HTTP. @throws as `readConfigsFrom` */
export async function readViewsFrom(sources: ConfigSources): Promise<ReadonlyMap<string, Config>> {
  return (await readServedFrom(sources)).views;
}

async function readServedFrom(sources: ConfigSources) {
  const vaults = await readVaultConfigs(sources, providerCatalog, TOOL_NAMES);
  return { vaults, views: await readViewConfigs(await readSources(sources, providerCatalog, TOOL_NAMES), vaults) };
}

/** The config of the only vault. @throws as `readConfigsFrom`; CONFIG_INVALID if there are several and `--vault` names none of them */
export async function readConfigFrom(sources: ConfigSources): Promise<Config> {
  const configs = await readConfigsFrom(sources);
  if ('one' in configs) return configs.one;
  const names = configs.several.map(({ name }) => name);
  const what = `there are several vaults, and this is about one: name it with --vault`;
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [{ file: configs.several[0]?.config.file ?? 'config', what, allowed: names }],
    advice: `Name one of them, such as --vault ${names[0]}.`,
  });
}

/** Undefined for the whole vault. */
function viewOf({ viewId, sections }: Config): View | undefined {
  return viewId === undefined ? undefined : createView({ read: readableGlobs(sections), write: EVERYTHING });
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

/** The models installed at an endpoint, by capability; undefined if no server answers in time. */
export async function installedModels(
  endpoint: string,
  signal: AbortSignal,
): Promise<Readonly<Record<'embedding' | 'llm', readonly string[]>> | undefined> {
  const modelsFor = async (capability: 'embedding' | 'llm'): Promise<readonly string[]> => {
    const listing = providerCatalog.filter((one) => one.capability === capability && one.installed !== undefined);
    return (await Promise.all(listing.map((one) => one.installed?.(endpoint, signal) ?? []))).flat();
  };
  const [found] = await Promise.allSettled([Promise.all([modelsFor('embedding'), modelsFor('llm')])]);
  return found.status === 'fulfilled' ? { embedding: found.value[0], llm: found.value[1] } : undefined;
}

/**
 * Opens the providers that the config names and builds the tools on them. Indexing starts only with `attend`.
 * @param processName the name of this process for other processes, until an MCP client gives its own
 * @param journal continues the counts of an earlier core of the same vault
 * @throws CONFIG_INVALID, STORE_*
 */
export async function openGraphCore(
  config: Config,
  log: Log,
  processName = 'vaultgraph',
  journal = createCallJournal(),
): Promise<GraphCore> {
  const client = { name: processName };
  const opened = await openCapabilities({ config, log, journal, client });
  const { loaded, vault, store, writer, indexer, compute, storeCache, recovery } = opened;
  registerGauges(journal.metrics, opened);
  const exposed = exposeTools(config, opened);
  const absent = absentCapabilities(opened.capabilities, exposed);
  const report = createReport({ config, journal, opened, absent });
  const host = createHost({ config, log, journal, opened, exposed, report });
  const call = createDispatch(host);
  const idle = idleRelease(opened, journal);
  journal.onCall(() => idle.called());
  const close = onceOnly(async () => {
    idle.stop();
    await Promise.all([recovery.close(), indexer.close()]);
    await Promise.all([compute.close(), opened.pdfs?.close()]);
    await loaded.close();
  });
  // A failure to read the vault here is met again, and reported, by the first call.
  const look = async (): Promise<void> => void (await Promise.allSettled([indexer.look()]));
  if (loaded.ready === undefined) await look();
  return Object.freeze({
    ...{ config, exposed, journal, vault, store, indexer, writer, call, report, absent, close },
    offer: createFeatures(host, call, store, config),
    asMember: Object.freeze({
      run: createRun(host),
      runMethod: createRun(methodHost(host)),
      noteSigns: createNoteSigns(store),
    }),
    otherHealth: host.otherHealth,
    nameClient: (name: string) => {
      client.name = name;
    },
    verify: (signal: AbortSignal) => verifyProviders(loaded.providers, signal),
    attend: () => {
      idle.start();
      void warnOfGlobs(vault, log);
      indexer.attend();
      recovery.attend((paths, signal) => indexer.refresh(paths, signal));
    },
    warmUp: loaded.warmUp,
    ...(loaded.ready && { ready: loaded.ready.then(look) }),
    exportedNotes: (signal: AbortSignal) => exportedNotes(store, { signal, storeCache }),
    picture: (signal: AbortSignal) =>
      graphPicture({ vault: config.name ?? vault.name, folder: vault.name }, store, compute, signal),
  });
}

interface Setup {
  readonly config: Config;
  readonly log: Log;
  readonly journal: CallJournal;
  /** The current name of this process in the lease of the index. */
  readonly client: { readonly name: string };
}

type Opened = Awaited<ReturnType<typeof openCapabilities>>;

/** Opens the providers, measures them, and makes the indexer from the vault, the store and the embedding provider. */
async function openCapabilities({ config, log, journal, client }: Setup) {
  const { count, metrics } = journal;
  const hooks: LoadContext['hooks'] = {
    count,
    // The loader calls these only after it returned, when `indexer` and `store` are set.
    onAnswered: () => indexer.providerAnswered(),
    startPull: (pull, by) => indexer.startPull(pull, by),
    storedIdentity: (signal) => identityOfVectors(store, signal),
  };
  const loaded = await loadProviders(config, log, hooks);
  const measured = measuredProviders(loaded.capabilities, (name, ms) => metrics.observe('provider_ms', ms, name));
  const provided = { ...loaded.capabilities, ...measured } as Capabilities & { vault: Vault; store: Store };
  const { vault, store, embedding, writer } = provided;
  const compute = createCompute();
  const storeCache = new StoreCache();
  const unfinished = new UnfinishedChanges(logFolders(config).log, viewOf(config));
  const recovery = new Recovery({ writer, store, log, unfinished: () => unfinished.find() });
  const { ratio, min_notes: minNotes } = config.index.mass_delete_guard;
  const pdfs = config.index.attachments.includes('pdf')
    ? new PdfTexts(createCompute(undefined, PDF_HEAP_MIB))
    : undefined;
  const indexer = createIndexer({
    ...{ vault, store, compute, log, massDelete: { ratio, minNotes }, begin: (signal) => recovery.begin(signal) },
    ...(embedding && { embedding }),
    ...(pdfs && { pdfs }),
    client: () => client.name,
    onTakeover: () => count('lease_takeovers'),
  });
  const capabilities: Capabilities = Object.freeze({ ...provided, vault: withAttachmentTexts(vault, store), indexer });
  return { loaded, capabilities, vault, store, embedding, writer, indexer, compute, pdfs, storeCache, recovery };
}

/** Reads the whole vault, so nothing waits for it; a vault that cannot be read is reported by others. */
async function warnOfGlobs({ view }: Vault, log: Log): Promise<void> {
  const [outcome] = await Promise.allSettled([view?.unmatched(NEVER)]);
  if (outcome.status === 'rejected') return;
  for (const unmatched of outcome.value ?? []) log('warn', 'glob_matches_nothing', { ...unmatched });
}

function idleRelease({ indexer, loaded, vault, storeCache }: Opened, journal: CallJournal): IdleRelease {
  return new IdleRelease({
    activity: () => {
      const { running, embedJob, asOf } = indexer.state();
      return JSON.stringify([journal.activity(), running, embedJob, asOf]);
    },
    release: async () => {
      storeCache.clear(updateNames);
      await loaded.release();
    },
    // Whether the vault is there, the call finds out itself.
    wake: () => void Promise.allSettled([vault.listAt([], NEVER)]),
  });
}

function registerGauges(metrics: Metrics, { indexer, loaded }: Opened): void {
  metrics.gauge('index_pending', () => [[indexer.state().pending]]);
  metrics.gauge('quarantined', () => [[indexer.state().quarantined]]);
  metrics.gauge('breaker_state', () => breakerStates(loaded.providers));
}

function exposeTools(config: Config, { capabilities, embedding }: Opened): Exposed {
  return exposeFor(config, capabilities, embedding !== undefined && isMultilingual(embedding.model));
}

/** The tools that a vault with this config will have; opens nothing. */
export function toolsOf(config: Config): Exposed {
  return exposeFor(config, configuredIn(config), false);
}

/** The optional capabilities that `tools` lack; opens nothing. */
export const absentFrom = (config: Config, tools: Exposed): ServerReport['capabilities']['absent'] =>
  absentCapabilities(configuredIn(config), tools);

function configuredIn({ sections }: Config): Configured {
  const names = sections.map(({ provider }) => [provider.capability, true]);
  return { ...Object.fromEntries(names), indexer: true };
}

/** @param multilingual whether the embedding model is one for many languages; no schema depends on it */
function exposeFor(config: Config, configured: Configured, multilingual: boolean): Exposed {
  const { search, index, tools, vaultTools, vaultKey } = config;
  const catalog = toolCatalogFor({
    textOnly: search.on_embedding_failure === 'text_only',
    mismatched: index.allow_mismatched_query,
    embedding: configured.embedding !== undefined,
    rerank: configured.rerank !== undefined,
    multilingual,
  });
  return expose(catalog.filter(isSwitchedOn(tools, vaultTools)), configured, vaultKey);
}

/**
 * The index that the other store has left on this machine, to be copied to the configured one. The caller closes it.
 * @param type of the other store @throws CONFIG_INVALID if there is none that can be copied; STORE_*
 */
export async function storedIndex(config: Config, type: string, log: Log): Promise<StoredIndex> {
  const { vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, sections } = config;
  const stores = providerCatalog.filter(({ capability }) => capability === 'store');
  const own = sections.find(({ provider }) => provider.capability === 'store')?.provider.type;
  const context = { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log };
  const stored = type === own ? `it is the store of the config` : await storeOf(type, stores)?.stored?.(context);
  if (typeof stored === 'object') return stored;
  const allowed = stores.map((store) => store.type).filter((one) => one !== own);
  const what = `the index of ${quoted(type)} cannot be copied: ${stored ?? 'there is no such store'}`;
  throw new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--from', what, allowed }] });
}

const storeOf = (type: string, stores: typeof providerCatalog) => stores.find((store) => store.type === type);

/** Whether clients may see a file of the vault at this path, if there is one. */
export function showsPath(config: Config, path: string): boolean {
  return viewOf(config)?.shows(path) ?? true;
}

interface ReportParts {
  readonly config: Config;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly absent: GraphCore['absent'];
}

function createReport({ config, journal, opened, absent }: ReportParts): GraphCore['report'] {
  const { loaded, vault, writer, recovery } = opened;
  const startedAt = new Date().toISOString();
  return async (signal) => {
    const timings = journal.timings();
    const crash = lastCrash(config.dataFolder);
    return {
      version: VERSION,
      started_at: startedAt,
      vault: { name: config.name ?? vault.name, access: vault.access },
      ...(writer && { state_folder: await checkStateFolder(config.stateFolder) }),
      capabilities: { present: await presentCapabilities(loaded.providers, signal), absent },
      text_goes_to: loaded.textGoesTo,
      failures: journal.failures(),
      counters: journal.counters(),
      ...(timings.length > 0 && { timings }),
      ...(crash && { last_crash: crash }),
      ...(await recovery.row()),
    };
  };
}

interface HostParts {
  readonly config: Config;
  readonly log: Log;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly exposed: Exposed;
  readonly report: GraphCore['report'];
}

/** Everything that the dispatcher needs. */
function createHost({ config, log, journal, opened, exposed, report }: HostParts): Host {
  const { loaded, capabilities, vault, compute, storeCache, recovery } = opened;
  const { call: callLimitMs, batch, text, image: imageLimit } = config.limits;
  return {
    ...{ exposed, capabilities, compute, storeCache, callLimitMs, imageLimit, report, journal, log },
    argumentLimits: { batch, text },
    writes: createWriteSession(vault.access, loaded.writeLock),
    spansMachines: loaded.writeLock !== undefined,
    isReady: flagFor(loaded.ready),
    unfinished: async () => (await recovery.unfinished()).length,
    freshness: config.search.freshness,
    ...(asksUser(config) && { consentMs: config.consent.timeout }),
    ...(config.errors.include_health ? { otherHealth: createOtherHealth(loaded.providers) } : {}),
    mask: createPathMask([
      { folder: config.vaultRoot, shown: '<vault>' },
      { folder: config.dataFolder, shown: '<data>' },
      { folder: homedir(), shown: '~' },
    ]),
  };
}

const asksUser = (config: Config): boolean => vaultSetting(config, 'consent') === 'ask';

const methodHost = (host: Host): Host => ({ ...host, exposed: expose(methodCatalog, host.capabilities) });

/** The MCP methods: tools, prompts, resources and completions. */
function createFeatures(host: Host, dispatch: Dispatch, store: Store, { mcp }: Config): ServerFeatures {
  const { exposed, callLimitMs, argumentLimits, mask, log } = host;
  return createServerFeatures({
    ...{ exposed, dispatch, callLimitMs, argumentLimits, mask, log },
    prompts: offeredPrompts(promptCatalog, new Set(exposed.tools.keys())),
    ask: createDispatch(methodHost(host)),
    noteSigns: createNoteSigns(store),
    structuredContent: mcp.structured_content,
    outputSchemas: mcp.output_schemas,
  });
}

/** Whether `ready` has resolved, or is absent. */
function flagFor(ready: Promise<void> | undefined): () => boolean {
  let isReady = ready === undefined;
  ready?.then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  return () => isReady;
}

/** Runs `work` at the first call; later calls wait for the same run. */
function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

/** Opens the providers of the config's sections; the caller closes them. */
export function loadProviders(config: Config, log: Log, hooks: LoadContext['hooks']): ReturnType<typeof load> {
  const { sections, vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, retry, breaker } = config;
  const resilience = { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker };
  return load(sections, { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log, resilience, hooks });
}

/** The model that made the active vectors; undefined if there are none. */
async function identityOfVectors(store: Store, signal: AbortSignal): Promise<EmbeddingIdentity | undefined> {
  const generations = await store.generations(signal);
  return generations.find(({ role, state }) => role === 'main' && state === 'active')?.fingerprint;
}

const OPTIONAL: readonly ProvidedCapability[] = ['embedding', 'llm', 'rerank'];

type Configured = Parameters<typeof expose>[1];

/** The optional capabilities that are not configured, and the tools that they would add. */
function absentCapabilities(capabilities: Configured, { absent }: Exposed): ServerReport['capabilities']['absent'] {
  const lacking = (name: CapabilityName): string[] =>
    [...absent.values()].filter((tool) => tool.lacks === name).map((tool) => tool.name);
  return OPTIONAL.filter((name) => capabilities[name] === undefined).map((name) => ({
    capability: name,
    config_key: `providers.${name}`,
    tools: lacking(name),
    types: providerCatalog.filter((provider) => provider.capability === name).map((provider) => provider.type),
  }));
}
