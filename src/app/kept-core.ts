// One of several vaults with a core of its own, which is open while the vault is used.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { withLimit } from '../base/async/limits.ts';
import { Serial } from '../base/async/serial.ts';
import { NEVER, untilAborted } from '../base/async/waits.ts';
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Config, VaultEntry } from '../config/config.ts';
import { type CallJournal, createCallJournal, failureFields } from '../mcp/dispatch/call-journal.ts';
import type { OpenVault, VaultMember } from '../mcp/vaults/run-each.ts';
import { createExclusion } from '../providers/filesystem/path-rules.ts';
import { showsPath } from './closed-vault.ts';
import { keepCrashesIn } from './crash-file.ts';
import { toolsOf } from './exposed-tools.ts';
import { type GraphCore, openGraphCore } from './graph-core.ts';

/** A model that loads in this process would delay the first answer. */
const WARM_UP_AFTER_MS = 1_000;

interface OpenedCore {
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
  const shown = await Promise.all([path, `${path}.md`].map((one) => showsFile(config, one)));
  return shown.includes(true);
}

/** What is opened. */
interface Closable {
  /** Whether it does work of its own that must not be cut off. */
  isBusy(): boolean;
  close(): Promise<void>;
}

interface KeptOptions<T extends Closable> {
  readonly open: () => Promise<T>;
  /** Called with why the vault could not be closed. */
  readonly onCloseFailure: (error: VaultgraphError) => void;
  /** Milliseconds after the last use; ten minutes by default. */
  readonly idleMs?: number;
}

const IDLE_MS = 10 * 60_000;
/** While a vault cannot be opened, its calls fail with the same reason for this long. */
const FAILED_MS = 1_000;

export class KeptVault<T extends Closable> {
  readonly #options: KeptOptions<T>;
  #opened: Promise<T> | undefined;
  #current: T | undefined;
  #failure: VaultgraphError | undefined;
  readonly #closing = new Serial();
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(options: KeptOptions<T>) {
    this.#options = options;
  }

  /** Undefined while it is closed or being opened. */
  get current(): T | undefined {
    return this.#current;
  }

  /** @throws why it cannot be opened, the reason of `signal`, what `work` throws; SHUTTING_DOWN after `end` */
  async use<R>(signal: AbortSignal, work: (opened: T) => Promise<R>): Promise<R> {
    this.#uses += 1;
    clearTimeout(this.#timer);
    try {
      return await work(await untilAborted(this.#open(), signal));
    } finally {
      this.#uses -= 1;
      this.#closeLater();
    }
  }

  /** Closes it for good. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#close();
  }

  #open(): Promise<T> {
    if (this.#isEnded) return Promise.reject(new VaultgraphError('SHUTTING_DOWN', {}));
    if (this.#failure !== undefined) return Promise.reject(repeatFailure(this.#failure));
    this.#opened ??= this.#openNow();
    return this.#opened;
  }

  async #openNow(): Promise<T> {
    await this.#closing.idle();
    try {
      this.#current = await this.#options.open();
      return this.#current;
    } catch (thrown) {
      this.#opened = undefined;
      this.#failure = toVaultgraphError(thrown);
      setTimeout(() => {
        this.#failure = undefined;
      }, FAILED_MS).unref();
      throw this.#failure;
    }
  }

  #closeLater(): void {
    clearTimeout(this.#timer);
    if (this.#uses > 0 || this.#opened === undefined || this.#isEnded) return;
    this.#timer = setTimeout(() => {
      if (this.#current?.isBusy() === true) this.#closeLater();
      else void this.#close();
    }, this.#options.idleMs ?? IDLE_MS).unref();
  }

  /** A use that begins now waits until it is closed, and opens it again. */
  #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#current = undefined;
    return this.#closing.run(() => this.#closeOpened(opened));
  }

  async #closeOpened(opened: Promise<T> | undefined): Promise<void> {
    const [outcome] = await Promise.allSettled([opened]);
    if (outcome.status === 'rejected' || outcome.value === undefined) return;
    const [closed] = await Promise.allSettled([outcome.value.close()]);
    if (closed.status === 'rejected') this.#options.onCloseFailure(toVaultgraphError(closed.reason));
  }
}

/** A disk that does not answer must hold up neither the start nor the calls of other vaults. */
const LOOK_MS = 500;
const USUAL_GUIDES = ['AGENTS.md', 'CLAUDE.md'];

/** Whether there is a file at this path that clients see; a disk that does not answer has none. */
async function showsFile(config: Config, path: string): Promise<boolean> {
  const isHidden = createExclusion(config.vault.exclude).hides(path);
  if (isHidden || !showsPath(config, path)) return false;
  const late = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const look = async (): Promise<boolean> => (await lstat(join(config.vaultRoot, path))).isFile();
  const [outcome] = await Promise.allSettled([withLimit(LOOK_MS, () => late, NEVER, look)]);
  return outcome.status === 'fulfilled' && outcome.value;
}

/** Its path: that of the config, else the first of the usual names at the root of the vault. */
export async function guideOf(config: Config): Promise<string | undefined> {
  const { guide } = config.vault;
  const candidates = guide === undefined ? USUAL_GUIDES : [guide, `${guide}.md`];
  const shown = await Promise.all(candidates.map((path) => showsFile(config, path)));
  return candidates.find((_, at) => shown[at]);
}
