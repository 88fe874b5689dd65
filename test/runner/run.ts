// Runs the test files on a few worker processes and prints what failed, how long each file took and the totals.
import { type ChildProcess, fork } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join, posix } from 'node:path';
import { parseArgs } from 'node:util';
import { installDebianServer } from '../postgresql/debian-server.ts';
import { buildBundles } from './build-bundles.ts';
import type { HungReport, WorkerReport } from './worker.ts';
// This import also sets the compile cache of the workers, through their environment.
import '../compile-cache.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A file that takes longer than this has hung: the longest takes 10 minutes on a busy machine. */
const MAX_FILE_MS = 15 * 60_000;
const MAX_EXIT_MS = 10_000;
const LOOK_EVERY_MS = 10_000;
/** With less than this part of the time left, another worker would only slow down the others. */
const MIN_IDLE = 0.15;
/** More failures than this have one cause, which a second run does not change. */
const MAX_RETRIED = 4;
const SKIPS_POSTGRES = process.env.VAULTGRAPH_SKIP_POSTGRES === '1';
/** What takes longest, by the seconds that the runs print; it starts first, so that no long file is left for the end. */
const LONGEST_FIRST = [
  ...['real-writes', 'hostile-vault', 'ends-cleanly', 'declared-codes', 'codes-of-states', 'postgresql-sharing'].map(
    (name) => `journeys/${name}`,
  ),
  ...['crash/killed', 'faults', 'view/states', 'journeys/store-faults', 'journeys/views-random', 'journeys/soak'],
  ...['journeys/first-index', 'journeys/safe-writes', 'journeys/manual-commands', 'journeys/embedding-faults'],
  ...['journeys/llm-faults', 'journeys/real-vaults', 'journeys/memory-under-load', 'indexing/watch/watch-random'],
  ...['mcp/transport', 'indexing/indexer', 'providers/postgresql/delayed', 'providers/postgresql/store', 'simulation'],
  ...['journeys/resources', 'providers/filesystem/file-threads', 'indexing/jobs/pdf-texts', 'providers/sqlite/store'],
  ...['journeys/first-use', 'providers/model2vec', 'journeys/gate', 'journeys/other-systems', 'transcripts'],
  ...['conformance', 'crash', 'journeys', 'packaging', 'view', 'lifecycle', 'indexing', 'providers', 'app', 'cli'],
];

interface FileResult extends Readonly<WorkerReport> {
  readonly file: string;
  readonly seconds: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false }, workers: { type: 'string' } },
});
/** Many tests wait for a process or a file event. */
const workerCount = Number(values.workers ?? availableParallelism() + 2);
const maxWorkers = Number(values.workers ?? 2 * availableParallelism() + 2);
const queue = longestFirst(positionals.length > 0 ? positionals : testFiles(values.long));
const results: FileResult[] = [];
const started = performance.now();
if (values.long && !SKIPS_POSTGRES) installDebianServer();
await buildBundles();
const workers = Array.from({ length: Math.min(workerCount, queue.length) }, runWorker);
let lastTimes = cpuTimes();
const adding = setInterval(addWorker, LOOK_EVERY_MS);
for (const worker of workers) await worker;
clearInterval(adding);
const retried = process.env.CI === undefined ? [] : await retryFailed();
printSummary();

/**
 * `npm test` runs every file but `*.long.test.ts`; `npm run test:long` runs those, and the files whose random tests
 * have more runs there.
 */
function testFiles(long: boolean): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .filter((path) => path.endsWith('.long.test.ts') === long || (long && hasMoreRuns(path)));
}

/** Whether the file, or a test file that it imports, uses the number of runs. */
function hasMoreRuns(path: string, seen = new Set<string>()): boolean {
  if (path.endsWith('/runner/effort.ts')) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  const imported = readFileSync(join(ROOT, path), 'utf8').matchAll(/^(?:import|\} from) .*?'(\.[^']+\.ts)';$/gm);
  return [...imported]
    .map(([, name = '']) => posix.join(posix.dirname(path), name))
    .some((name) => name.startsWith('test/') && hasMoreRuns(name, seen));
}

function longestFirst(paths: readonly string[]): string[] {
  const rank = (path: string): number => {
    const at = LONGEST_FIRST.findIndex((start) => path.startsWith(`test/${start}`));
    return at === -1 ? LONGEST_FIRST.length : at;
  };
  return [...paths].sort((one, other) => rank(one) - rank(other));
}

/** Runs files until the queue is empty. If a worker exits, its file fails and a new worker continues. */
async function runWorker(): Promise<void> {
  while (queue.length > 0) {
    const child = fork(join(import.meta.dirname, 'worker.ts'), {
      cwd: ROOT,
      execArgv: ['--import', './test/compile-cache.ts', `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`],
      env: { ...process.env, ...(values.long ? { VAULTGRAPH_TEST_LONG: '1' } : {}) },
      serialization: 'advanced',
    });
    await driveWorker(child);
  }
}

/** Starts one more worker if the processors had nothing to do, because most files only wait. */
function addWorker(): void {
  const now = cpuTimes();
  const idle = (now.idle - lastTimes.idle) / (now.all - lastTimes.all);
  lastTimes = now;
  if (idle > MIN_IDLE && queue.length > 0 && workers.length < maxWorkers) workers.push(runWorker());
}

function cpuTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0);
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all };
}

/**
 * Runs the files that failed once more, each without others beside it, and returns their first results. Only on CI,
 * whose machine may be busy with other work: a local run reports every failure.
 */
async function retryFailed(): Promise<readonly FileResult[]> {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length === 0 || failed.length > MAX_RETRIED) return [];
  write(`\n${failed.length} files failed and are run again alone.`);
  queue.push(...failed.map(({ file }) => file));
  for (const result of failed) results.splice(results.indexOf(result), 1);
  await runWorker();
  return failed;
}

function driveWorker(child: ChildProcess): Promise<void> {
  let current: { readonly file: string; readonly from: number; readonly timer: NodeJS.Timeout } | undefined;
  const finish = (report: WorkerReport): void => {
    if (current === undefined) return;
    clearTimeout(current.timer);
    const result = { file: current.file, seconds: (performance.now() - current.from) / 1_000, ...report };
    results.push(result);
    printFile(result);
    current = undefined;
  };
  let hung = '';
  child.on('message', (message: 'ready' | WorkerReport | HungReport) => {
    if (typeof message === 'object' && 'hung' in message) {
      hung = `, in ${message.hung.join(' > ')}`;
      return;
    }
    if (message !== 'ready') finish(message);
    const file = queue.shift();
    if (file === undefined) {
      child.disconnect();
      // A thread or socket that a failed test left would keep the process, and with it the run, from ending.
      setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS).unref();
      return;
    }
    current = { file, from: performance.now(), timer: setTimeout(() => endHung(child), MAX_FILE_MS) };
    child.send(file);
  });
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const failures = [`its process ended early: ${signal ?? code}${hung}`];
      finish({ passed: 0, failed: 1, skipped: 0, todo: 0, failures, cpu: 0 });
      resolve();
    });
  });
}

/** Lets the worker name the test that runs; one whose main thread is held cannot. */
function endHung(child: ChildProcess): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS).unref();
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printFile({ file, seconds, cpu, passed, failed, failures }: FileResult): void {
  write(
    `${failed === 0 ? '✔' : '✖'} ${file} (${passed + failed} tests, ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} CPU s)`,
  );
  for (const failure of failures) write(failure.replaceAll(/^/gm, '    '));
}

function printSummary(): void {
  const sum = (kind: 'passed' | 'failed' | 'skipped' | 'todo' | 'cpu'): number =>
    results.reduce((total, result) => total + result[kind], 0);
  write('\nSeconds, CPU seconds and tests by file:');
  for (const { file, seconds, cpu, passed, failed } of results.toSorted((one, other) => other.seconds - one.seconds))
    write(
      `${seconds.toFixed(1).padStart(7)} ${cpu.toFixed(1).padStart(7)} ${String(passed + failed).padStart(5)}  ${file}`,
    );
  if (retried.length > 0) write('\nFlaky or failed, run twice:');
  for (const { file, failures } of retried) write(`! ${file}: ${failures[0]?.split('\n').slice(0, 12).join('\n    ')}`);
  const isFailed = sum('failed') > 0;
  if (isFailed) write('\nFailed, as printed above:');
  for (const { file, failures } of results)
    for (const failure of failures) write(`✖ ${file}: ${failure.split('\n', 1)[0]}`);
  const seconds = (performance.now() - started) / 1_000;
  write(
    `\n${results.length} files in ${seconds.toFixed(0)} s, ${sum('cpu').toFixed(0)} CPU seconds; ${sum('skipped')} skipped, ${sum('todo')} todo`,
  );
  if (SKIPS_POSTGRES)
    write(
      '\nNOT RUN: the tests on a PostgreSQL server, because VAULTGRAPH_SKIP_POSTGRES=1. The run is not complete.\n',
    );
  write(`${sum('passed')} passed, ${sum('failed')} failed`);
  if (isFailed || results.length === 0) process.exitCode = 1;
}
