// `vaultgraph serve`: MCP on stdio until the client goes; the index is brought up to date behind it. Knows no tool.
import { createLog } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import { type GraphCore, openGraphCore } from '../graph-core.ts';
import { recordCrashes } from '../lifecycle/crash-file.ts';
import { instructionsFor } from '../mcp/instructions.ts';
import { serve } from '../mcp/server.ts';
import { guardStdout } from '../mcp/stdout-guard.ts';
import type { CommonOptions } from './common-options.ts';
import { configFor } from './config-for.ts';
import { EXIT } from './exit-code.ts';

/** Behind the handshake, which a model that loads within this process would hold up. */
const WARM_UP_AFTER_MS = 1_000;

/** Ends the process itself once the client has gone. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* before it serves */
export async function runServe(options: CommonOptions): Promise<number> {
  let violations = 0;
  let core: GraphCore | undefined;
  const guard = guardStdout(() => {
    violations += 1;
    core?.journal.count('stdout_violations');
  });
  const config = await configFor(options);
  recordCrashes(config.dataFolder, VERSION, () => process.exit(EXIT.failed));
  const log = createLog(config.log.level, (line) => process.stderr.write(line));
  core = await openGraphCore(config, log);
  for (let seen = 0; seen < violations; seen += 1) core.journal.count('stdout_violations');
  if (config.startup.verify) await verified(core);
  if (process.stdin.isTTY) tellPerson(core);
  const { exposed, vault, absent, call, close } = core;
  const toolNames = [...exposed.tools.keys()];
  const instructions = instructionsFor({ vaultName: vault.name, access: vault.access, toolNames, absent });
  const { structured_content: structuredContent } = config.mcp;
  const identity = { name: 'vaultgraph', title: 'vaultgraph', version: VERSION, instructions };
  const ends = { close, exit: (code: number) => process.exit(code) };
  const wire = { dispatch: call, structuredContent, guard, stdin: process.stdin, log };
  const served = serve({ ...identity, ...ends, exposed, ...wire });
  core.indexer.start({ kind: 'catch_up' });
  setTimeout(core.warmUp, WARM_UP_AFTER_MS).unref();
  await served;
  return EXIT.done;
}

/** @throws CONFIG_INVALID, with nothing left open, where a provider does not pass */
async function verified({ verify, close }: GraphCore): Promise<void> {
  const [outcome] = await Promise.allSettled([verify(new AbortController().signal)]);
  if (outcome.status === 'fulfilled') return;
  await close();
  throw outcome.reason;
}

/** Somebody started it by hand: say what it waits for and how a client would start it. */
function tellPerson({ config, exposed }: GraphCore): void {
  const program = process.argv[1] ?? 'vaultgraph';
  const client = { command: process.execPath, args: [program, 'serve', '--vault', config.vaultRoot] };
  process.stderr.write(
    [
      `vaultgraph ${VERSION} serves ${config.vaultRoot} with ${exposed.tools.size} tools and waits for an MCP client on stdin.`,
      'A client starts it by itself; put this into its MCP settings:',
      JSON.stringify({ mcpServers: { vaultgraph: client } }, null, 2),
      'Ctrl-C or Ctrl-D ends it. `vaultgraph call TOOL` asks from the command line.',
      '',
    ].join('\n'),
  );
}
