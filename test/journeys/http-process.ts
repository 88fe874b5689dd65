// Starts the built server over HTTP, with tokens, and connects clients of the SDK to it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { type Answer, answerOf, type Ended, PROGRAM, runProgram, temporaryFolder } from './session.ts';

export interface HttpProcess {
  /** Of the MCP endpoint. */
  readonly url: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly dataFolder: string;
  /** Runs `vaultgraph tokens` with the same config. */
  readonly tokens: (...args: string[]) => Ended;
  /** Adds a token and returns it. */
  readonly addToken: (name: string, view?: string) => string;
  readonly connect: (token: string, capabilities?: ClientCapabilities) => Promise<HttpClient>;
  /** The exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export interface HttpClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  call(tool: string, given?: Record<string, unknown>): Promise<Answer>;
}

/** The process is killed when the test ends. @param args after `serve --http` */
export async function startHttp(
  context: TestContext,
  config: string,
  args: readonly string[] = [],
): Promise<HttpProcess> {
  const home = temporaryFolder(context);
  const common = ['--config', config, '--data-dir', home];
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', '0', '--json', ...common, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals | null);
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [undefined])]);
  assert.ok(line !== undefined, stderr);
  const { url } = JSON.parse(line as string) as { readonly url: string };
  const tokens = (...given: string[]): Ended => runProgram(context, ['tokens', ...given, ...common]);
  return {
    ...{ url, child, ended, tokens, dataFolder: home, stderr: () => stderr },
    addToken: (name, view) => addToken(tokens, name, view),
    connect: (token, capabilities) => connect(context, url, token, capabilities),
  };
}

function addToken(tokens: HttpProcess['tokens'], name: string, view?: string): string {
  const { status, stdout, stderr } = tokens('add', name, '--json', ...(view === undefined ? [] : ['--view', view]));
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as { readonly token: string }).token;
}

async function connect(
  context: TestContext,
  url: string,
  token: string,
  capabilities: ClientCapabilities = {},
): Promise<HttpClient> {
  const client = new Client({ name: 'http-test', version: '1.0.0' }, { capabilities });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  context.after(() => client.close());
  return {
    ...{ client, transport },
    call: async (name, given = {}) => answerOf(await client.callTool({ name, arguments: given })),
  };
}

export const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' } as const;

/** A request of the handshake. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
} as const;

/** Sends a body as it is. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', body: text, headers: { ...HEADERS, ...headers } });
}

/** Opens a session by hand. @returns its headers */
export async function openByHand(
  url: string,
  headers: Record<string, string> = {},
  capabilities = {},
): Promise<Record<string, string>> {
  const params = { ...INITIALIZE.params, capabilities };
  const response = await post(url, { ...INITIALIZE, params }, headers);
  assert.equal(response.status, 200, await response.clone().text());
  await response.text();
  return {
    ...headers,
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
