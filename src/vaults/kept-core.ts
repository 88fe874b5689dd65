// One of several vaults with a core of its own, which is open while the vault is used.
import { repeatFailure, toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { toolsOf } from '../core/exposed-tools.ts';
import { type GraphCore, openGraphCore } from '../core/graph-core.ts';
import { showsFile } from '../core/vault-guide.ts';
import type { Config } from '../lifecycle/config/config.ts';
import type { VaultEntry } from '../lifecycle/config/vault-configs.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { type CallJournal, createCallJournal, failureFields } from '../mcp/dispatch/call-journal.ts';
import type { OpenVault, VaultMember } from '../mcp/vaults/member.ts';
import { KeptVault } from './kept-vault.ts';

/** A model that loads in this process would delay the first answer. */
const WARM_UP_AFTER_MS = 1_000;

export interface OpenedCore {
  readonly core: GraphCore;
  /** Why the work that continued after opening, such as a migration of the index, failed. */
  failure(): VaultgraphError | undefined;
  isBusy(): boolean;
  close(): Promise<void>;
}

/** A vault as a session sees it, and its core while it is open. */
export interface Kept {
  readonly member: VaultMember;
  readonly vault: KeptVault<OpenedCore>;
}

/** @param idleMs milliseconds after its last use until it is closed; ten minutes by default */
export function keepVault(
  entry: VaultEntry,
  log: Log,
  client: { readonly name: string },
  idleMs: number | undefined,
): Kept {
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
    access: config.vault.access,
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

/** Only what its clients see: a hidden file must not change what a reference means. */
async function hasFile(config: Config, path: string): Promise<boolean> {
  if (path === '' || path.split(/[\\/]/).includes('..')) return false;
  const found = await Promise.all([path, `${path}.md`].map((one) => showsFile(config, one)));
  return found.includes(true);
}
