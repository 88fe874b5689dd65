// Starts the built server as a client does and talks to it through the official SDK.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { type ClientCapabilities, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';

export const ROOT = join(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'dist/main.js');

/** A temporary folder that is deleted when the test ends. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-test-'));
  // A server of the test may still write: its own hook comes later.
  context.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A copy of a fixture vault that a test may change. */
export function copyOfFixture(context: TestContext, name: string): string {
  const folder = temporaryFolder(context);
  cpSync(join(ROOT, 'vault-fixtures', name), folder, { recursive: true });
  return folder;
}

/** A config file in a folder of its own; `yaml` is whole lines. */
export function configFile(context: TestContext, yaml: string): string {
  const file = join(temporaryFolder(context), 'config.yaml');
  writeFileSync(file, yaml);
  return file;
}

const VAULTS = join(ROOT, '../shared/vaults');
/** Vaults written by other people, which only long tests read; empty if they are not next to the checkout. */
export const REAL_VAULTS: readonly string[] = existsSync(VAULTS)
  ? readdirSync(VAULTS, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.truth'))
      .map((entry) => join(VAULTS, entry.name))
  : [];

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program until it exits, with empty stdin and a temporary home folder. */
export function runProgram(
  context: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Ended {
  const home = temporaryFolder(context);
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    cwd: home,
    input: '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** Like `runProgram`, with a server in this process that the program talks to. */
export async function runBeside(
  context: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const home = temporaryFolder(context);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

/** The index file of the only vault in `dataFolder`. */
export function indexFile(dataFolder: string): string {
  const [folder = ''] = readdirSync(dataFolder).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return join(dataFolder, folder, 'index.db');
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
  call(tool: string, given?: Record<string, unknown>, options?: RequestOptions): Promise<Answer>;
  /** Updates the index, and returns the job as `reindex` reports it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  indexed(): Promise<any>;
  toolNames(): Promise<string[]>;
  stderr(): string;
  close(): Promise<void>;
}

interface Start {
  readonly vault?: string;
  readonly config?: string;
  readonly dataFolder?: string;
  readonly stateFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers the forms that the server asks the client to show; without it the client supports none. */
  readonly answerForm?: (message: string) => Promise<ElicitResult>;
  /** What the client announces. */
  readonly capabilities?: ClientCapabilities;
  /** Shell commands before the server's command, for example `ulimit -f 8;`. */
  readonly shell?: string;
}

/** The node arguments for a server. */
export function serveArguments({ vault, config, stateFolder }: Start, dataFolder: string): string[] {
  return [
    PROGRAM,
    'serve',
    '--data-dir',
    dataFolder,
    ...(stateFolder === undefined ? [] : ['--state-dir', stateFolder]),
    ...(vault === undefined ? [] : ['--vault', vault]),
    ...(config === undefined ? [] : ['--config', config]),
  ];
}

/** Starts a server process and connects a client; both end with the test. */
export async function openSession(context: TestContext, start: Start): Promise<Session> {
  const dataFolder = start.dataFolder ?? temporaryFolder(context);
  const command = [process.execPath, ...serveArguments(start, dataFolder)];
  const [first = '', ...args] =
    start.shell === undefined ? command : ['sh', '-c', `${start.shell} exec "$0" "$@"`, ...command];
  const env = { PATH: process.env.PATH ?? '', HOME: dataFolder, ...start.env };
  const transport = new StdioClientTransport({ command: first, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const { answerForm } = start;
  const capabilities = { ...start.capabilities, ...(answerForm === undefined ? {} : { elicitation: {} }) };
  const client = new Client({ name: 'vaultgraph-test', version: '1.0.0' }, { capabilities });
  if (answerForm !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerForm(params.message));
  await client.connect(transport);
  context.after(() => client.close());
  return {
    client,
    processId: transport.pid ?? 0,
    dataFolder,
    call: async (name, given = {}, options = {}) =>
      answerOf(await client.callTool({ name, arguments: given }, undefined, options)),
    indexed: async () => {
      const { structured } = answerOf(await client.callTool({ name: 'reindex', arguments: { wait_ms: 45_000 } }));
      return jobOf(structured);
    },
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    stderr: () => stderr,
    close: () => client.close(),
  };
}

/** The job of a `reindex` answer; for a failed job, its state and the code of the cause. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
export function jobOf(structured: any): any {
  if (structured.error?.code !== 'INDEX_JOB_FAILED') return structured.data;
  return { state: 'failed', error: { code: structured.error.details.cause } };
}

export function answerOf(result: Awaited<ReturnType<Client['callTool']>>): Answer {
  const content = result.content as { type: string; text?: string }[];
  return {
    text: content.flatMap(({ text }) => text ?? []).join('\n'),
    isError: result.isError === true,
    structured: result.structuredContent,
  };
}
