// `vaultgraph serve`: serves MCP on stdio until the client goes, and keeps the index up to date in the background.
import { resolve } from 'node:path';
import { programName } from '../base/command-line.ts';
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { NEVER } from '../base/until-aborted.ts';
import { VERSION } from '../base/version.ts';
import { endIfStuck } from '../base/worker-threads.ts';
import { type GraphCore, openGraphCore } from '../graph-core.ts';
import type { Config } from '../lifecycle/config/config.ts';
import type { VaultEntry } from '../lifecycle/config/vault-configs.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { openMetricsFile } from '../lifecycle/metrics-file.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import { exposition } from '../mcp/metrics/exposition.ts';
import { guardStdout, surviveStderr } from '../mcp/transport/process-streams.ts';
import { serve } from '../mcp/transport/server.ts';
import { ICONS, instructionsFor, instructionsForVaults } from '../mcp/transport/server-info.ts';
import { createVaultSet } from '../vaults/vault-set.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { exitProcess } from './hard-exit.ts';
import { reportFailure } from './perform.ts';
import { openLog } from './with-core.ts';

/** After the handshake, which a model that loads in this process would delay. */
const WARM_UP_AFTER_MS = 1_000;
/** Times the call limit after which a main thread that does not get to its timers is stuck, and the least time. */
const STUCK_CALLS = 4;
const MIN_STUCK_MS = 10_000;

/** Serves until the client is gone, then exits the process. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* at the start */
export async function runServe(options: CommonOptions): Promise<number> {
  let violations = 0;
  let journal: CallJournal | undefined;
  let log: Log | undefined;
  surviveStderr(() => log?.('warn', 'stderr_closed'));
  const stdout = guardStdout(() => {
    violations += 1;
    journal?.count('stdout_violations');
  });
  const configs = await configsFor(options);
  const config = 'one' in configs ? configs.one : (configs.several[0]?.config as Config);
  if ('one' in configs) keepCrashesIn(config.dataFolder);
  endIfStuck(Math.max(STUCK_CALLS * config.limits.call, MIN_STUCK_MS));
  log = openLog(config, config.log.level);
  const served = 'one' in configs ? await oneVault(config, log) : severalVaults(configs.several, log);
  journal = served.journal;
  for (let seen = 0; seen < violations; seen += 1) journal.count('stdout_violations');
  if (config.startup.verify) await orClosed(served, served.verify(NEVER));
  const closeMetrics = await orClosed(served, beginMetrics(config, served.exposition, log));
  if (process.stdin.isTTY) explainToUser(served);
  const { offer, instructions, nameClient } = served;
  const identity = { name: 'vaultgraph', title: 'vaultgraph', version: VERSION, icons: ICONS };
  const close = async (): Promise<void> => void (await Promise.all([served.close(), closeMetrics()]));
  const events = { close, exit: (code: number) => void exitProcess(code), onClient: nameClient };
  const io = { stdin: process.stdin, stdout, maxMessageBytes: config.limits.message, log };
  const ended = serve({ identity, instructions, offer, ...events, ...io });
  served.begin(close);
  await ended;
  return EXIT.done;
}

/** What the server serves: one vault or several. */
interface Served extends Pick<GraphCore, 'exposed' | 'offer' | 'journal' | 'verify' | 'nameClient'> {
  readonly instructions: string;
  /** For the user: the folder, or the names of the vaults. */
  readonly what: string;
  /** The arguments that start the same server. */
  readonly startArguments: readonly string[];
  exposition(): string;
  close(): Promise<void>;
  /** Starts to keep the index up to date, once clients are served. @param closeAll closes everything that was opened */
  begin(closeAll: () => Promise<void>): void;
}

async function oneVault(config: Config, log: Log): Promise<Served> {
  const core = await openGraphCore(config, log, 'vaultgraph serve');
  const { exposed, vault, absent, offer, journal, verify, nameClient, ready, attend } = core;
  const facts = { toolNames: [...exposed.tools.keys()], absent, promptNames: offer.promptNames };
  return {
    ...{ exposed, offer, journal, verify, nameClient, close: core.close },
    instructions: instructionsFor({ vaultName: vault.name, access: vault.access, ...facts }),
    what: config.vaultRoot,
    startArguments: ['--vault', config.vaultRoot],
    exposition: () => exposition(journal.metrics),
    begin: (closeAll) => {
      if (ready === undefined) attend();
      else ready.then(attend).catch((thrown: unknown) => endUseless(toVaultgraphError(thrown), closeAll));
      setTimeout(core.warmUp, WARM_UP_AFTER_MS).unref();
    },
  };
}

/** Nothing is opened yet: each vault is at its first use. */
function severalVaults(entries: readonly VaultEntry[], log: Log): Served {
  const set = createVaultSet(entries, log, 'vaultgraph serve');
  const { exposed, members, absent, offer, journal, verify, nameClient, close } = set;
  const facts = { toolNames: [...exposed.tools.keys()], absent, promptNames: offer.promptNames };
  return {
    ...{ exposed, offer, journal, verify, nameClient, close },
    instructions: instructionsForVaults({ vaults: members, ...facts }),
    what: `the vaults ${members.map(({ name }) => name).join(', ')}`,
    startArguments: ['--config', resolve(entries[0]?.config.file ?? '')],
    exposition: () => exposition(journal.metrics, set.vaultMetrics()),
    begin: () => undefined,
  };
}

/** An index that cannot be upgraded makes every call fail, so the process reports it and exits. */
async function endUseless(error: VaultgraphError, close: () => Promise<void>): Promise<void> {
  if (error.code === 'SHUTTING_DOWN') return;
  reportFailure(error, false);
  await close();
  await exitProcess(Number(process.exitCode));
}

/** Closes the core if the step fails. @returns the result of the step. @throws what the step throws */
async function orClosed<T>({ close }: Pick<Served, 'close'>, step: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([step]);
  if (outcome.status === 'fulfilled') return outcome.value;
  await close();
  throw outcome.reason;
}

/** Starts writing the metrics file, if one is configured. @returns a function that writes it a last time. @throws CONFIG_INVALID */
async function beginMetrics({ outputs }: Config, text: () => string, log: Log): Promise<() => Promise<void>> {
  const { metrics: file } = outputs;
  if (file === undefined) return async () => undefined;
  return (await openMetricsFile(file, text, log)).close;
}

/** Explains a server started by hand: what it waits for and how a client starts it. */
function explainToUser({ what, startArguments, exposed }: Served): void {
  const program = process.argv[1] ?? 'vaultgraph';
  const client = { command: process.execPath, args: [program, 'serve', ...startArguments] };
  process.stderr.write(
    [
      `vaultgraph ${VERSION} is serving ${what} with ${exposed.tools.size} tools and waits for an MCP client on stdin.`,
      'Clients start the server themselves; add this to the MCP settings of yours:',
      JSON.stringify({ mcpServers: { vaultgraph: client } }, null, 2),
      `Press Ctrl-C or Ctrl-D to stop. \`${programName()} call TOOL\` calls a tool from the command line.`,
      '',
    ].join('\n'),
  );
}
