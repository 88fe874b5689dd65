// One server process that may be killed, stopped and restarted at any moment; every call to it ends with an answer or a reason.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** The result of a call: the server's reply, or that its process was killed first. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
export type Reply = { readonly result?: any; readonly error?: any; readonly killed?: true };

export interface SoakServer {
  readonly name: string;
  /** Whether calls can be sent: the process is not killed, stopped or starting. */
  isUp(): boolean;
  pending(): number;
  start(): Promise<void>;
  call(tool: string, given: object): Promise<Reply>;
  request(method: string, params: object): Promise<Reply>;
  kill(): Promise<void>;
  stop(forMs: number): Promise<void>;
  /** Closes stdin and waits for the exit. @returns the exit code */
  end(): Promise<number | string>;
  /** Every log line of every process of this server, in order. */
  log(): readonly string[];
  starts(): number;
  /** Of the process that runs now. */
  pid(): number | undefined;
}

interface Waiting {
  readonly what: string;
  /** The deadline, on a clock that pauses while the process is stopped. */
  readonly due: number;
  readonly resolve: (reply: Reply) => void;
}

export interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds that a call may take in total. */
  readonly limitMs: number;
  /** Called for every violation. */
  readonly fault: (what: string) => void;
}

const LOOK_EVERY_MS = 250;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function createSoakServer({ name, args, env, limitMs, fault }: Start): SoakServer {
  const log: string[] = [];
  const waiting = new Map<number, Waiting>();
  let child: Child | undefined;
  let state: 'down' | 'starting' | 'up' | 'stopped' | 'killed' | 'ending' = 'down';
  let ended = Promise.resolve<number | string>(0);
  let nextId = 1;
  let starts = 0;
  /** Advances only while the process may run. */
  let clock = 0;
  let lookedAt = performance.now();

  const tick = (): void => {
    const now = performance.now();
    // A gap much longer than the timer's interval means that this process was not running either.
    if (state === 'up' || state === 'starting' || state === 'ending')
      clock += Math.min(now - lookedAt, 4 * LOOK_EVERY_MS);
    lookedAt = now;
    for (const [id, { what, due, resolve }] of waiting) {
      if (clock <= due) continue;
      waiting.delete(id);
      fault(`${name}: no answer in time to ${what}`);
      resolve({ killed: true });
    }
  };

  function onLine(line: string): void {
    const message = parsed(line);
    if (message?.jsonrpc !== '2.0') {
      // The last line of a killed process may be incomplete.
      if (state !== 'killed') fault(`${name}: no JSON-RPC on stdout: ${line.slice(0, 300)}`);
      return;
    }
    if (message.method !== undefined) return;
    const requested = waiting.get(message.id);
    if (requested === undefined) {
      fault(`${name}: an answer that no request waits for: ${line.slice(0, 300)}`);
      return;
    }
    waiting.delete(message.id);
    requested.resolve(message);
  }

  function onEnd(code: number | null, signal: string | null): void {
    const expected = state === 'killed' ? signal === 'SIGKILL' : state === 'ending' && code === 0;
    if (!expected) fault(`${name}: ended unasked with ${signal ?? code}: ${log.slice(-5).join('\n')}`);
    state = 'down';
    for (const { resolve } of waiting.values()) resolve({ killed: true });
    waiting.clear();
  }

  function request(method: string, params: object, what = method): Promise<Reply> {
    if (state === 'down' || state === 'killed') return Promise.resolve({ killed: true });
    const id = nextId;
    nextId += 1;
    return new Promise((resolve) => {
      waiting.set(id, { what, due: clock + limitMs, resolve });
      child?.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  async function start(): Promise<void> {
    await ended;
    state = 'starting';
    starts += 1;
    const started: Child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child = started;
    // Writing to a server that was just killed is expected to fail.
    started.stdin.on('error', () => undefined);
    createInterface({ input: started.stdout }).on('line', onLine);
    createInterface({ input: started.stderr }).on('line', (line) => log.push(line));
    ended = new Promise((resolve) => {
      started.once('close', (code, signal) => {
        onEnd(code, signal);
        resolve(signal ?? code ?? 0);
      });
    });
    const clientInfo = { name, version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    if (state !== 'starting') return;
    started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    state = 'up';
  }

  const timer = setInterval(tick, LOOK_EVERY_MS).unref();

  return {
    name,
    isUp: () => state === 'up',
    pending: () => waiting.size,
    starts: () => starts,
    pid: () => (state === 'up' ? child?.pid : undefined),
    log: () => log,
    start,
    request: (method, params) => request(method, params),
    call: (tool, given) => request('tools/call', { name: tool, arguments: given }, `${tool} ${JSON.stringify(given)}`),
    kill: async () => {
      if (child === undefined || state === 'down') return;
      state = 'killed';
      child.kill('SIGKILL');
      await ended;
    },
    stop: async (forMs) => {
      const stopped = child;
      tick();
      state = 'stopped';
      stopped?.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, forMs));
      tick();
      if (stopped !== child || state !== 'stopped') return;
      stopped?.kill('SIGCONT');
      state = 'up';
    },
    end: async () => {
      state = state === 'down' ? 'down' : 'ending';
      child?.stdin.end();
      const late = setTimeout(() => {
        fault(`${name}: did not end`);
        child?.kill('SIGKILL');
      }, 2 * limitMs);
      const code = await ended;
      clearTimeout(late);
      clearInterval(timer);
      return code;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
function parsed(line: string): any {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
