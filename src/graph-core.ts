// The composition root: config -> providers -> capabilities -> tools. The one file that sees both the contracts and the vendors.
import { homedir } from 'node:os';
import type { Log } from './base/log.ts';
import { VERSION } from './base/version.ts';
import { createCompute } from './compute/offload.ts';
import type { Capabilities, CapabilityName } from './contracts/capability.ts';
import type { EmbeddingIdentity } from './contracts/embedding.ts';
import type { Indexer } from './contracts/indexer.ts';
import type { ProvidedCapability } from './contracts/provider.ts';
import type { Store } from './contracts/store.ts';
import type { ServerReport } from './contracts/tool.ts';
import type { Vault } from './contracts/vault.ts';
import type { Writer } from './contracts/writer.ts';
import { createIndexer } from './indexing/indexer.ts';
import { type Config, readConfig } from './lifecycle/config.ts';
import type { ConfigSources } from './lifecycle/config-sources.ts';
import { type Crash, lastCrash } from './lifecycle/crash-file.ts';
import { withLimit } from './lifecycle/guard.ts';
import { type LoadContext, load } from './lifecycle/loader.ts';
import { presentCapabilities, verifyProviders } from './lifecycle/present-capabilities.ts';
import { createRecovery } from './lifecycle/recovery.ts';
import { type CallJournal, createCallJournal } from './mcp/call-journal.ts';
import { createDispatch, type Dispatch } from './mcp/dispatch.ts';
import { type Exposed, expose } from './mcp/expose.ts';
import { createPathMask } from './mcp/path-mask.ts';
import { providerCatalog } from './providers/catalog.ts';
import { type ExportedNote, exportedNotes } from './queries/exported-notes.ts';
import { toolCatalogFor } from './tools/catalog.ts';

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
  /** Everything the index holds, ascending by path. */
  exportedNotes(signal: AbortSignal): AsyncIterable<ExportedNote>;
  /** What `status` tells of the server; with a signal every provider is probed. */
  report(signal: AbortSignal): Promise<ServerReport>;
  /** The capabilities that are off, and what would turn them on. */
  readonly absent: ServerReport['capabilities']['absent'];
  /** @throws CONFIG_INVALID with the key and the code of every provider that does not pass its probe now */
  verify(signal: AbortSignal): Promise<void>;
  /** Has the models loaded behind everything else; what comes of it is logged. */
  warmUp(): void;
  /** Ends the index job, then the providers in reverse order. */
  close(): Promise<void>;
}

/** The config for the providers there are. @throws CONFIG_INVALID with every fault at once, CONFIG_MISSING */
export function readConfigFrom(sources: ConfigSources): Promise<Config> {
  return readConfig(sources, providerCatalog);
}

/** Opens every provider the config names. Nothing is indexed yet: that is the caller's to start. @throws CONFIG_INVALID, STORE_* */
export async function openGraphCore(config: Config, log: Log): Promise<GraphCore> {
  const { vaultRoot, dataFolder } = config;
  const journal = createCallJournal();
  const hooks: LoadContext['hooks'] = {
    count: journal.count,
    // Nobody asks a provider before all of this stands.
    onAnswered: () => indexer.providerAnswered(),
    startPull: (pull) => indexer.startPull(pull),
    storedIdentity: (signal) => identityOfVectors(store, signal),
  };
  const loaded = await load(config.sections, { vaultRoot, dataFolder, log, resilience: resilienceOf(config), hooks });
  const { vault, store, embedding, writer } = loaded.capabilities as Capabilities & { vault: Vault; store: Store };
  const compute = createCompute();
  const { ratio, min_notes: minNotes } = config.index.mass_delete_guard;
  const recovery = createRecovery(writer, store, log);
  const parts = { vault, store, compute, log, massDelete: { ratio, minNotes }, begin: recovery.begin };
  const indexer = createIndexer(embedding === undefined ? parts : { ...parts, embedding });
  const capabilities: Capabilities = Object.freeze({ ...loaded.capabilities, indexer });
  const textOnly = config.search.on_embedding_failure === 'text_only';
  const exposed = expose(toolCatalogFor({ textOnly }), capabilities);
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
    ...crashRow(lastCrash(dataFolder)),
    ...recovery.row(),
  });
  const mask = createPathMask([
    { folder: vaultRoot, shown: '<vault>' },
    { folder: dataFolder, shown: '<data>' },
    { folder: homedir(), shown: '~' },
  ]);
  const { call: callLimitMs, ...argumentLimits } = config.limits;
  const call = createDispatch({
    exposed,
    capabilities,
    compute,
    callLimitMs,
    argumentLimits,
    withLimit,
    report,
    journal,
    mask,
    log,
  });
  const close = async (): Promise<void> => {
    await indexer.close();
    await compute.close();
    await loaded.close();
  };
  return Object.freeze({
    ...{ config, exposed, journal, vault, store, indexer, writer, call, report, absent, close },
    verify: (signal: AbortSignal) => verifyProviders(loaded.providers, signal),
    warmUp: loaded.warmUp,
    exportedNotes: (signal: AbortSignal) => exportedNotes(store, signal),
  });
}

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
