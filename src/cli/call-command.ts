// `vaultgraph call TOOL '{json}'`: calls one tool and prints its result as JSON.

import { commandLine } from '../base/command-line.ts';
import { quoted, VaultgraphError } from '../base/errors.ts';
import { NEVER } from '../base/until-aborted.ts';
import type { Config } from '../lifecycle/config/config.ts';
import type { VaultEntry } from '../lifecycle/config/vault-configs.ts';
import { absenceError, type Exposed } from '../mcp/dispatch/expose.ts';
import type { Failure } from '../mcp/render/failure.ts';
import type { Answer } from '../mcp/render/result.ts';
import { createVaultSet } from '../vaults/vault-set.ts';
import { runIndexJob } from './bring-up-to-date.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { closeAtEarlyEnd } from './early-end.ts';
import { EXIT } from './exit-code.ts';
import { printJson } from './output.ts';
import { hintForUser } from './perform.ts';
import { usageError } from './usage.ts';
import { openLog, withCore } from './with-core.ts';

export async function runCall(tool: string, json: string, options: CommonOptions): Promise<number> {
  const input = parseJson(json);
  if (input === undefined)
    throw usageError({
      command: `call ${tool}`,
      rule: `these arguments are not valid JSON: ${json.slice(0, 200)}`,
      accepted: ['{"query": "hello"}'],
    });
  const configs = await configsFor(options);
  if ('several' in configs) return callSeveral(tool, input, configs.several, options);
  return withCore(options, async (core) => {
    checkTool(tool, core.exposed);
    core.nameClient('command line');
    // If the catch-up fails, the answer reports it, as it does over MCP.
    const { state } = await runIndexJob(core.indexer, { kind: 'catch_up' }, options);
    if (state === 'cancelled') throw new VaultgraphError('CANCELLED', { committed: 'none' });
    return printed(await core.call(tool, input, CALLER), options);
  });
}

const CALLER = { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: 'command line' };

function printed({ structured }: Answer, options: CommonOptions): number {
  const isRead = process.stdout.isTTY && options.json !== true;
  // Indented on a terminal, one line for a program.
  printJson(structured.ok ? structured : oneShotFailure(structured), isRead ? 2 : undefined);
  if (!structured.ok) return EXIT.failed;
  return structured.partial ? EXIT.part : EXIT.done;
}

/** Brings the index of each vault up to date first; why one cannot be is in the answer. */
async function callSeveral(
  tool: string,
  input: unknown,
  entries: readonly VaultEntry[],
  options: CommonOptions,
): Promise<number> {
  const set = createVaultSet(entries, openLog(entries[0]?.config as Config, 'warn'), 'command line');
  const forget = closeAtEarlyEnd(set.close);
  try {
    checkTool(tool, set.exposed);
    await set.inEach(({ indexer }) => runIndexJob(indexer, { kind: 'catch_up' }, options));
    return printed(await set.call(tool, input, CALLER), options);
  } finally {
    forget();
    await set.close();
  }
}

/** @throws INVALID_INPUT for an unknown name; CAPABILITY_NOT_CONFIGURED, READ_ONLY */
function checkTool(tool: string, { tools, absent }: Exposed): void {
  if (tools.has(tool)) return;
  const accepted = [...tools.keys()];
  const known = absent.get(tool);
  if (known !== undefined) throw absenceError(known, accepted);
  throw usageError({ command: 'call', rule: `there is no tool ${quoted(tool)}`, accepted, received: tool });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type FailureError = Failure['error'];

const indexCommand = (): string => `\`${commandLine('index')}\``;

const ADVICE: Readonly<Partial<Record<FailureError['code'], () => string>>> = {
  EMBEDDER_MISMATCH: () =>
    `Run ${indexCommand()} to make vectors with the model in the config, or configure the old model again. search_text works meanwhile.`,
  INDEX_BUILDING: () => `Run ${indexCommand()} and wait until it ends, then try again.`,
  INDEX_EMPTY: () => `Run ${indexCommand()} to build it.`,
  PROVIDER_MODEL_PULLING: () => `The download ends with this command: run ${indexCommand()}, which waits for it.`,
};

function oneShotFailure({ ok, error }: Failure): Failure {
  const advice = ADVICE[error.code];
  if (advice === undefined) return { ok, error: { ...error, hint: hintForUser(error.hint) } };
  const { details: all, actions = [], ...rest } = error;
  const { job_id: _job, done: _done, total: _total, ...details } = all;
  // Without a job in its details, its message does not say that vectors are being made.
  const isMismatch = error.code === 'EMBEDDER_MISMATCH';
  const message = isMismatch ? new VaultgraphError('EMBEDDER_MISMATCH', details as never).message : error.message;
  const others = actions.filter((action) => action.kind !== 'tool_call' || action.tool !== 'reindex');
  const more = others.length === 0 ? {} : { actions: others };
  return { ok, error: { ...rest, message, hint: advice(), ...more, details } };
}
