// The composition root: config -> providers -> capabilities -> tools.

import { homedir } from 'node:os';
import { NEVER, untilAborted } from '../base/async/waits.ts';
import type { Log } from '../base/log.ts';
import type { Dialect } from '../base/note.ts';
import { inDialect, keepingDialect } from '../base/threads/dialect.ts';
import { VERSION } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import type { StoredFeed } from '../contracts/feed.ts';
import type { GraphPicture } from '../contracts/graph-picture.ts';
import type { Indexer } from '../contracts/indexer.ts';
import type { Store } from '../contracts/store.ts';
import type { ServerReport } from '../contracts/tool.ts';
import type { Vault } from '../contracts/vault.ts';
import { wholeStore } from '../contracts/whole-store.ts';
import type { Writer } from '../contracts/writer.ts';
import { IdleRelease } from '../lifecycle/idle-release.ts';
import {
  breakerStates,
  createOtherHealth,
  presentCapabilities,
  verifyProviders,
} from '../lifecycle/provider-health.ts';
import { type CallJournal, createCallJournal } from '../mcp/dispatch/call-journal.ts';
import { createDispatch, createRun, type Dispatch, type Host } from '../mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import type { Metrics } from '../mcp/metrics.ts';
import { createPathMask } from '../mcp/render/safe-text.ts';
import type { OpenVault } from '../mcp/vaults/run-each.ts';
import type { ServerFeatures } from '../mcp/wire/method.ts';
import { offeredPrompts } from '../mcp/wire/prompt-methods.ts';
import { createServerFeatures } from '../mcp/wire/server-features.ts';
import type { Recognized } from '../providers/filesystem/dialect-signs.ts';
import { foreignText } from '../providers/filesystem/recovery/unfinished-changes.ts';
import { methodCatalog, promptCatalog } from '../tools/catalog.ts';
import { graphPicture } from '../tools/links/graph-picture.ts';
import { type ExportedNote, exportedNotes } from '../tools/notes/exported-notes.ts';
import { updateNames } from '../tools/notes/name-index.ts';
import { createNoteSigns } from '../tools/resources/resources.ts';
import { createWriteSession } from '../tools/write/write-session.ts';
import { lastCrash } from './crash-file.ts';
import { absentCapabilities, exposeTools } from './exposed-tools.ts';
import { type Opened, openCapabilities } from './open-capabilities.ts';
import { dialectOf } from './read-configs.ts';
import { checkStateFolder } from './state-folder.ts';

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
  /** The feed as the store keeps it; absent if it keeps none. */
  readonly feed: StoredFeed | undefined;
  /** What `status` reports about the server. */
  readonly report: Report;
  /** The capabilities that are not configured, and the config keys that turn them on. */
  readonly absent: ServerReport['capabilities']['absent'];
  /** @throws CONFIG_INVALID with the key and error code of every provider that fails its probe */
  verify(signal: AbortSignal): Promise<void>;
  /** Runs what reads notes of the vault outside of a call, by the rules of its system. */
  within<T>(work: () => T): T;
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

/** A client gives up a server that does not start. */
const MAX_LOOK_MS = 5_000;

/**
 * Opens the providers that the config names and builds the tools on them. Indexing starts only with `attend`.
 * @param server its name for other processes, until an MCP client gives its own; absent for a command
 * @param journal continues the counts of an earlier core of the same vault
 * @throws CONFIG_INVALID, STORE_*
 */
export async function openGraphCore(
  config: Config,
  log: Log,
  server?: string,
  journal = createCallJournal(),
): Promise<GraphCore> {
  const recognized = await dialectOf(config);
  return inDialect(recognized.dialect, () => openCore(config, recognized, log, server, journal));
}

async function openCore(
  config: Config,
  recognized: Recognized,
  log: Log,
  server: string | undefined,
  journal: CallJournal,
): Promise<GraphCore> {
  const client = { name: server ?? 'vaultgraph' };
  const opened = await openCapabilities({ config, log, journal, client, serves: server !== undefined });
  const { loaded, vault, store, writer, indexer, compute, storeCache, recovery } = opened;
  registerGauges(journal.metrics, opened);
  const exposed = exposeTools(config, opened);
  const absent = absentCapabilities(opened.capabilities, exposed);
  const report = createReport({ config, recognized, journal, opened, absent });
  const host = createHost({ config, dialect: recognized.dialect, log, journal, opened, exposed, report });
  const call = createDispatch(host);
  const idle = idleRelease(opened, journal);
  const { close, isClosing } = closing(opened, idle);
  journal.onCall(() => idle.called());
  // A failure to read the vault here is met again, and reported, by the first call.
  const look = async (): Promise<void> => void (await Promise.allSettled([indexer.look()]));
  if (loaded.ready === undefined) await Promise.allSettled([untilAborted(look(), AbortSignal.timeout(MAX_LOOK_MS))]);
  const readable = (signal: AbortSignal): Store => (indexer.state().complete ? wholeStore(store, signal) : store);
  return Object.freeze({
    config,
    exposed,
    journal,
    vault,
    store,
    indexer,
    writer,
    feed: loaded.feed,
    call,
    report,
    absent,
    close,
    offer: createFeatures(host, call, store, config),
    asMember: asMember(host, store),
    otherHealth: host.otherHealth,
    nameClient: (name: string) => {
      client.name = name;
    },
    verify: (signal: AbortSignal) => verifyProviders(loaded.providers, signal),
    within: <T>(work: () => T): T => inDialect(recognized.dialect, work),
    attend: keepingDialect(() => {
      // The client may be gone before the server that it started has begun.
      if (isClosing()) return;
      idle.start();
      void warnOfGlobs(vault, log);
      indexer.attend();
      // The vault is listed as soon as the index has a writer, and until then calls wait.
      if (!indexer.state().complete) startThread(vault);
      recovery.attend((paths, signal) => indexer.refresh(paths, signal));
    }),
    warmUp: loaded.warmUp,
    ...(loaded.ready && { ready: loaded.ready.then(look) }),
    exportedNotes: async function* (signal: AbortSignal) {
      await opened.match.check(signal);
      yield* exportedNotes(readable(signal), { signal, storeCache });
    },
    picture: keepingDialect(async (signal: AbortSignal) => {
      await opened.match.check(signal);
      return graphPicture({ vault: config.name ?? vault.name, folder: vault.name }, readable(signal), compute, signal);
    }),
  });
}

/** Ends what uses the providers before the providers. Later calls wait for the first. */
function closing(
  { loaded, indexer, compute, indexing, pdfs, history, recovery }: Opened,
  idle: IdleRelease,
): { close(): Promise<void>; isClosing(): boolean } {
  const closeAll = async (): Promise<void> => {
    idle.stop();
    await Promise.all([recovery.close(), indexer.close()]);
    await Promise.all([compute.close(), indexing.close(), pdfs?.close(), history?.close()]);
    await loaded.close();
  };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeAll();
    return closed;
  };
  return { close, isClosing: () => closed !== undefined };
}

const asMember = (host: Host, store: Store): OpenVault =>
  Object.freeze({
    run: createRun(host),
    runMethod: createRun(methodHost(host)),
    noteSigns: createNoteSigns(store, host.capabilities.feed),
  });

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
    isBusy: () => journal.isBusy(),
    release: async () => {
      storeCache.clear(updateNames);
      await loaded.release();
    },
    wake: () => startThread(vault),
  });
}

/** That reads files. Whether the vault is there, a call finds out itself. */
function startThread(vault: Vault): void {
  void Promise.allSettled([vault.listAt([], NEVER)]);
}

function registerGauges(metrics: Metrics, { indexer, loaded }: Opened): void {
  metrics.gauge('index_pending', () => [[indexer.state().pending]]);
  metrics.gauge('quarantined', () => [[indexer.state().quarantined]]);
  metrics.gauge('breaker_state', () => breakerStates(loaded.providers));
}

interface HostParts {
  readonly config: Config;
  readonly dialect: Dialect;
  readonly log: Log;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly exposed: Exposed;
  readonly report: Report;
}

/** Everything that the dispatcher needs. */
function createHost({ config, dialect, log, journal, opened, exposed, report }: HostParts): Host {
  const { loaded, capabilities, vault, compute, storeCache, recovery, foreign, match } = opened;
  const { call: callLimitMs, batch, text, image: imageLimit } = config.limits;
  return {
    exposed,
    dialect,
    capabilities,
    compute,
    storeCache,
    callLimitMs,
    imageLimit,
    report,
    journal,
    log,
    argumentLimits: { batch, text },
    writes: createWriteSession(vault.access, loaded.writeLock),
    spansMachines: loaded.writeLock !== undefined,
    isReady: flagFor(loaded.ready),
    damage: () => loaded.damage(),
    refuseOther: (signal) => match.check(signal),
    unfinished: async () => (await recovery.unfinished()).length,
    foreignChange: () => foreignText(foreign.find()),
    freshness: config.search.freshness,
    firstWaitMs: config.index.first_wait,
    ...(config.vault.consent === 'ask' && { consentMs: config.consent.timeout }),
    ...(config.errors.include_health ? { otherHealth: createOtherHealth(loaded.providers) } : {}),
    mask: createPathMask([
      { folder: config.vaultRoot, shown: '<vault>' },
      { folder: config.dataFolder, shown: '<data>' },
      { folder: homedir(), shown: '~' },
    ]),
  };
}

const methodHost = (host: Host): Host => ({ ...host, exposed: expose(methodCatalog, host.capabilities) });

/** The MCP methods: tools, prompts, resources and completions. */
function createFeatures(host: Host, dispatch: Dispatch, store: Store, { mcp }: Config): ServerFeatures {
  const { exposed, callLimitMs, argumentLimits, mask, log } = host;
  return createServerFeatures({
    exposed,
    dispatch,
    callLimitMs,
    argumentLimits,
    mask,
    log,
    prompts: offeredPrompts(promptCatalog, new Set(exposed.tools.keys())),
    ask: createDispatch(methodHost(host)),
    noteSigns: createNoteSigns(store, host.capabilities.feed),
    structuredContent: mcp.structured_content,
    outputSchemas: mcp.output_schemas,
    alwaysLoad: mcp.always_load,
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

/** Probes every provider. */
type Report = (signal: AbortSignal) => Promise<ServerReport>;

interface ReportParts {
  readonly config: Config;
  readonly recognized: Recognized;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly absent: ServerReport['capabilities']['absent'];
}

function createReport({ config, recognized, journal, opened, absent }: ReportParts): Report {
  const { loaded, vault, writer, recovery } = opened;
  const startedAt = new Date().toISOString();
  return async (signal) => {
    const timings = journal.timings();
    const crash = lastCrash(config.dataFolder);
    return {
      version: VERSION,
      started_at: startedAt,
      vault: {
        name: config.name ?? vault.name,
        access: vault.access,
        ...(recognized.dialect !== 'obsidian' && { dialect: recognized.dialect, recognized_by: recognized.because }),
      },
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
