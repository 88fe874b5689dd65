// `vaultgraph call TOOL '{json}'`: calls one tool and prints its result as JSON.
import { quoted, VaultgraphError } from '../base/errors.ts';
import { NEVER } from '../base/until-aborted.ts';
import { absenceError, type Exposed } from '../mcp/dispatch/expose.ts';
import { runIndexJob } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { oneShotFailure } from './one-shot-failure.ts';
import { usageError } from './usage.ts';
import { withCore } from './with-core.ts';

export async function runCall(tool: string, json: string, options: CommonOptions): Promise<number> {
  const input = parseJson(json);
  if (input === undefined)
    throw usageError({
      command: `call ${tool}`,
      rule: `these arguments are not valid JSON: ${json.slice(0, 200)}`,
      accepted: ['{"query": "hello"}'],
    });
  return withCore(options, async (core) => {
    checkTool(tool, core.exposed);
    core.nameClient('command line');
    // If the catch-up fails, the answer reports it, as it does over MCP.
    const { state } = await runIndexJob(core.indexer, { kind: 'catch_up' }, options);
    if (state === 'cancelled') throw new VaultgraphError('CANCELLED', { committed: 'none' });
    const answer = await core.call(tool, input, {
      signal: NEVER,
      limitMs: Number.POSITIVE_INFINITY,
      client: 'command line',
    });
    const shown = answer.structured.ok ? answer.structured : oneShotFailure(answer.structured);
    process.stdout.write(jsonText(shown, options));
    if (!answer.structured.ok) return EXIT.failed;
    return answer.structured.partial ? EXIT.part : EXIT.done;
  });
}

/** @throws INVALID_INPUT for an unknown name; CAPABILITY_NOT_CONFIGURED, READ_ONLY */
function checkTool(tool: string, { tools, absent }: Exposed): void {
  if (tools.has(tool)) return;
  const accepted = [...tools.keys()];
  const known = absent.get(tool);
  if (known !== undefined) throw absenceError(known, accepted);
  throw usageError({ command: 'call', rule: `there is no tool ${quoted(tool)}`, accepted, received: tool });
}

/** Indented on a terminal, one line for a program. */
function jsonText(value: object, { json }: CommonOptions): string {
  const isRead = process.stdout.isTTY && json !== true;
  return `${JSON.stringify(value, null, isRead ? 2 : undefined)}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
