// Several vaults in one server: each with a core of its own, opened at its first use; and one list of tools for all.
import { lstat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { URIS_OF_SEVERAL } from '../base/note-uri.ts';
import { outcomeOf } from '../base/outcome.ts';
import { NEVER } from '../base/until-aborted.ts';
import type { ServerReport } from '../contracts/tool.ts';
import { methodCatalog, promptCatalog } from '../features/catalog.ts';
import { absentFrom, type GraphCore, openGraphCore, showsPath, TOOL_NAMES, toolsOf } from '../graph-core.ts';
import { type Config, vaultSetting } from '../lifecycle/config/config.ts';
import type { VaultEntry } from '../lifecycle/config/vault-configs.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { withLimit } from '../lifecycle/guard.ts';
import { type CallJournal, createCallJournal, failureFields } from '../mcp/dispatch/call-journal.ts';
import { type Answering, createAnswering, type Dispatch } from '../mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import type { Metrics } from '../mcp/metrics/registry.ts';
import { createPathMask } from '../mcp/render/safe-text.ts';
import type { OpenVault, VaultMember } from '../mcp/vaults/member.ts';
import { signsOfVaults } from '../mcp/vaults/note-signs.ts';
import { promptsOfVaults } from '../mcp/vaults/offered-prompts.ts';
import { offeredTools } from '../mcp/vaults/offered-tools.ts';
import { createVaultRuns } from '../mcp/vaults/run-in-vaults.ts';
import { createMethodRuns } from '../mcp/vaults/run-methods.ts';
import type { ServerFeatures } from '../mcp/wire/method.ts';
import { createServerFeatures } from '../mcp/wire/server-features.ts';
import { KeptVault } from './kept-vault.ts';

export interface VaultSet {
  readonly members: readonly VaultMember[];
  readonly exposed: Exposed;
  readonly journal: CallJournal;
  /** Calls a listed tool. */
  readonly call: Dispatch;
  /** The MCP methods for a client. */
  readonly offer: ServerFeatures;
  /** The capabilities that no vault has. */
  readonly absent: ServerReport['capabilities']['absent'];
  /** Opens one vault after the other; one that cannot be opened, or whose work fails, is left out. */
  inEach(work: (core: GraphCore) => Promise<unknown>): Promise<void>;
  /** Opens every vault and probes its providers. @throws the first failure */
  verify(signal: AbortSignal): Promise<void>;
  /** Sets the name of this process for other processes. */
  nameClient(name: string): void;
  /** Those of the vaults that are open, by name. */
  vaultMetrics(): ReadonlyMap<string, Metrics>;
  close(): Promise<void>;
}

/** A model that loads in this process would delay the first answer. */
const WARM_UP_AFTER_MS = 1_000;

/** @param idleMs milliseconds after its last use until a vault is closed; ten minutes by default */
export function createVaultSet(
  entries: readonly VaultEntry[],
  log: Log,
  processName = 'vaultgraph',
  idleMs?: number,
): VaultSet {
  const client = { name: processName };
  const kept = entries.map((entry) => keepVault(entry, log, client, idleMs));
  const members = kept.map(({ member }) => member);
  const config = entries[0]?.config as Config;
  const journal = createCallJournal();
  const exposed = offeredTools(members, TOOL_NAMES);
  const answering = answeringOf(kept, { entries, exposed, journal, log });
  const { call: callLimitMs, batch, text } = config.limits;
  const argumentLimits = { batch, text };
  const runs = { members, argumentLimits, callLimitMs, log };
  const { run, vaultOf } = createVaultRuns(runs);
  const aboutFailure: Answering['aboutFailure'] = (error) => {
    const vault = vaultOf(error);
    return vault === undefined ? {} : { vault };
  };
  const call = createAnswering({ ...answering, aboutFailure }, run);
  const methods = { ...answering, exposed: expose(methodCatalog, { vault: true, store: true }) };
  const offer = createServerFeatures({
    ...{ exposed, dispatch: call, callLimitMs, argumentLimits, mask: answering.mask, log },
    prompts: promptsOfVaults(members, promptCatalog),
    ask: createAnswering(methods, createMethodRuns(runs)),
    noteSigns: signsOfVaults(members),
    uris: URIS_OF_SEVERAL,
    structuredContent: config.mcp.structured_content,
    outputSchemas: config.mcp.output_schemas,
  });
  return Object.freeze({
    ...{ members, exposed, journal, call, offer },
    absent: absentFrom(config, exposed),
    inEach: async (work: (core: GraphCore) => Promise<unknown>) => {
      for (const { vault } of kept) await outcomeOf(vault.use(NEVER, ({ core }) => work(core)));
    },
    verify: async (signal: AbortSignal) => {
      for (const { vault } of kept) await vault.use(signal, ({ core }) => core.verify(signal));
    },
    nameClient: (name: string) => {
      client.name = name;
      for (const { vault } of kept) vault.current?.core.nameClient(name);
    },
    vaultMetrics: () =>
      new Map(
        kept.flatMap(({ member, vault }) => (vault.current ? [[member.name, vault.current.core.journal.metrics]] : [])),
      ),
    close: async () => void (await Promise.all(kept.map(({ vault }) => vault.end()))),
  });
}

interface OpenedCore {
  readonly core: GraphCore;
  /** Why the work that continued after opening, such as a migration of the index, failed. */
  failure(): VaultgraphError | undefined;
  isBusy(): boolean;
  close(): Promise<void>;
}

interface Kept {
  readonly member: VaultMember;
  readonly vault: KeptVault<OpenedCore>;
}

function keepVault(entry: VaultEntry, log: Log, client: { readonly name: string }, idleMs: number | undefined): Kept {
  const { name, config } = entry;
  const ownLog: Log = (level, event, fields) => log(level, event, { vault: name, ...Object(fields) });
  const journal = createCallJournal();
  const vault = new KeptVault<OpenedCore>({
    open: () => openVault(entry, ownLog, client.name, journal),
    onCloseFailure: (error) => ownLog('error', 'close_failed', failureFields(error)),
    ...(idleMs !== undefined && { idleMs }),
  });
  const member: VaultMember = Object.freeze({
    name,
    access: vaultSetting(config, 'access') === 'read-write' ? 'read-write' : 'read-only',
    exposed: toolsOf(config),
    use: <T>(signal: AbortSignal, work: (opened: OpenVault) => Promise<T>) =>
      vault.use(signal, async ({ core, failure }) => {
        const error = failure();
        if (error !== undefined) throw repeatFailure(error);
        return work(core.asMember);
      }),
    hasFile: (path: string) => hasFile(config, path),
  });
  return { member, vault };
}

/** @throws VAULT_UNAVAILABLE, CONFIG_INVALID, STORE_*; a migration of its index that fails */
async function openVault(entry: VaultEntry, log: Log, client: string, journal: CallJournal): Promise<OpenedCore> {
  const config = await entry.read();
  keepCrashesIn(config.dataFolder);
  const core = await openGraphCore(config, log, client, journal);
  log('info', 'vault_opened');
  let failure: VaultgraphError | undefined;
  if (core.ready === undefined) core.attend();
  else
    core.ready.then(core.attend, (thrown: unknown) => {
      failure = toVaultgraphError(thrown);
    });
  const warmUp = setTimeout(core.warmUp, WARM_UP_AFTER_MS).unref();
  return {
    core,
    failure: () => failure,
    isBusy: () => {
      const { running, embedJob } = core.indexer.state();
      return running !== undefined || (embedJob !== undefined && embedJob.endedAt === undefined);
    },
    close: async () => {
      clearTimeout(warmUp);
      await core.close();
      log('info', 'vault_closed');
    },
  };
}

/** A disk that does not answer must not hold up the calls of other vaults. */
const LOOK_MS = 500;

/** Only what its clients see: a hidden file must not change what a reference means. */
async function hasFile(config: Config, path: string): Promise<boolean> {
  if (path === '' || path.split(/[\\/]/).includes('..')) return false;
  const candidates = [path, `${path}.md`].filter((one) => showsPath(config, one));
  const late = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const looks = candidates.map((one) =>
    withLimit(
      LOOK_MS,
      () => late,
      NEVER,
      async () => (await lstat(join(config.vaultRoot, one))).isFile(),
    ),
  );
  const found = await Promise.allSettled(looks);
  return found.some((outcome) => outcome.status === 'fulfilled' && outcome.value);
}

interface AnsweringParts {
  readonly entries: readonly VaultEntry[];
  readonly exposed: Exposed;
  readonly journal: CallJournal;
  readonly log: Log;
}

function answeringOf(kept: readonly Kept[], { entries, exposed, journal, log }: AnsweringParts): Answering {
  const folders = entries.flatMap(({ name, config }) => [
    { folder: config.vaultRoot, shown: `<${name}>` },
    { folder: config.dataFolder, shown: `<data of ${name}>` },
  ]);
  return {
    ...{ exposed, journal, log },
    mask: createPathMask([...folders, { folder: homedir(), shown: '~' }]),
    // The providers are those of every vault.
    otherHealth: async (error, limitMs) => {
      const core = kept.find(({ vault }) => vault.current?.core.otherHealth !== undefined)?.vault.current?.core;
      return (await core?.otherHealth?.(error, limitMs)) ?? {};
    },
  };
}
