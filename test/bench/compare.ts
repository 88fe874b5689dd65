// `npm run bench:compare`: installs qmd from npm into a temporary folder, drives it and the built program on one generated vault in turns, and prints medians of three rounds.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from '../packages/npm.ts';
import { ROOT } from '../packaging/installed.ts';
import { type BenchSetting, bytesIn, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import { generateVault } from './generate-vault.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { memoryOf, processorMsOf, processorMsOfChildren } from './processes.ts';
import { catchUp, openProduct } from './product-session.ts';
import { median, series } from './statistics.ts';

const PEER = '@tobilu/qmd@2.8.3';
const ROUNDS = 3;
const SEARCHES = 100;
const HITS = 10;
const LIMIT_MS = 600_000;
const [, written = '10000'] = /^--notes[ =](\d+)$/.exec(process.argv.slice(2).join(' ')) ?? [];

const FIGURES = {
  index: ['first index, by command', 's', 1],
  index_processor: ['processor time of that', 's', 1],
  initialize: ['`initialize` answered, with an index', 's', 2],
  search: ['keyword search of one word, ten hits with snippets, median', 'ms', 1],
  search_processor: ['processor time of one such search', 'ms', 1],
  serving: ['memory while serving, after a hundred searches', 'MiB', 0],
  disk: ['index on disk', 'MB', 0],
} as const;
type Figures = Readonly<Record<keyof typeof FIGURES, number>>;

const say = (words: string): void => void process.stdout.write(`${words}\n`);
const work = mkdtempSync(join(tmpdir(), 'vaultgraph-compare-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));

const vault = await generateVault(join(work, 'vault'), Number(written));
const program = join(ROOT, 'dist/main.js');
const setting: BenchSetting = { vault, program, workFolder: work, endsAt: Number.POSITIVE_INFINITY };
const peer = installPeer();
const rounds: { ours: Figures; theirs: Figures }[] = [];
while (rounds.length < ROUNDS) {
  // In turns, because the speed of a machine changes within an hour.
  rounds.push({ ours: await takeOurs(), theirs: await takeTheirs(peer) });
  say(JSON.stringify(rounds.at(-1)));
}
printTable(rounds);

function installPeer(): string {
  const folder = join(work, 'peer');
  mkdirSync(folder);
  npm(folder, ['install', '--prefix', folder, '--no-audit', '--no-fund', PEER]);
  // Its launcher would start another process, whose memory is the one that counts.
  return join(folder, 'node_modules/@tobilu/qmd/dist/cli/qmd.js');
}

/** Seconds of a command of either program, by the clock and of processors. @throws Error with its output if it fails */
function indexing(args: readonly string[], home: string): Pick<Figures, 'index' | 'index_processor'> {
  const [began, used] = [performance.now(), processorMsOfChildren()];
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: LIMIT_MS });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.slice(-600)}`);
  const index = (performance.now() - began) / 1_000;
  return { index, index_processor: (processorMsOfChildren() - used) / 1_000 };
}

async function takeOurs(): Promise<Figures> {
  const data = newFolder(setting, 'ours');
  const indexed = indexing([program, 'index', '--vault', vault.folder, '--data-dir', data], work);
  const session = await openProduct(setting, data);
  await catchUp(session, setting);
  const served = await serving(session, (query) => session.call('search_text', { query, limit: HITS }));
  return { ...indexed, ...served, disk: bytesIn(data) / 1e6 };
}

async function takeTheirs(entry: string): Promise<Figures> {
  const home = newFolder(setting, 'theirs');
  const indexed = indexing([entry, 'collection', 'add', vault.folder, '--name', 'bench'], home);
  const session = await openMcpSession([entry, 'mcp'], home);
  const served = await serving(session, (query) =>
    session.call('query', { searches: [{ type: 'lex', query }], limit: HITS, rerank: false }),
  );
  return { ...indexed, ...served, disk: bytesIn(join(home, '.cache')) / 1e6 };
}

async function serving(session: McpSession, search: (word: string) => Promise<unknown>) {
  const random = questionRandom();
  const find = () => search(middlingWord(setting, random));
  await find();
  const used = processorMsOf(session.processId);
  const values = await series(SEARCHES, find, LIMIT_MS);
  const perSearch = (processorMsOf(session.processId) - used) / (SEARCHES * 1.1);
  const { now } = memoryOf(session.processId);
  await session.close();
  return {
    initialize: session.initializeMs / 1_000,
    search: median(values),
    search_processor: perSearch,
    serving: now,
  };
}

function printTable(taken: typeof rounds): void {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  say(`\n${written} generated notes (${(vault.noteBytes / 1e6).toFixed(1)} MB), ${availableParallelism()} processors`);
  say(`(${cpu?.model.trim()}), ${process.platform}, Node ${process.version}, ${day}; medians of ${ROUNDS}\n`);
  say(`| | vaultgraph | ${PEER.slice(1).replace('@', ' ')} |\n|---|---|---|`);
  for (const [key, [name, unit, digits]] of Object.entries(FIGURES) as [keyof Figures, (typeof FIGURES)['index']][]) {
    const shown = (['ours', 'theirs'] as const).map((side) => {
      const value = median(taken.map((round) => round[side][key]));
      return `${value.toFixed(digits)} ${unit}`;
    });
    say(`| ${name} | ${shown.join(' | ')} |`);
  }
}
