// Opens what a server serves, one vault or several, and closes it again.
import { resolve } from 'node:path';
import { keepCrashesIn } from '../app/crash-file.ts';
import { type GraphCore, openGraphCore } from '../app/graph-core.ts';
import { guideOf } from '../app/kept-core.ts';
import { openMetricsFile } from '../app/metrics-file.ts';
import { createVaultSet } from '../app/vault-set.ts';
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { endIfStuck } from '../base/threads/worker-threads.ts';
import type { Config, VaultConfigs, VaultEntry } from '../config/config.ts';
import { exposition } from '../mcp/metrics.ts';
import { instructionsFor, instructionsForVaults } from '../mcp/transport/server-info.ts';
import { exitProcess } from './end-process.ts';
import { reportFailure } from './perform.ts';

/** After the handshake, which a model that loads in this process would delay. */
const WARM_UP_AFTER_MS = 1_000;
/** Times the call limit after which a main thread that does not get to its timers is stuck, and the least time. */
const STUCK_CALLS = 4;
const MIN_STUCK_MS = 10_000;

/** The most guides of several vaults that the instructions name. */
const MAX_GUIDES = 4;

/** What is the same of one vault and of several. */
type Shared = Pick<GraphCore, 'exposed' | 'offer' | 'journal' | 'verify' | 'nameClient' | 'close'>;

const sharedBy = ({ exposed, offer, journal, verify, nameClient, close }: Shared): Shared => {
  return { exposed, offer, journal, verify, nameClient, close };
};

/** What the server serves: one vault or several. */
export interface Served extends Shared {
  readonly instructions: string;
  /** For the user: the folder, or the names of the vaults. */
  readonly what: string;
  /** The arguments that start the same server. */
  readonly startArguments: readonly string[];
  exposition(): string;
  /** Starts to keep the index up to date, once clients are served. @param onUseless called if the index makes every call fail */
  begin(onUseless: (error: VaultgraphError) => void): void;
}

export async function oneVault(config: Config, log: Log): Promise<Served> {
  const core = await openGraphCore(config, log, 'vaultgraph serve');
  const { exposed, vault, absent, offer, journal, ready, attend } = core;
  const guide = exposed.tools.has('read_notes') ? await guideOf(config) : undefined;
  if (guide === undefined && config.vault.guide) log('warn', 'guide_missing', { key: `${config.vaultKey}.guide` });
  const facts = { toolNames: [...exposed.tools.keys()], absent, promptNames: offer.promptNames };
  return {
    ...sharedBy(core),
    instructions: instructionsFor({
      vaultName: vault.name,
      access: vault.access,
      ...facts,
      guides: guide ? [guide] : [],
    }),
    what: config.vaultRoot,
    startArguments: ['--vault', config.vaultRoot],
    exposition: () => exposition(journal.metrics),
    begin: (onUseless) => {
      if (ready === undefined) attend();
      else ready.then(attend).catch((thrown: unknown) => onUseless(toVaultgraphError(thrown)));
      setTimeout(core.warmUp, WARM_UP_AFTER_MS).unref();
    },
  };
}

/** Nothing is opened yet: each vault is at its first use. */
async function severalVaults(entries: readonly VaultEntry[], log: Log): Promise<Served> {
  const set = createVaultSet(entries, log, 'vaultgraph serve');
  const { exposed, members, absent, offer, journal } = set;
  const named = await Promise.all(entries.map(async ({ name, config }) => ({ name, guide: await guideOf(config) })));
  const guides = named.flatMap(({ name, guide }) => (guide === undefined ? [] : [`${name}:${guide}`]));
  const facts = {
    toolNames: [...exposed.tools.keys()],
    absent,
    promptNames: offer.promptNames,
    guides: exposed.tools.has('read_notes') ? guides.slice(0, MAX_GUIDES) : [],
  };
  return {
    ...sharedBy(set),
    instructions: instructionsForVaults({ vaults: members, ...facts }),
    what: `the vaults ${members.map(({ name }) => name).join(', ')}`,
    startArguments: ['--config', resolve(entries[0]?.config.file ?? '')],
    exposition: () => exposition(journal.metrics, set.vaultMetrics()),
    begin: () => undefined,
  };
}

/** What the configs name: one vault or several. @throws STORE_*, CONFIG_INVALID */
export async function openServed(configs: VaultConfigs, log: Log): Promise<Served> {
  return 'one' in configs ? oneVault(configs.one, log) : severalVaults(configs.several, log);
}

/** The config whose server settings hold: all vaults of a file have the same. */
export function serverConfig(configs: VaultConfigs): Config {
  return 'one' in configs ? configs.one : (configs.several[0]?.config as Config);
}

/** Prepares for faults that end the process: a crash is kept, and a main thread that is stuck is killed. */
export function expectFaults(configs: VaultConfigs): void {
  if ('one' in configs) keepCrashesIn(configs.one.dataFolder);
  endIfStuck(Math.max(STUCK_CALLS * serverConfig(configs).limits.call, MIN_STUCK_MS));
}

/** An index that cannot be upgraded makes every call fail, so the process reports it and exits. */
export async function endUseless(error: VaultgraphError, close: () => Promise<void>): Promise<void> {
  if (error.code === 'SHUTTING_DOWN') return;
  reportFailure(error, false);
  await close();
  await exitProcess(Number(process.exitCode));
}

/** Closes the core if the step fails. @returns the result of the step. @throws what the step throws */
export async function orClosed<T>({ close }: Pick<Served, 'close'>, step: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([step]);
  if (outcome.status === 'fulfilled') return outcome.value;
  await close();
  throw outcome.reason;
}

/** Starts writing the metrics file, if one is configured. @returns a function that writes it a last time. @throws CONFIG_INVALID */
export async function beginMetrics({ outputs }: Config, text: () => string, log: Log): Promise<() => Promise<void>> {
  const { metrics: file } = outputs;
  if (file === undefined) return async () => undefined;
  return (await openMetricsFile(file, text, log)).close;
}
