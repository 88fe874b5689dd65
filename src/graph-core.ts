// The composition root: config -> providers -> capabilities -> tools. The one file that sees both the contracts and the vendors.
import { homedir } from 'node:os';
import type { Log } from './base/log.ts';
import { VERSION } from './base/version.ts';
import { createCompute } from './compute/offload.ts';
import type { Capabilities, CapabilityName } from './contracts/capability.ts';
import type { EmbeddingIdentity } from './contracts/embedding.ts';
import type { GraphPicture } from './contracts/graph-picture.ts';
import type { Indexer } from './contracts/indexer.ts';
import type { ProvidedCapability } from './contracts/provider.ts';
import { StoreCache } from './contracts/session.ts';
import type { Store } from './contracts/store.ts';
import type { ServerReport } from './contracts/tool.ts';
import type { Vault } from './contracts/vault.ts';
import type { Writer } from './contracts/writer.ts';
import { methodCatalog, promptCatalog, toolCatalogFor } from './features/catalog.ts';
import { graphPicture } from './features/links/graph-picture.ts';
import { type ExportedNote, exportedNotes } from './features/notes/exported-notes.ts';
import { createNoteSigns } from './features/resources/note-signs.ts';
import { createIndexer } from './indexing/indexer.ts';
import { type Config, readConfig } from './lifecycle/config/config.ts';
import type { ConfigSources } from './lifecycle/config/config-sources.ts';
import { type Crash, lastCrash } from './lifecycle/crash-file.ts';
import { withLimit } from './lifecycle/guard.ts';
import { type LoadContext, load } from './lifecycle/loader.ts';
import {
  breakerStates,
  createOtherHealth,
  measuredProviders,
  presentCapabilities,
  verifyProviders,
} from './lifecycle/provider-health.ts';
import { createRecovery } from './lifecycle/recovery.ts';
import { type CallJournal, createCallJournal } from './mcp/dispatch/call-journal.ts';
import { createDispatch, type Dispatch, type Host } from './mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from './mcp/dispatch/expose.ts';
import type { Metrics } from './mcp/metrics/registry.ts';
import { createPathMask } from './mcp/render/safe-text.ts';
import type { Offer } from './mcp/wire/method.ts';
import { offeredPrompts } from './mcp/wire/prompt-methods.ts';
import { createOffer } from './mcp/wire/server-features.ts';
import { providerCatalog } from './providers/catalog.ts';

export interface GraphCore {
  readonly config: Config;
  readonly exposed: Exposed;
  readonly journal: CallJournal;
  readonly vault: Vault;
  readonly store: Store;
  readonly indexer: Indexer;
  /** Only of a vault that may be written. */
  readonly writer: Writer | undefined;
  readonly call: Dispatch;
  /** Everything a client is offered: the tools, and what is made of them and of the notes. */
  readonly offer: Offer;
  /** Everything the index holds, ascending by path. */
  exportedNotes(signal: AbortSignal): AsyncIterable<ExportedNote>;
  /** The whole graph as it is drawn, or as much of it as is indexed. @throws the store's errors */
  picture(signal: AbortSignal): Promise<GraphPicture>;
  /** What `status` tells of the server; with a signal every provider is probed. */
  report(signal: AbortSignal): Promise<ServerReport>;
  /** The capabilities that are off, and what would turn them on. */
  readonly absent: ServerReport['capabilities']['absent'];
  /** @throws CONFIG_INVALID with the key and the code of every provider that does not pass its probe now */
  verify(signal: AbortSignal): Promise<void>;
  /** From now on keeps the index true to the vault, or follows the process that does. */
  attend(): void;
  /** Has the models loaded behind everything else; what comes of it is logged. */
  warmUp(): void;
  /** Absent where the index was ready at once; until then calls say NOT_READY. @throws what keeps it from ever being so */
  readonly ready?: Promise<void>;
  /** Ends the index job, then the providers in reverse order. */
  close(): Promise<void>;
}

/** The config for the providers there are. @throws CONFIG_INVALID with every fault at once, CONFIG_MISSING */
export function readConfigFrom(sources: ConfigSources): Promise<Config> {
  return readConfig(sources, providerCatalog);
}

/** What a server of models at that endpoint can serve, by capability; undefined where none answers in time. */
export async function installedModels(
  endpoint: string,
  signal: AbortSignal,
): Promise<Readonly<Record<'embedding' | 'llm', readonly string[]>> | undefined> {
  const modelsFor = async (capability: 'embedding' | 'llm'): Promise<readonly string[]> => {
    const telling = providerCatalog.filter((one) => one.capability === capability && one.installed !== undefined);
    return (await Promise.all(telling.map((one) => one.installed?.(endpoint, signal) ?? []))).flat();
  };
  const [found] = await Promise.allSettled([Promise.all([modelsFor('embedding'), modelsFor('llm')])]);
  return found.status === 'fulfilled' ? { embedding: found.value[0], llm: found.value[1] } : undefined;
}

/**
 * Opens every provider the config names. Nothing is indexed yet: that is the caller's to start.
 * @param name what this process is, for other processes, until a client tells its own
 * @throws CONFIG_INVALID, STORE_*
 */
export async function openGraphCore(config: Config, log: Log, name = 'vaultgraph'): Promise<GraphCore> {
  const { vaultRoot, dataFolder } = config;
  const journal = createCallJournal();
  const hooks: LoadContext['hooks'] = {
    count: journal.count,
    // Nobody asks a provider before all of this stands.
    onAnswered: () => indexer.providerAnswered(),
    startPull: (pull, by) => indexer.startPull(pull, by),
    storedIdentity: (signal) => identityOfVectors(store, signal),
  };
  const loaded = await load(config.sections, { vaultRoot, dataFolder, log, resilience: resilienceOf(config), hooks });
  const { metrics } = journal;
  const measured = measuredProviders(loaded.capabilities, (name, ms) => metrics.observe('provider_ms', ms, name));
  const provided = { ...loaded.capabilities, ...measured };
  const { vault, store, embedding, writer } = provided as Capabilities & { vault: Vault; store: Store };
  const compute = createCompute();
  const storeCache = new StoreCache();
  const { ratio, min_notes: minNotes } = config.index.mass_delete_guard;
  const recovery = createRecovery(writer, store, log);
  let client = name;
  const parts = {
    ...{ vault, store, compute, log, massDelete: { ratio, minNotes }, begin: recovery.begin },
    client: () => client,
    onTakeover: () => journal.count('lease_takeovers'),
  };
  const indexer = createIndexer(embedding === undefined ? parts : { ...parts, embedding });
  const capabilities: Capabilities = Object.freeze({ ...provided, indexer });
  measureIndex(metrics, indexer);
  metrics.gauge('breaker_state', () => breakerStates(loaded.providers));
  const textOnly = config.search.on_embedding_failure === 'text_only';
  const mismatched = config.index.allow_mismatched_query;
  const exposed = expose(toolCatalogFor({ textOnly, mismatched, embedding: embedding !== undefined }), capabilities);
  const absent = absentCapabilities(capabilities, exposed);
  const startedAt = new Date().toISOString();
  const report = async (signal: AbortSignal): Promise<ServerReport> => ({
    version: VERSION,
    started_at: startedAt,
    vault: { name: vault.name, access: vault.access },
    capabilities: { present: await presentCapabilities(loaded.providers, signal), absent },
    text_goes_to: loaded.textGoesTo,
    failures: journal.failures(),
    counters: journal.counters(),
    ...timingRows(journal),
    ...crashRow(lastCrash(dataFolder)),
    ...recovery.row(),
  });
  const mask = createPathMask([
    { folder: vaultRoot, shown: '<vault>' },
    { folder: dataFolder, shown: '<data>' },
    { folder: homedir(), shown: '~' },
  ]);
  const { call: callLimitMs, ...argumentLimits } = config.limits;
  let isReady = loaded.ready === undefined;
  loaded.ready?.then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  const host: Host = {
    isReady: () => isReady,
    exposed,
    capabilities,
    compute,
    storeCache,
    callLimitMs,
    argumentLimits,
    freshness: config.search.freshness,
    withLimit,
    report,
    ...(config.errors.include_health ? { healthBeside: createOtherHealth(loaded.providers) } : {}),
    journal,
    mask,
    log,
  };
  const named =
    (dispatch: Dispatch): Dispatch =>
    (asked, input, caller) => {
      client = caller.client ?? client;
      return dispatch(asked, input, caller);
    };
  const call = named(createDispatch(host));
  const offer = createOffer({
    ...{ exposed, dispatch: call, callLimitMs, argumentLimits, mask, log },
    prompts: offeredPrompts(promptCatalog, new Set(exposed.tools.keys())),
    ask: named(createDispatch({ ...host, exposed: expose(methodCatalog, capabilities) })),
    noteSigns: createNoteSigns(store),
    structuredContent: config.mcp.structured_content,
    outputSchemas: config.mcp.output_schemas,
  });
  const closeAll = async (): Promise<void> => {
    await indexer.close();
    await compute.close();
    await loaded.close();
  };
  let closing: Promise<void> | undefined;
  // A second caller waits for the first: it must not take from it what it still works with.
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  /** What keeps it from being seen is met again by whoever asks. */
  const look = async (): Promise<void> => void (await Promise.allSettled([indexer.look()]));
  if (loaded.ready === undefined) await look();
  return Object.freeze({
    ...{ config, exposed, journal, vault, store, indexer, writer, call, offer, report, absent, close },
    verify: (signal: AbortSignal) => verifyProviders(loaded.providers, signal),
    attend: () => indexer.attend(),
    warmUp: loaded.warmUp,
    ...(loaded.ready && { ready: loaded.ready.then(look) }),
    exportedNotes: (signal: AbortSignal) => exportedNotes(store, { signal, storeCache }),
    picture: (signal: AbortSignal) => graphPicture(vault.name, store, compute, signal),
  });
}

function measureIndex(metrics: Metrics, indexer: Indexer): void {
  metrics.gauge('index_pending', () => [[indexer.state().pending]]);
  metrics.gauge('quarantined', () => [[indexer.state().quarantined]]);
}

const timingRows = (journal: CallJournal): Pick<ServerReport, 'timings'> =>
  journal.timings().length === 0 ? {} : { timings: journal.timings() };

const crashRow = (crash: Crash | undefined): { last_crash?: Crash } =>
  crash === undefined ? {} : { last_crash: crash };

/** What the config says on failing providers, as the lifecycle takes it. */
export function resilienceOf({ retry, breaker }: Config): LoadContext['resilience'] {
  return { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker };
}

/** What the vectors that are asked were made by; undefined where there are none. */
async function identityOfVectors(store: Store, signal: AbortSignal): Promise<EmbeddingIdentity | undefined> {
  const generations = await store.generations(signal);
  return generations.find(({ role, state }) => role === 'main' && state === 'active')?.fingerprint;
}

const OPTIONAL: readonly ProvidedCapability[] = ['embedding', 'llm'];

function absentCapabilities(capabilities: Capabilities, { absent }: Exposed): ServerReport['capabilities']['absent'] {
  const lacking = (name: CapabilityName): string[] =>
    [...absent.values()].filter((tool) => tool.lacks === name).map((tool) => tool.name);
  return OPTIONAL.filter((name) => capabilities[name] === undefined).map((name) => ({
    capability: name,
    config_key: `providers.${name}`,
    tools: lacking(name),
    types: providerCatalog.filter((provider) => provider.capability === name).map((provider) => provider.type),
  }));
}
