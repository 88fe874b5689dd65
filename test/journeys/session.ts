// Starts the built server as a client does and speaks to it through the official SDK. Knows the program only from outside.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export const ROOT = join(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'dist/main.js');

/** A temporary folder that goes when the test ends. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a fixture vault that a test may change. */
export function copyOfFixture(context: TestContext, name: string): string {
  const folder = temporaryFolder(context);
  cpSync(join(ROOT, 'vault-fixtures', name), folder, { recursive: true });
  return folder;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
  readonly structured: any;
}

export interface Session {
  readonly client: Client;
  readonly processId: number;
  readonly dataFolder: string;
  call(tool: string, given?: Record<string, unknown>): Promise<Answer>;
  toolNames(): Promise<string[]>;
  stderr(): string;
  close(): Promise<void>;
}

interface Start {
  readonly vault?: string;
  readonly config?: string;
  readonly dataFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** One server process and one connected client; both end with the test. */
export async function openSession(context: TestContext, start: Start): Promise<Session> {
  const dataFolder = start.dataFolder ?? temporaryFolder(context);
  const args = [PROGRAM, 'serve', '--data-dir', dataFolder];
  if (start.vault !== undefined) args.push('--vault', start.vault);
  if (start.config !== undefined) args.push('--config', start.config);
  const env = { PATH: process.env.PATH ?? '', HOME: dataFolder, ...start.env };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client({ name: 'vaultgraph-test', version: '1.0.0' });
  await client.connect(transport);
  context.after(() => client.close());
  return {
    client,
    processId: transport.pid ?? 0,
    dataFolder,
    call: async (name, given = {}) => answerOf(await client.callTool({ name, arguments: given })),
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    stderr: () => stderr,
    close: () => client.close(),
  };
}

function answerOf(result: Awaited<ReturnType<Client['callTool']>>): Answer {
  const content = result.content as { type: string; text: string }[];
  return {
    text: content.map((block) => block.text).join('\n'),
    isError: result.isError === true,
    structured: result.structuredContent,
  };
}
