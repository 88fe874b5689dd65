// M10: checks that the process ends soon whatever it is doing or waiting for, and loses no committed data.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateVault } from '../bench/generate-vault.ts';
import { hang } from '../fakes/http/faults.ts';
import { until } from '../until.ts';
import { ollamaFor, setUp } from './embedding-session.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import {
  configFile,
  copyOfFixture,
  PROGRAM,
  runBeside,
  runProgram,
  serveArguments,
  temporaryFolder,
} from './session.ts';

/** Three seconds, and far more on a busy machine; what the process must not wait for takes half a minute or for ever. */
const MAX_END_MS = 20_000;

const TRIGGERS: Readonly<Record<string, (child: ChildProcess) => unknown>> = {
  'stdin closed': (child) => child.stdin?.end(),
  SIGTERM: (child) => child.kill('SIGTERM'),
};

/** Returns how the process ended, and fails if it took longer than allowed. */
async function endOf(child: ChildProcess, trigger: (child: ChildProcess) => unknown): Promise<number | string | null> {
  const began = performance.now();
  const ended = once(child, 'exit');
  trigger(child);
  const [code, signal] = await ended;
  const tookMs = performance.now() - began;
  assert.ok(tookMs < MAX_END_MS, `${Math.round(tookMs)} ms`);
  return signal ?? code;
}

/** Code that runs in every thread of a server before anything else. */
function preloaded(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** A named pipe without a writer: opening it is a system call that does not return. */
function pipeIn(context: TestContext): string {
  const path = join(temporaryFolder(context), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** The client's messages of a handshake, which a server answers at once. */
async function serving(context: TestContext, vault: string, code: string, config?: string): Promise<ChildProcess> {
  const dataFolder = temporaryFolder(context);
  const child = spawn(
    process.execPath,
    [...preloaded(code), ...serveArguments({ vault, ...(config && { config }) }, dataFolder)],
    {
      env: { PATH: process.env.PATH ?? '', HOME: dataFolder },
    },
  );
  context.after(() => child.kill('SIGKILL'));
  child.stdout.resume();
  child.stdin.on('error', () => undefined);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  while (!stderr.includes('"serving"')) await sleep(20);
  return child;
}

test('a client that is gone before the server has begun leaves no crash', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  // Which of the two comes first depends on timing.
  for (let run = 0; run < 5; run += 1) {
    const env = { PATH: process.env.PATH ?? '', HOME: dataFolder };
    const ended = spawnSync(process.execPath, serveArguments({ vault }, dataFolder), {
      input: '',
      env,
      encoding: 'utf8',
    });
    assert.equal(ended.status, 0, ended.stderr);
    assert.doesNotMatch(ended.stderr, /"crash"/);
  }
});

for (const [name, trigger] of Object.entries(TRIGGERS)) {
  test(`M10 ${name} while a provider hangs: the call gets an answer and the process exits`, async (context) => {
    const ollama = await ollamaFor(context);
    const setup = setUp(context, ollama);
    const place = ['--config', setup.config, '--data-dir', setup.dataFolder];
    assert.equal((await runBeside(context, ['index', ...place])).status, 0);
    const server = startRawServer(context, setup);
    await server.begin();
    ollama.fail(hang(), { on: '/api/embed' });
    // The index has made requests too.
    const before = ollama.requestsTo('/api/embed').length;
    server.send(toolCall(1, 'search', { query: 'tide' }));
    await until(() => ollama.requestsTo('/api/embed').length > before, 'the query is sent');
    assert.equal(await endOf(server.child, trigger), 0);
    assert.equal((await server.reply(1)).result.structuredContent.error.code, 'SHUTTING_DOWN');
    const after = await runBeside(context, ['status', ...place]);
    assert.doesNotMatch(after.stderr, /lease_taken/, 'it gave back what it held');
  });

  test(`M10 ${name} while the vault hangs in a system call: the process exits, by force if necessary`, async (context) => {
    const pipe = pipeIn(context);
    const child = await serving(
      context,
      copyOfFixture(context, 'tiny'),
      `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; import { workerData } from 'node:worker_threads';
       if (workerData?.sharedState) { const { openSync } = fs; const stuck = () => openSync(${JSON.stringify(pipe)}, 'r');
         fs.lstatSync = stuck; fs.openSync = stuck; fs.readdirSync = stuck; fs.opendirSync = stuck; fs.statSync = stuck; syncBuiltinESMExports(); }`,
    );
    await sleep(500);
    assert.ok([0, 'SIGKILL'].includes((await endOf(child, trigger)) ?? ''));
  });

  test(`M10 ${name} while the index writer thread is stuck: the process exits by force`, async (context) => {
    const pipe = pipeIn(context);
    const child = await serving(
      context,
      copyOfFixture(context, 'tiny'),
      `import { openSync } from 'node:fs'; import { parentPort, workerData } from 'node:worker_threads';
       if (workerData?.file && !workerData.sharedState) parentPort.on('message', () => openSync(${JSON.stringify(pipe)}, 'r'));`,
    );
    await sleep(1_000);
    assert.equal(await endOf(child, trigger), 'SIGKILL');
  });
}

test('M10 while the main thread spins: a thread kills the process, although SIGTERM cannot be handled', async (context) => {
  const config = configFile(context, 'limits: { call: 1000 }\n');
  const spinning = `import { isMainThread } from 'node:worker_threads';
    if (isMainThread) process.on('SIGUSR2', () => { process.stderr.write('spinning'); for (;;); });`;
  const child = await serving(context, copyOfFixture(context, 'tiny'), spinning, config);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  while (!stderr.includes('index_job_ended')) await sleep(20);
  child.kill('SIGUSR2');
  while (!stderr.includes('spinning')) await sleep(20);
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.match(stderr, /"event":"main_thread_stuck"/);
});

test('M10 if the parent is killed during a first index the server exits, although its stdin stays open', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 800);
  const args = serveArguments({ vault }, temporaryFolder(context));
  const script = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ${JSON.stringify(args)}, { stdio: [3, 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => { if (String(chunk).includes('"serving"')) console.log(child.pid); });`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  context.after(() => parent.kill('SIGKILL'));
  const [chunk] = await once(parent.stdout as NonNullable<typeof parent.stdout>, 'data');
  const processId = Number(chunk);
  const began = performance.now();
  parent.kill('SIGKILL');
  while (isAlive(processId) && performance.now() - began < MAX_END_MS) await sleep(25);
  assert.ok(performance.now() - began < MAX_END_MS, `${Math.round(performance.now() - began)} ms`);
});

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

test('M10 SIGTERM during a change of many files: all or none are changed, and the next server reports which', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 300);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const dataFolder = temporaryFolder(context);
  assert.equal(runProgram(context, ['index', '--config', config, '--data-dir', dataFolder]).status, 0);
  const folders = readdirSync(vault, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const [folder] = folders.map(({ name }) => name);
  for (const waitMs of [0, 40, 80, 160]) {
    const server = startRawServer(context, { config, dataFolder });
    await server.begin();
    server.send(toolCall(1, 'list_notes', { limit: 1 }));
    await server.reply(1);
    const there = existsSync(join(vault, folder ?? ''));
    const [from, to] = there ? [folder, 'Moved away'] : ['Moved away', folder];
    server.send(toolCall(2, 'move_note', { note: `${from}/`, to: `${to}/`, confirm: true }));
    await sleep(waitMs);
    assert.equal(await endOf(server.child, (child) => child.kill('SIGTERM')), 0, server.stderr());
    const status = runProgram(context, ['status', '--config', config, '--data-dir', dataFolder]);
    assert.equal(status.status, 0, status.stderr);
    const [before, after] = [existsSync(join(vault, from ?? '')), existsSync(join(vault, to ?? ''))];
    assert.ok(before !== after || !notesIn(vault, from) || !notesIn(vault, to), `${waitMs} ms: half of it moved`);
  }
  const exported = (folder: string) => runProgram(context, ['export', '--config', config, '--data-dir', folder]).stdout;
  assert.equal(exported(dataFolder), exported(temporaryFolder(context)));
});

function notesIn(vault: string, folder: string | undefined): boolean {
  const path = join(vault, folder ?? '');
  return existsSync(path) && readdirSync(path, { recursive: true }).some((name) => String(name).endsWith('.md'));
}

test('M10 a command whose reader closes the pipe early succeeds and leaves no process behind', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 1_500);
  const dataFolder = temporaryFolder(context);
  const place = ['--vault', vault, '--data-dir', dataFolder];
  assert.equal(runProgram(context, ['index', ...place]).status, 0);
  for (const command of ['export', 'call list_notes \'{"limit":100}\'']) {
    const line = `"$0" "$1" ${command} --quiet --vault "$2" --data-dir "$3" | head -c 10; echo " \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', line, process.execPath, PROGRAM, vault, dataFolder], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.match(stdout, /^\{"\w+":.* 0\n$/, `${command}: ${stderr}`);
    assert.equal(stderr, '');
  }
});

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`M10 ${signal} while \`index\` runs: it closes its files and exits with ${code}`, async (context) => {
    const vault = temporaryFolder(context);
    await generateVault(vault, 1_500);
    const dataFolder = temporaryFolder(context);
    const place = ['--vault', vault, '--data-dir', dataFolder];
    const child = spawn(process.execPath, [PROGRAM, 'index', ...place], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    while (!stderr.includes('indexing')) await sleep(20);
    assert.equal(await endOf(child, () => child.kill(signal)), code, stderr);
    assert.doesNotMatch(stderr, /Error \[|INTERNAL/);
    const again = runProgram(context, ['index', ...place]);
    assert.equal(again.status, 0);
    assert.doesNotMatch(again.stderr, /lease_taken/, 'it gave back what it held');
  });
}

test('M11 a command that crashes leaves a crash file and exits with 1', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  // The second listener belongs to the job.
  const bug = `let listeners = 0; process.on('newListener', (name) => {
    if (name === 'SIGINT' && ++listeners === 2) setImmediate(() => { throw new RangeError('text'); }); });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [...preloaded(bug), PROGRAM, 'index', '--rebuild', '--vault', vault, '--data-dir', dataFolder],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(status, 1, stderr);
  const line = stderr.split('\n').find((row) => row.includes('"crash"')) ?? '{}';
  assert.equal(JSON.parse(line).kind, 'RangeError');
  const [folder = ''] = readdirSync(dataFolder);
  assert.match(readFileSync(join(dataFolder, folder, 'crash.json'), 'utf8'), /RangeError/);
});

test('M11 an exception in the index writer thread fails only the job: the server keeps running, and the next job succeeds', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const marker = join(temporaryFolder(context), 'was here');
  const child = await serving(
    context,
    vault,
    `import fs from 'node:fs'; import { parentPort, workerData } from 'node:worker_threads';
     if (workerData?.file && !workerData.sharedState) parentPort.on('message', ({ op }) => {
       if (op !== 'apply' || fs.existsSync(${JSON.stringify(marker)})) return; fs.writeFileSync(${JSON.stringify(marker)}, ''); throw new RangeError('text of a note'); });`,
  );
  const lines: string[] = [];
  child.stdout?.on('data', (chunk) => lines.push(...String(chunk).split('\n').filter(Boolean)));
  const ask = async (id: number, message: object): Promise<void> => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`);
    await until(() => lines.some((line) => line.includes(`"id":${id}`)), `an answer to ${id}`);
  };
  const clientInfo = { name: 'by hand', version: '1' };
  await ask(1, { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await ask(2, toolCall(2, 'reindex', { wait_ms: 30_000 }));
  await ask(4, toolCall(4, 'reindex', { wait_ms: 30_000 }));
  await ask(3, toolCall(3, 'search_text', { query: 'tide' }));
  assert.ok(existsSync(marker), 'the thread did throw');
  const answer = JSON.parse(lines.find((line) => line.includes('"id":3')) ?? '{}');
  assert.equal(answer.result?.structuredContent?.data?.total, 7, lines.join('\n'));
  assert.doesNotMatch(lines.join('\n'), /text of a note/);
});
