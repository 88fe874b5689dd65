// Starts a server and exchanges single lines with it, to send what no client library would send.
import { type ChildProcess, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { withMetadata } from '../mcp/transport/stdio-process.ts';
import { serveArguments, temporaryFolder } from './session.ts';

/** The protocol without a handshake. */
export const STATELESS = '2026-07-28';
/** A version of each era. */
export const VERSIONS = ['2025-11-25', STATELESS] as const;

export interface RawReply {
  readonly id?: number | string | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
  readonly error?: any;
}

export interface RawServer {
  readonly child: ChildProcess;
  readonly dataFolder: string;
  /** All lines on stdout so far; the last one may be incomplete. A complete line that is not JSON fails the test. */
  lines(): readonly string[];
  stderr(): string;
  write(text: string | Buffer): void;
  send(message: object): void;
  /** Sends `initialize`, waits for the answer, and sends the notification after it. Under 2026-07-28 each later request has metadata instead. */
  begin(protocolVersion?: string, capabilities?: object): Promise<void>;
  /** The answer to `id`; rejects if the process ends first. */
  reply(id: number | string): Promise<RawReply>;
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

interface Start {
  readonly vault?: string;
  readonly config?: string;
  readonly dataFolder?: string;
  /** In addition to what every server gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The user that the process runs as. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
}

/** Starts a server, which is killed when the test ends. */
export function startRawServer(context: TestContext, start: Start): RawServer {
  const dataFolder = start.dataFolder ?? temporaryFolder(context);
  const env = { PATH: process.env.PATH ?? '', HOME: dataFolder, ...start.env };
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
  const child = spawn(process.execPath, serveArguments(start, dataFolder), { ...start.identity, env, stdio });
  const whole: string[] = [];
  const replies = new Map<unknown, RawReply>();
  let rest = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const notifyAll = (): void => {
    for (const look of [...waiting]) look();
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const [...lines] = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    whole.push(...lines);
    for (const line of lines) {
      const message = JSON.parse(line) as RawReply | readonly RawReply[];
      for (const one of [message].flat()) if (one.method === undefined) replies.set(one.id, one);
    }
    notifyAll();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // Some tests write to a server that has ended.
  child.stdin.on('error', () => undefined);
  let hasEnded = false;
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      hasEnded = true;
      notifyAll();
      resolve(signal ?? code);
    });
  });
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const reply = (id: number | string): Promise<RawReply> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = replies.get(id);
        if (found === undefined && !hasEnded) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`the server ended without an answer to ${id}: ${stderr}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  const write = (text: string | Buffer): void => void child.stdin.write(text);
  let isStateless = false;
  const send = (message: object): void => {
    const sent = isStateless && 'id' in message ? withMetadata(message) : message;
    write(`${JSON.stringify({ jsonrpc: '2.0', ...sent })}\n`);
  };
  return {
    child,
    dataFolder,
    lines: () => (rest === '' ? whole : [...whole, rest]),
    stderr: () => stderr,
    write,
    send,
    reply,
    ended,
    begin: async (protocolVersion = '2025-06-18', capabilities = {}) => {
      const clientInfo = { name: 'by hand', version: '1' };
      isStateless = protocolVersion === STATELESS;
      if (isStateless) {
        send({ id: 0, method: 'tools/list' });
        await reply(0);
        return;
      }
      send({ id: 0, method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
      await reply(0);
      send({ method: 'notifications/initialized' });
    },
  };
}

/** The message that calls a tool. */
export function toolCall(id: number, name: string, given: object = {}): object {
  return { id, method: 'tools/call', params: { name, arguments: given } };
}
