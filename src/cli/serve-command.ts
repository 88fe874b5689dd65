// `vaultgraph serve`: serves MCP on stdio until the client goes, and keeps the index up to date in the background.
import { programName } from '../base/command-line.ts';
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { NEVER } from '../base/until-aborted.ts';
import { VERSION } from '../base/version.ts';
import { endIfStuck } from '../base/worker-threads.ts';
import { type GraphCore, openGraphCore } from '../graph-core.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { openMetricsFile } from '../lifecycle/metrics-file.ts';
import { exposition } from '../mcp/metrics/exposition.ts';
import { guardStdout, surviveStderr } from '../mcp/transport/process-streams.ts';
import { serve } from '../mcp/transport/server.ts';
import { ICONS, instructionsFor } from '../mcp/transport/server-info.ts';
import { type CommonOptions, configFor } from './common-options.ts';
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
  let core: GraphCore | undefined;
  let log: Log | undefined;
  surviveStderr(() => log?.('warn', 'stderr_closed'));
  const stdout = guardStdout(() => {
    violations += 1;
    core?.journal.count('stdout_violations');
  });
  const config = await configFor(options);
  keepCrashesIn(config.dataFolder);
  endIfStuck(Math.max(STUCK_CALLS * config.limits.call, MIN_STUCK_MS));
  log = openLog(config, config.log.level);
  core = await openGraphCore(config, log, 'vaultgraph serve');
  for (let seen = 0; seen < violations; seen += 1) core.journal.count('stdout_violations');
  if (config.startup.verify) await orClosed(core, core.verify(NEVER));
  const closeMetrics = await orClosed(core, beginMetrics(core, log));
  if (process.stdin.isTTY) explainToUser(core);
  const { exposed, vault, absent, offer } = core;
  const toolNames = [...exposed.tools.keys()];
  const facts = { vaultName: vault.name, access: vault.access, toolNames, absent, promptNames: offer.promptNames };
  const instructions = instructionsFor(facts);
  const identity = { name: 'vaultgraph', title: 'vaultgraph', version: VERSION, icons: ICONS };
  const close = async (): Promise<void> => void (await Promise.all([core?.close(), closeMetrics()]));
  const events = { close, exit: (code: number) => void exitProcess(code), onClient: core.nameClient };
  const io = { stdin: process.stdin, stdout, maxMessageBytes: config.limits.message, log };
  const served = serve({ identity, instructions, offer, ...events, ...io });
  const { ready, attend } = core;
  if (ready === undefined) attend();
  else ready.then(attend).catch((thrown: unknown) => endUseless(toVaultgraphError(thrown), close));
  setTimeout(core.warmUp, WARM_UP_AFTER_MS).unref();
  await served;
  return EXIT.done;
}

/** An index that cannot be upgraded makes every call fail, so the process reports it and exits. */
async function endUseless(error: VaultgraphError, close: () => Promise<void>): Promise<void> {
  if (error.code === 'SHUTTING_DOWN') return;
  reportFailure(error, false);
  await close();
  await exitProcess(Number(process.exitCode));
}

/** Closes the core if the step fails. @returns the result of the step. @throws what the step throws */
async function orClosed<T>({ close }: GraphCore, step: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([step]);
  if (outcome.status === 'fulfilled') return outcome.value;
  await close();
  throw outcome.reason;
}

/** Starts writing the metrics file, if one is configured. @returns a function that writes it a last time. @throws CONFIG_INVALID */
async function beginMetrics({ config, journal }: GraphCore, log: Log): Promise<() => Promise<void>> {
  const { metrics: file } = config.outputs;
  if (file === undefined) return async () => undefined;
  return (await openMetricsFile(file, () => exposition(journal.metrics), log)).close;
}

/** Explains a server started by hand: what it waits for and how a client starts it. */
function explainToUser({ config, exposed }: GraphCore): void {
  const program = process.argv[1] ?? 'vaultgraph';
  const client = { command: process.execPath, args: [program, 'serve', '--vault', config.vaultRoot] };
  process.stderr.write(
    [
      `vaultgraph ${VERSION} is serving ${config.vaultRoot} with ${exposed.tools.size} tools and waits for an MCP client on stdin.`,
      'Clients start the server themselves; add this to the MCP settings of yours:',
      JSON.stringify({ mcpServers: { vaultgraph: client } }, null, 2),
      `Press Ctrl-C or Ctrl-D to stop. \`${programName()} call TOOL\` calls a tool from the command line.`,
      '',
    ].join('\n'),
  );
}
