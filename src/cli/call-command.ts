// `vaultgraph call TOOL '{json}'`: calls one tool and prints its result as JSON. Other commands that answer with a tool call it here.
import { createVaultSet } from '../app/vault-set.ts';
import { NEVER } from '../base/async/waits.ts';
import { commandLine } from '../base/command-line.ts';
import { quoted, VaultgraphError } from '../base/errors.ts';
import { parsedJson } from '../base/plain-object.ts';
import type { Config, VaultEntry } from '../config/config.ts';
import { absenceError, type Exposed } from '../mcp/dispatch/expose.ts';
import type { Failure } from '../mcp/render/failure.ts';
import type { Answer } from '../mcp/render/result.ts';
import { runIndexJob } from './bring-up-to-date.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { closeAtEarlyEnd } from './end-process.ts';
import { EXIT } from './exit-code.ts';
import { meantTool } from './meant-command.ts';
import { printJson } from './output.ts';
import { hintForUser } from './perform.ts';
import { usageError } from './usage.ts';
import { openLog, withCore } from './with-core.ts';

export async function runCall(tool: string, json: string, options: CommonOptions): Promise<number> {
  const input = parsedJson(json);
  if (input === undefined)
    throw usageError({
      command: `call ${tool}`,
      rule: `these arguments are not valid JSON: ${json.slice(0, 200)}`,
      accepted: ['{"query": "hello"}'],
    });
  return callTool({ tools: [tool], input, show: (answer) => printed(answer, options) }, options);
}

export interface ToolCall {
  /** The first that is listed is called. */
  readonly tools: readonly string[];
  readonly input: unknown;
  /** What the user wrote for the tool, if not its name. */
  readonly command?: string;
  /** Whether a failed call is left to `show` and not logged on the screen. */
  readonly showsFailure?: boolean;
  /** Prints the answer. @param tool the one that was called @returns the exit code */
  show(answer: Answer['structured'], tool: string): number | Promise<number>;
}

/** Brings the index up to date and calls a tool. @throws INVALID_INPUT for an unknown name; CAPABILITY_NOT_CONFIGURED, READ_ONLY, CANCELLED */
export async function callTool(call: ToolCall, options: CommonOptions): Promise<number> {
  const configs = await configsFor(options);
  if ('several' in configs) return callSeveral(call, configs.several, options);
  return withCore(
    options,
    async (core) => {
      const tool = listedTool(call, core.exposed);
      core.nameClient('command line');
      // If the catch-up fails, the answer reports it, as it does over MCP.
      const { state } = await runIndexJob(core.indexer, { kind: 'catch_up' }, options);
      if (state === 'cancelled') throw new VaultgraphError('CANCELLED', { committed: 'none' });
      return call.show(forUser(await core.call(tool, call.input, CALLER)), tool);
    },
    hiddenIn(call),
  );
}

const CALLER = { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: 'command line' };

const hiddenIn = ({ showsFailure }: ToolCall): string | undefined => (showsFailure ? 'call_failed' : undefined);

function printed(answer: Answer['structured'], options: CommonOptions): number {
  const isRead = process.stdout.isTTY && options.json !== true;
  // Indented on a terminal, one line for a program.
  printJson(answer, isRead ? 2 : undefined);
  return exitCodeOfAnswer(answer);
}

export function exitCodeOfAnswer(answer: Answer['structured']): number {
  if (!answer.ok) return EXIT.failed;
  return answer.partial ? EXIT.part : EXIT.done;
}

const forUser = ({ structured }: Answer): Answer['structured'] =>
  structured.ok ? structured : oneShotFailure(structured);

/** Brings the index of each vault up to date first; why one cannot be is in the answer. */
async function callSeveral(call: ToolCall, entries: readonly VaultEntry[], options: CommonOptions): Promise<number> {
  const log = openLog(entries[0]?.config as Config, 'warn', options, hiddenIn(call));
  const set = createVaultSet(entries, log, 'command line');
  const forget = closeAtEarlyEnd(set.close);
  try {
    const tool = listedTool(call, set.exposed);
    await set.inEach(({ indexer }) => runIndexJob(indexer, { kind: 'catch_up' }, options));
    return await call.show(forUser(await set.call(tool, call.input, CALLER)), tool);
  } finally {
    forget();
    await set.close();
  }
}

/** @throws INVALID_INPUT for an unknown name; CAPABILITY_NOT_CONFIGURED, READ_ONLY */
function listedTool({ tools: names, command }: ToolCall, { tools, absent }: Exposed): string {
  const listed = names.find((name) => tools.has(name));
  if (listed !== undefined) return listed;
  const accepted = [...tools.keys()];
  const [tool = ''] = names;
  const absence = absent.get(tool);
  if (absence !== undefined) throw absenceError({ ...absence, name: command ?? tool }, accepted);
  const meant = meantTool(tool, accepted);
  throw usageError({ command: 'call', rule: `there is no tool ${quoted(tool)}`, accepted, received: tool, meant });
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
