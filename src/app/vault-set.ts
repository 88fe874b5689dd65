// Several vaults in one server: each with a core of its own, opened at its first use; and one session for their client.
import { homedir } from 'node:os';
import { NEVER } from '../base/async/waits.ts';
import type { Log } from '../base/log.ts';
import { URIS_OF_SEVERAL } from '../base/note-uri.ts';
import { outcomeOf } from '../base/outcome.ts';
import type { Config, VaultEntry } from '../config/config.ts';
import type { ServerReport } from '../contracts/tool.ts';
import { type CallJournal, createCallJournal } from '../mcp/dispatch/call-journal.ts';
import { type Answering, createAnswering, type Dispatch } from '../mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import type { Metrics } from '../mcp/metrics.ts';
import { createPathMask, type PathMask } from '../mcp/render/safe-text.ts';
import { offeredTools, promptsOfVaults, signsOfVaults } from '../mcp/vaults/offered.ts';
import { namesOf, type VaultMember } from '../mcp/vaults/run-each.ts';
import { createMethodRuns, createVaultRuns } from '../mcp/vaults/run-in-vaults.ts';
import type { ServerFeatures } from '../mcp/wire/method.ts';
import { createServerFeatures } from '../mcp/wire/server-features.ts';
import { methodCatalog, promptCatalog } from '../tools/catalog.ts';
import { absentFrom, TOOL_NAMES } from './exposed-tools.ts';
import type { GraphCore } from './graph-core.ts';
import { type Kept, keepVault } from './kept-core.ts';

export interface VaultSet extends VaultSession {
  readonly members: readonly VaultMember[];
  readonly journal: CallJournal;
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

/** @param idleMs milliseconds after its last use until a vault is closed; ten minutes by default */
export function createVaultSet(
  entries: readonly VaultEntry[],
  log: Log,
  processName = 'vaultgraph',
  idleMs?: number,
): VaultSet {
  const client = { name: processName };
  const vaults = entries.map((entry) => keepVault(entry, log, client, idleMs));
  const members = vaults.map(({ member }) => member);
  const config = entries[0]?.config as Config;
  const journal = createCallJournal();
  const setParts = { journal, log, mask: maskOf(entries), otherHealth: healthOf(vaults) };
  const session = createVaultSession({ members, settings: config, ...setParts });
  return Object.freeze({
    members,
    journal,
    ...session,
    absent: absentFrom(config, session.exposed),
    inEach: async (work: (core: GraphCore) => Promise<unknown>) => {
      for (const { vault } of vaults) await outcomeOf(vault.use(NEVER, ({ core }) => work(core)));
    },
    verify: async (signal: AbortSignal) => {
      for (const { vault } of vaults) await vault.use(signal, ({ core }) => core.verify(signal));
    },
    nameClient: (name: string) => {
      client.name = name;
      for (const { vault } of vaults) vault.current?.core.nameClient(name);
    },
    vaultMetrics: () =>
      new Map(
        vaults.flatMap(({ member, vault }) =>
          vault.current ? [[member.name, vault.current.core.journal.metrics]] : [],
        ),
      ),
    close: async () => void (await Promise.all(vaults.map(({ vault }) => vault.end()))),
  });
}

function maskOf(entries: readonly VaultEntry[]): PathMask {
  const folders = entries.flatMap(({ name, config }) => [
    { folder: config.vaultRoot, shown: `<${name}>` },
    { folder: config.dataFolder, shown: `<data of ${name}>` },
  ]);
  return createPathMask([...folders, { folder: homedir(), shown: '~' }]);
}

/** The providers are those of every vault, so any that is open can be asked. */
const healthOf =
  (vaults: readonly Kept[]): NonNullable<Answering['otherHealth']> =>
  async (error, limitMs) => {
    const core = vaults.find(({ vault }) => vault.current?.core.otherHealth !== undefined)?.vault.current?.core;
    return (await core?.otherHealth?.(error, limitMs)) ?? {};
  };

interface SessionParts {
  /** The vaults that the session sees, in the order in which equal ranks are listed. */
  readonly members: readonly VaultMember[];
  /** The settings of the server. */
  readonly settings: Pick<Config, 'limits' | 'mcp'>;
  readonly journal: CallJournal;
  readonly mask: PathMask;
  readonly log: Log;
  readonly otherHealth?: NonNullable<Answering['otherHealth']>;
}

interface VaultSession {
  readonly exposed: Exposed;
  /** Calls a listed tool. */
  readonly call: Dispatch;
  /** The MCP methods for a client. */
  readonly offer: ServerFeatures;
}

/** Opens nothing. */
function createVaultSession({ members, settings, ...parts }: SessionParts): VaultSession {
  const { limits, mcp } = settings;
  const exposed = offeredTools(members, TOOL_NAMES);
  const argumentLimits = { batch: limits.batch, text: limits.text };
  const runs = { members, argumentLimits, callLimitMs: limits.call, log: parts.log };
  const { run, vaultOf } = createVaultRuns(runs);
  const aboutFailure: Answering['aboutFailure'] = (error) => {
    const vault = vaultOf(error);
    return vault === undefined ? {} : { vault };
  };
  const call = createAnswering({ ...parts, exposed, aboutFailure }, run);
  const methods = { ...parts, exposed: expose(methodCatalog, { vault: true, store: true }) };
  const offer = createServerFeatures({
    exposed,
    dispatch: call,
    callLimitMs: limits.call,
    argumentLimits,
    mask: parts.mask,
    log: parts.log,
    prompts: promptsOfVaults(members, promptCatalog),
    ask: createAnswering(methods, createMethodRuns(runs)),
    noteSigns: signsOfVaults(members),
    uris: URIS_OF_SEVERAL,
    changing: namesOf(members.filter((member) => member.exposed.tools.has('list_changes'))),
    structuredContent: mcp.structured_content,
    outputSchemas: mcp.output_schemas,
    alwaysLoad: mcp.always_load,
  });
  return Object.freeze({ exposed, call, offer });
}
