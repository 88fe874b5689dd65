// `vaultgraph serve`: serves MCP on stdio until the client goes, and keeps the index up to date in the background.
import module from 'node:module';
import { NEVER } from '../base/async/waits.ts';
import { programName } from '../base/command-line.ts';
import type { Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import { visibleJson } from '../base/visible-controls.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import { guardStdout, surviveStderr } from '../mcp/transport/process-streams.ts';
import { serve } from '../mcp/transport/server.ts';
import { ICONS } from '../mcp/transport/server-info.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { exitProcess } from './end-process.ts';
import { EXIT } from './exit-code.ts';
import { report, reportLines } from './output.ts';
import { beginMetrics, endUseless, expectFaults, openServed, orClosed, type Served, serverConfig } from './served.ts';
import { openLog } from './with-core.ts';

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
  const config = serverConfig(configs);
  expectFaults(configs);
  log = openLog(config, config.log.level, options);
  const served = await openServed(configs, log);
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
  // Not before a handshake that is already there: starting threads takes milliseconds.
  setImmediate(() => {
    served.begin((error) => void endUseless(error, close));
    // Node keeps it when a process ends by itself; many clients kill theirs, and each would compile the program again.
    module.flushCompileCache?.();
  });
  await ended;
  return EXIT.done;
}

/** Explains a server started by hand: what it waits for and how a client starts it. */
function explainToUser({ what, startArguments, exposed }: Served): void {
  const program = process.argv[1] ?? 'vaultgraph';
  const client = { command: process.execPath, args: [program, 'serve', ...startArguments] };
  report(
    [
      `vaultgraph ${VERSION} is serving ${what} with ${exposed.tools.size} tools and waits for an MCP client on stdin.`,
      'Clients start the server themselves; add this to the MCP settings of yours:\n',
    ].join('\n'),
  );
  reportLines(`${visibleJson({ mcpServers: { vaultgraph: client } }, 2)}\n`);
  report(`Press Ctrl-C or Ctrl-D to stop. \`${programName()} call TOOL\` calls a tool from the command line.\n`);
}
