// Starts the test server as a client does and exchanges raw lines with it.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { bundledProgram } from '../../runner/bundles.ts';
import type { ServerScript } from '../test-server.ts';

export const TEST_SERVER = bundledProgram('test/mcp/test-server.ts');

// biome-ignore lint/suspicious/noExplicitAny: a test reads messages as their client does, without types.
export type Message = any;

export interface RawSession {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  send(message: object): void;
  request(id: number, method: string, params?: object): Promise<Message>;
  /** The first message that fits, now or later. */
  message(fits: (message: Message) => boolean): Promise<Message>;
  messages(): readonly Message[];
  /** Every line so far, each checked to be JSON-RPC. */
  assertCleanStdout(): void;
  stderr(): string;
}

/** `session` begins with a handshake (protocol 2025-11-25); in `stateless` each request has its own metadata (2026-07-28). */
export type Era = 'session' | 'stateless';
export const ERAS: readonly Era[] = ['session', 'stateless'];

export const METADATA = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The message as a client without a handshake sends it. */
export const withMetadata = (message: Message): Message => ({
  ...message,
  params: { ...message.params, _meta: { ...METADATA, ...message.params?._meta } },
});

/** A session that has begun in its era; the process is killed if it outlives the test. */
export async function openRawSession(
  context: TestContext,
  script: ServerScript = {},
  era: Era = 'session',
): Promise<RawSession> {
  const child = spawn(process.execPath, [TEST_SERVER, JSON.stringify(script)]);
  context.after(() => void child.kill('SIGKILL'));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    for (const look of waiting) look();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const messages = (): Message[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const message = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages().find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() => reject(new assert.AssertionError({ message: `the server ended first: ${stderr}` })));
      look();
    });
  const send = (sent: Message): void => {
    const message = era === 'stateless' && 'id' in sent ? withMetadata(sent) : sent;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const request = (id: number, method: string, params: object = {}): Promise<Message> => {
    send({ id, method, params });
    return message((answer) => answer.id === id);
  };
  const clientInfo = { name: 'raw', version: '1' };
  if (era === 'stateless') await request(0, 'tools/list');
  else {
    await request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
  }
  const assertCleanStdout = (): void => {
    assert.ok(stdout.endsWith('\n'), 'the last line is whole');
    for (const line of messages()) assert.equal(line.jsonrpc, '2.0');
  };
  return { child, ended, send, request, message, messages, assertCleanStdout, stderr: () => stderr };
}

export const callTool = (session: RawSession, id: number, name: string, given: object = {}): Promise<Message> =>
  session.request(id, 'tools/call', { name, arguments: given });
