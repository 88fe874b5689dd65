// Starts one server process and one client of the official SDK over stdio.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const CALL_LIMIT_MS = 120_000;
const STDERR_KEPT = 600;

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: unknown;
  /** The data of the answer, without its envelope. */
  readonly data: unknown;
}

export interface McpSession {
  /** Milliseconds from spawn to the answer to `initialize`. */
  readonly initializeMs: number;
  /** When the process was spawned, on the clock of `performance.now()`. */
  readonly spawnedAt: number;
  readonly processId: number;
  readonly client: Client;
  /** Any answer, including tool errors. */
  ask(tool: string, given: Record<string, unknown>): Promise<Answer>;
  /** An answer that must not be an error. */
  call(tool: string, given: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts Node with these arguments. `home` hides the user's own config. */
export async function openMcpSession(args: readonly string[], home: string, cwd?: string): Promise<McpSession> {
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const started = { command: process.execPath, args: [...args], env, ...(cwd !== undefined && { cwd }) };
  const transport = new StdioClientTransport({ ...started, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(0, STDERR_KEPT);
  });
  const client = new Client({ name: 'vaultgraph-bench', version: '1.0.0' });
  const spawnedAt = performance.now();
  await client.connect(transport).catch((cause: Error) => {
    assert.fail(`the server did not answer initialize: ${cause.message}; ${stderr.replace(/\s+/g, ' ').trim()}`);
  });
  const initializeMs = performance.now() - spawnedAt;
  const ask = async (name: string, given: Record<string, unknown>): Promise<Answer> =>
    answerOf(await client.callTool({ name, arguments: given }, undefined, { timeout: CALL_LIMIT_MS }));
  return {
    initializeMs,
    spawnedAt,
    processId: transport.pid ?? 0,
    client,
    ask,
    call: async (tool, given) => {
      const answer = await ask(tool, given);
      assert.ok(!answer.isError, `${tool} ${JSON.stringify(given)}: ${answer.text}`);
      return answer;
    },
    close: () => client.close(),
  };
}

function answerOf(result: Awaited<ReturnType<Client['callTool']>>): Answer {
  const content = result.content as { text?: string }[];
  const text = content.map((part) => part.text ?? '').join('\n');
  const structured = result.structuredContent as { data?: unknown } | undefined;
  return { text, isError: result.isError === true, structured, data: structured?.data };
}
