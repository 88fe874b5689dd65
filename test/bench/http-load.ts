// `npm run bench:http`: many sessions call the server over HTTP, at a steady rate and then at growing ones; prints latency and memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateVault } from './generate-vault.ts';
import { memoryOf } from './processes.ts';
import { createSeededRandom } from './random.ts';
import { percentile } from './statistics.ts';

const PROGRAM = resolve(process.argv[2] ?? join(import.meta.dirname, '../../dist/main.js'));
const NOTES = 1_000;
const SESSIONS = 200;
const IDLE_SESSIONS = 1_000;
const GOAL = { rate: 500, p99: 100 };
const SECONDS = 10;
const STEP_SECONDS = 5;
const RATES = [500, 700, 900, 1_100, 1_300, 1_500, 1_750, 2_000, 2_500, 3_000];
/** Of a hundred calls, as assistants make them: up to which each tool is called. */
const MIX = [
  ['read_notes', 60],
  ['search_text', 85],
  ['get_neighbors', 99],
  ['get_context', 100],
] as const;
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const KIB = 1_024;

const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-load-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { plan } = await generateVault(join(folder, 'vault'), NOTES);
const config = join(folder, 'config.yaml');
writeFileSync(
  config,
  `vault: { path: ${join(folder, 'vault')} }\nhttp: { requests_per_second: 100000, sessions: 5000 }\n`,
);
const common = ['--config', config, '--data-dir', join(folder, 'data'), '--json'];
const token = (JSON.parse(await output(['tokens', 'add', 'load', ...common])) as { token: string }).token;
const server = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', '0', ...common], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
process.once('exit', () => server.kill());
const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
const { url } = JSON.parse(line) as { readonly url: string };
const agent = new Agent({ keepAlive: true, maxSockets: SESSIONS });
const random = createSeededRandom(1);

const first = await openSession();
await send(first, message('reindex', { wait_ms: 50_000 }));
await measureIdleSessions();
const sessions = await Promise.all(Array.from({ length: SESSIONS }, openSession));
await run(sessions, GOAL.rate / 5, STEP_SECONDS);
const steady = await run(sessions, GOAL.rate, SECONDS);
report(`${GOAL.rate} calls a second, ${SESSIONS} sessions (goal: p99 at most ${GOAL.p99} ms)`, steady);
await findHighestRate();
process.stdout.write(`memory of the server at the end: ${Math.round(memoryOf(server.pid ?? 0).now)} MiB\n`);
agent.destroy();
server.kill();

interface Outcome {
  readonly asked: number;
  readonly answered: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The highest rate is the last one that is kept up with. */
async function findHighestRate(): Promise<void> {
  let highest = 0;
  for (const rate of RATES) {
    const outcome = await run(sessions, rate, STEP_SECONDS);
    report(`${rate} calls a second`, outcome);
    if (outcome.p99 > GOAL.p99 || outcome.errors > 0) break;
    highest = rate;
  }
  process.stdout.write(`highest rate with p99 of at most ${GOAL.p99} ms: ${highest} calls a second\n`);
}

async function measureIdleSessions(): Promise<void> {
  await sleep(2_000);
  const before = memoryOf(server.pid ?? 0).now;
  for (let opened = 0; opened < IDLE_SESSIONS; opened += SESSIONS)
    await Promise.all(Array.from({ length: SESSIONS }, openSession));
  await sleep(2_000);
  const grown = ((memoryOf(server.pid ?? 0).now - before) * KIB) / IDLE_SESSIONS;
  process.stdout.write(
    `memory per idle session: ${grown.toFixed(1)} KiB, by resident memory and ${IDLE_SESSIONS} sessions (goal: 100)\n`,
  );
}

/** Starts calls at fixed times, whether or not earlier ones are answered. */
async function run(open: readonly string[], rate: number, seconds: number): Promise<Outcome> {
  const took: number[] = [];
  const running: Promise<void>[] = [];
  let errors = 0;
  const start = performance.now();
  const asked = rate * seconds;
  for (let call = 0; call < asked; call += 1) {
    const due = start + (call * 1_000) / rate;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    const one = send(open[call % open.length] ?? '', randomCall()).then((isAnswer) => {
      // From when it was due: a driver that is late must not make the server look fast.
      took.push(performance.now() - due);
      if (!isAnswer) errors += 1;
    });
    running.push(one);
  }
  await Promise.all(running);
  const perSecond = (took.length * 1_000) / (performance.now() - start);
  const sorted = took.sort((one, other) => one - other);
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { asked, answered: took.length - errors, errors, perSecond, p50, p99, max: sorted.at(-1) ?? 0 };
}

function report(what: string, { answered, asked, errors, perSecond, p50, p99, max }: Outcome): void {
  const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(0)} ms`;
  process.stdout.write(
    `${what}: ${answered} of ${asked} answered, ${errors} errors, ${Math.round(perSecond)} a second; ${times}\n`,
  );
}

function message(tool: string, given: object): object {
  return { jsonrpc: '2.0', id: random.below(1e9), method: 'tools/call', params: { name: tool, arguments: given } };
}

function randomCall(): object {
  const drawn = random.below(100);
  const [tool] = MIX.find(([, below]) => drawn < below) ?? MIX[0];
  const { path = '' } = plan.notes[random.below(plan.notes.length)] ?? {};
  const words = path.replace(/^.*\/|\.md$/g, '');
  if (tool === 'read_notes') return message(tool, { notes: [path] });
  if (tool === 'get_neighbors') return message(tool, { note: path });
  return message(tool, tool === 'search_text' ? { query: words } : { topic: words });
}

/** @returns the id of the session */
async function openSession(): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } };
  const { headers } = await exchange('', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  return String(headers['mcp-session-id']);
}

/** Whether the call was answered without an error. */
async function send(session: string, body: object): Promise<boolean> {
  const { status, text } = await exchange(session, body);
  return status === 200 && text.includes('"isError":false');
}

async function exchange(session: string, body: object) {
  const headers = {
    ...HEADERS,
    authorization: `Bearer ${token}`,
    ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  };
  const sent = request(url, { method: 'POST', agent, headers });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode as number, text, headers: response.headers as Record<string, unknown> };
}

async function output(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
  return text;
}
