// `vaultgraph call TOOL '{json}'`: calls one tool and prints its result as JSON.
import { runIndexJob } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

export async function runCall(tool: string, json: string, options: CommonOptions): Promise<number> {
  const input = parseJson(json);
  if (input === undefined)
    return refuse(`These arguments are not valid JSON: ${json.slice(0, 200)}. Example: '{"query":"hello"}'`);
  return withCore(options, async (core) => {
    if (!core.exposed.tools.has(tool))
      return refuse(`no tool ${tool}; listed: ${[...core.exposed.tools.keys()].join(', ')}`);
    core.nameClient('command line');
    // If the catch-up fails, the answer reports it, as it does over MCP.
    await runIndexJob(core.indexer, { kind: 'catch_up' }, options);
    const answer = await core.call(tool, input, {
      signal: new AbortController().signal,
      limitMs: Number.POSITIVE_INFINITY,
      client: 'command line',
    });
    process.stdout.write(`${JSON.stringify(answer.structured)}\n`);
    if (!answer.structured.ok) return EXIT.failed;
    return answer.structured.partial ? EXIT.part : EXIT.done;
  });
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return EXIT.usage;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
