// `node test/bench/drivers.ts`: the time of the processor that better-sqlite3 and node:sqlite take for the same work, in turns, medians of three.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreDriver } from '../../src/contracts/store.ts';
import { ALL, signal } from '../contracts/store/law.ts';
import { BENCH_SEED, generateVault } from './generate-vault.ts';
import { median } from './statistics.ts';
import { fillWithVectors, openStore } from './vector-filling.ts';
import { createVocabulary, STOP_WORDS } from './vocabulary.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/main.js');
const NOTES = Number(process.argv[2] ?? 2_000);
const DRIVERS = ['better-sqlite3', 'node'] as const satisfies readonly StoreDriver[];
const RUNS = 3;
const SEARCHES = 300;
/** Few enough that every vector is compared exactly. */
const COLLECTION = { chunks: 6_000, dims: 384, search: 0 };
const NEAREST = 50;
const MICROSECONDS = 1_000;

type Figures = Readonly<Record<string, number>>;

/** Milliseconds of all threads of this process. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MICROSECONDS;
}

/** In a process of its own, in which only this driver is loaded. */
async function measure(driver: StoreDriver, folder: string): Promise<Figures> {
  const vectors = join(folder, 'vectors');
  mkdirSync(join(vectors, 'vault'), { recursive: true });
  const filled = await fillWithVectors(COLLECTION, vectors, driver);
  const { generation, questions } = filled.setting;
  const { capability: store, close } = await openStore(vectors, driver);
  const question = (run: number): Float32Array => questions[run % questions.length] as Float32Array;
  await store.nearestChunks(generation, question(0), {}, 10, signal);
  const nearest = await cpuOf(async () => {
    for (let run = 0; run < NEAREST; run++) await store.nearestChunks(generation, question(run), {}, 10, signal);
  });
  await close();
  return { 'search by meaning, 6,000 passages': nearest / NEAREST, ...(await searches(driver, folder)) };
}

async function searches(driver: StoreDriver, folder: string): Promise<Figures> {
  const { words } = createVocabulary(BENCH_SEED);
  const { capability: store, close } = await openStore(folder, driver);
  const search = async (run: number): Promise<void> => {
    const terms = [{ text: words[STOP_WORDS.length + run] ?? '', kind: 'word', negated: false }] as const;
    const { hits } = await store.searchText({ terms, match: 'any' }, {}, { limit: 10, offset: 0 }, signal);
    for (const { path } of hits) await store.links(path, 'in', ALL, signal);
  };
  for (let run = 0; run < SEARCHES; run++) await search(run);
  const text = await cpuOf(async () => {
    for (let run = 0; run < SEARCHES; run++) await search(run);
  });
  await close();
  return { 'search by words and the links of ten notes': text / SEARCHES };
}

const REPORT = `data:text/javascript,process.once('exit',()=>{const{user,system}=process.cpuUsage();console.error('CPU '+(user+system))})`;

function run(args: readonly string[]): { readonly output: string; readonly ms: number } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { output: stdout, ms: Number(/CPU (\d+)/.exec(stderr)?.[1]) / MICROSECONDS };
}

function runOf(driver: StoreDriver, vault: string): Figures {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-drivers-'));
  try {
    mkdirSync(join(folder, 'data'));
    const config = join(folder, 'config.yaml');
    const store = { driver, path: join(folder, 'data/index.db') };
    writeFileSync(config, JSON.stringify({ vault: { path: vault }, providers: { store } }));
    const own = ['--config', config, '--data-dir', join(folder, 'data'), '--state-dir', join(folder, 'state')];
    const first = run([PROGRAM, 'index', ...own]).ms;
    const again = run([PROGRAM, 'index', ...own]).ms;
    const { output } = run([import.meta.filename, '--measure', driver, folder]);
    return { 'first index': first, 'start, and index with nothing to do': again, ...JSON.parse(output) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(): Promise<void> {
  const vault = mkdtempSync(join(tmpdir(), 'vaultgraph-drivers-vault-'));
  await generateVault(vault, NOTES);
  const runs = Array.from({ length: RUNS }, () => DRIVERS.map((driver) => runOf(driver, vault)));
  rmSync(vault, { recursive: true });
  for (const what of Object.keys(runs[0]?.[0] ?? {})) {
    const [native = 0, node = 0] = DRIVERS.map((_, at) => median(runs.map((each) => each[at]?.[what] ?? Number.NaN)));
    process.stdout.write(
      `${what}: ${native.toFixed(1)} ms, node:sqlite ${node.toFixed(1)} ms (${(node / native).toFixed(2)})\n`,
    );
  }
}

const [flag, driver, folder = ''] = process.argv.slice(2);
if (flag === '--measure') process.stdout.write(JSON.stringify(await measure(driver as StoreDriver, folder)));
else await compare();
