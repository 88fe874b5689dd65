// Runs a soak test: several servers on one vault, random calls, edits, faults, kills and stops; then checks the answers, the vault and the index.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateVault } from '../bench/generate-vault.ts';
import { createSeededRandom, type Random } from '../bench/random.ts';
import { assertSameRows, indexRows } from '../crash/index-rows.ts';
import { CHATTING } from '../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { brokenLaws } from './answer-laws.ts';
import { type Calls, createCalls, type ListedTool, type Requested } from './calls.ts';
import { type SoakDatabase, startSoakDatabase } from './database.ts';
import { createNotes } from './notes.ts';
import { excess, type Held, heldBy, mostOf } from './process-bounds.ts';
import { breakProvider } from './provider-faults.ts';
import { createSoakServer, type SoakServer } from './server.ts';

export interface Soak {
  readonly seed: number;
  readonly seconds: number;
  readonly notes?: number;
  /** Three by default. */
  readonly servers?: number;
  /** Whether the first server is never killed or stopped. */
  readonly isFirstSpared?: boolean;
  /** The index is in PostgreSQL, which is killed and restored to earlier points; each server has a copy of its own. */
  readonly isPostgresql?: boolean;
  /** The built `main.js`. */
  readonly program: string;
  /** Called with progress messages. */
  readonly report: (line: string) => void;
}

export interface Summary {
  readonly answers: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly deeds: Readonly<Record<string, number>>;
  /** By tool: median and maximum call time in milliseconds. */
  readonly took: Readonly<Record<string, readonly [half: number, longest: number]>>;
  /** By server, the most that a process of it held at once. */
  readonly held: Readonly<Record<string, Held>>;
  /** Every broken rule, in the order found; empty on success. */
  readonly faults: readonly string[];
}

const ROOT = join(import.meta.dirname, '../..');
const AT_ONCE = 5;
const CALL_LIMIT_MS = 10_000;
/** The delay of a busy machine that is tolerated before an answer counts as late. */
const MARGIN_MS = 15_000;
const TELL_EVERY_MS = 15_000;
/** A leader stopped for longer than this loses its lease. */
const LONG_STOP_MS = 20_000;
const MAX_FAULTS = 50;
/** At each step of the run. */
const DATABASE_CHANCE = 0.001;
/** Of the last index, and of the fresh SQLite one that it must equal: nothing may time out on a busy machine. */
const END_CONFIG = 'end.yaml';
const COLD_CONFIG = 'cold.yaml';
const PATIENT_MS = 120_000;

interface Ground {
  readonly folder: string;
  readonly vault: string;
  readonly dataFolder: string;
  readonly config: string;
  readonly ollama: OllamaServer;
  readonly database: SoakDatabase | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Everything that is counted and checked during the run. */
interface Tally {
  readonly answers: Map<string, number>;
  readonly tools: Map<string, number>;
  readonly deeds: Map<string, number>;
  readonly faults: string[];
  /** By tool, of each answer. */
  readonly took: Map<string, number[]>;
  /** By server, the error ids that it returned. */
  readonly errorIds: Map<string, string[]>;
  readonly held: Map<string, Held>;
}

export async function runSoak(soak: Soak): Promise<Summary> {
  const ground = await layGround(soak);
  const tally: Tally = {
    answers: new Map(),
    tools: new Map(),
    deeds: new Map(),
    faults: [],
    took: new Map(),
    errorIds: new Map(),
    held: new Map(),
  };
  const fault = (what: string): void => {
    if (tally.faults.length < MAX_FAULTS) tally.faults.push(what);
    soak.report(`FAULT ${what}`);
  };
  const servers = Array.from({ length: soak.servers ?? 3 }, (_, at) => newServer(at + 1, ground, soak.program, fault));
  try {
    await Promise.all(servers.map((server) => server.start()));
    if (!servers.every((server) => server.isUp())) return summaryOf(tally);
    await stir(soak, ground, servers, tally, fault);
    ground.ollama.heal();
    for (const [name, held] of tally.held) for (const what of excess(held)) fault(`${name} held ${what}`);
    await endAll(servers, fault);
    judgeLogs(servers, tally, fault);
    await judgeEnd(soak, ground, fault);
    return summaryOf(tally);
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await ground.database?.stop();
    await ground.ollama.close().catch((thrown: unknown) => fault(`the fake provider: ${thrown}`));
    if (tally.faults.length === 0) rmSync(ground.folder, { recursive: true, force: true });
    else keepLogs(ground, servers, soak);
  }
}

async function layGround({ seed, notes = 300, isPostgresql = false }: Soak): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-soak-'));
  const [vault, dataFolder, config] = [join(folder, 'vault'), join(folder, 'data'), join(folder, 'config.yaml')];
  mkdirSync(vault);
  cpSync(join(ROOT, 'vault-fixtures/tiny'), vault, { recursive: true });
  await generateVault(join(vault, 'generated'), notes, seed);
  const ollama = await startOllama({ models: [{}, CHATTING] });
  const database = isPostgresql ? await startSoakDatabase(folder) : undefined;
  const yaml = (store: readonly string[], timeoutMs: number): string =>
    [
      `vault: { path: ${JSON.stringify(vault)}, access: read-write }`,
      'providers:',
      ...store,
      `  embedding: { type: ollama, model: embeddinggemma, endpoint: ${JSON.stringify(ollama.origin)}, timeout: ${timeoutMs} }`,
      `  llm: { type: ollama, model: llama3.2, endpoint: ${JSON.stringify(ollama.origin)}, timeout: ${timeoutMs} }`,
      `limits: { call: ${CALL_LIMIT_MS} }`,
      '',
    ].join('\n');
  const store = database === undefined ? [] : [database.section];
  writeFileSync(config, yaml(store, 3_000));
  writeFileSync(join(folder, END_CONFIG), yaml(store, PATIENT_MS));
  writeFileSync(join(folder, COLD_CONFIG), yaml([], PATIENT_MS));
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  return { folder, vault, dataFolder, config, ollama, database, env };
}

function newServer(
  number: number,
  { config, dataFolder, database, env }: Ground,
  program: string,
  fault: (what: string) => void,
): SoakServer {
  const data = database === undefined || number === 1 ? dataFolder : `${dataFolder}-${number}`;
  const args = [program, 'serve', '--config', config, '--data-dir', data];
  return createSoakServer({ name: `server ${number}`, args, env, limitMs: CALL_LIMIT_MS + MARGIN_MS, fault });
}

/** The random part: after a first index, one action after another until the time is over. */
async function stir(
  { seed, seconds, report, isFirstSpared = false }: Soak,
  { vault, ollama, database, folder }: Ground,
  servers: readonly SoakServer[],
  tally: Tally,
  fault: (what: string) => void,
): Promise<void> {
  const random = createSeededRandom(seed);
  const notes = createNotes(vault, random);
  notes.lookAgain();
  const [first] = servers as [SoakServer];
  const { tools } = (await first.request('tools/list', {})).result as { tools: readonly ListedTool[] };
  const calls = createCalls(tools, notes, random);
  const laws = { listed: new Set(tools.map(({ name }) => name)), secret: [folder] };
  const until = performance.now() + seconds * 1_000;
  const msLeft = (): number => until - performance.now();
  const under: Promise<unknown>[] = [];
  let provider = Promise.resolve();
  let databases = Promise.resolve();
  let toldAt = 0;
  while (msLeft() > 0 && tally.faults.length < MAX_FAULTS) {
    if (performance.now() - toldAt > TELL_EVERY_MS) {
      toldAt = performance.now();
      weigh(servers, tally);
      const deeds = JSON.stringify(Object.fromEntries(tally.deeds));
      report(`${Math.round(msLeft() / 1_000)} s left, ${deeds}, ${heldNow(servers)}`);
    }
    const deed = dealt(random);
    const server = servers[random.below(servers.length)] as SoakServer;
    const count = (what: string): void => add(tally.deeds, what);
    if (database !== undefined && random.chance(DATABASE_CHANCE))
      databases = databases.then(async () => count(`database: ${await database.meddle(random)}`));
    if (deed === 'call') ask(server, calls, laws, tally, fault);
    else if (deed === 'edit') count(`edit: ${notes.meddle()}`);
    else if (deed === 'provider') {
      provider = provider.then(async () => {
        const { name, over } = breakProvider(ollama, random);
        count(`provider: ${name}`);
        await over;
      });
    } else if (deed === 'heal') ollama.heal();
    else if (server.isUp() && msLeft() > 3_000 && !(isFirstSpared && server === first)) {
      count(deed);
      under.push(deed === 'kill' ? killed(server, random) : server.stop(stopFor(random, msLeft())));
    }
    await sleep(random.below(40));
  }
  await Promise.all([...under, provider, databases]);
  const missing = laws.listed.size - tally.tools.size;
  if (missing > 0 && seconds > 30) fault(`${missing} tools were never asked`);
  for (const mark of await notes.lost()) fault(`a note is lost that no client deleted: ${mark}`);
}

function dealt(random: Random): 'call' | 'edit' | 'provider' | 'heal' | 'kill' | 'stop' {
  const share = random.next();
  if (share < 0.72) return 'call';
  if (share < 0.96) return 'edit';
  if (share < 0.975) return 'provider';
  if (share < 0.985) return 'heal';
  return share < 0.994 ? 'kill' : 'stop';
}

function weigh(servers: readonly SoakServer[], { held }: Tally): void {
  for (const server of servers) {
    const now = heldBy(server.pid() ?? 0);
    if (now !== undefined) held.set(server.name, mostOf(now, held.get(server.name) ?? now));
  }
}

/** For the progress message, in MiB. */
const heldNow = (servers: readonly SoakServer[]): string =>
  `${servers.map((server) => heldBy(server.pid() ?? 0)?.mib ?? '-').join(' ')} MiB`;

async function killed(server: SoakServer, random: Random): Promise<void> {
  const pause = random.below(1_500);
  await server.kill();
  await sleep(pause);
  await server.start();
}

function stopFor(random: Random, msLeft: number): number {
  const long = random.chance(0.15) && msLeft > 2 * LONG_STOP_MS;
  return long ? LONG_STOP_MS + random.below(3_000) : random.below(Math.min(3_000, msLeft));
}

function ask(
  server: SoakServer,
  calls: Calls,
  laws: { readonly listed: ReadonlySet<string>; readonly secret: readonly string[] },
  tally: Tally,
  fault: (what: string) => void,
): void {
  if (!server.isUp() || server.pending() >= AT_ONCE) return;
  const requested: Requested = calls.next();
  const { tool, given } = requested;
  add(tally.tools, tool);
  const began = performance.now();
  void server.call(tool, given).then(({ result, error, killed: isKilled }) => {
    if (isKilled) return add(tally.answers, 'killed');
    const said = `${server.name}: ${tool} ${JSON.stringify(given)}`;
    if (error !== undefined) return fault(`${said}: ${JSON.stringify(error)}`);
    for (const broken of brokenLaws(result, laws)) fault(`${said}: ${broken}: ${JSON.stringify(result).slice(0, 800)}`);
    put(tally.took, tool, Math.round(performance.now() - began));
    const answer = result.structuredContent;
    calls.heard(requested, answer);
    add(tally.answers, answer.error?.code ?? 'ok');
    if (answer.error !== undefined) put(tally.errorIds, server.name, answer.error.error_id);
  });
}

async function endAll(servers: readonly SoakServer[], fault: (what: string) => void): Promise<void> {
  for (const server of servers) if (!server.isUp()) await server.start();
  const codes = await Promise.all(servers.map((server) => server.end()));
  for (const [at, code] of codes.entries()) if (code !== 0) fault(`${servers[at]?.name} ended with ${code}`);
}

/** I12, and errors that a server only logs. */
function judgeLogs(servers: readonly SoakServer[], { errorIds }: Tally, fault: (what: string) => void): void {
  for (const server of servers) {
    const log = server.log();
    for (const line of log) {
      if (/"undeclared":true|"INTERNAL"|uncaught|unhandled/i.test(line))
        fault(`${server.name} logged ${line.slice(0, 1_500)}`);
    }
    for (const id of errorIds.get(server.name) ?? []) {
      // A job and the call that waited for it may report one failure.
      const records = log.filter((line) => line.includes(id) && line.includes('"call_failed"')).length;
      if (records !== 1) fault(`${server.name}: I12 the error ${id} is in ${records} records`);
    }
  }
}

/** Updates the index once more with the command line, then indexes the same vault from nothing. */
async function judgeEnd({ program }: Soak, ground: Ground, fault: (what: string) => void): Promise<void> {
  const { dataFolder, folder, vault, env } = ground;
  // The provider runs in this process, so the process must not block while they run.
  const index = async (data: string, config: string): Promise<void> => {
    const args = [program, 'index', '--config', config, '--data-dir', data, '--json', '--confirm'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    // Some notes of a soak test have invalid front matter, so the job is never complete.
    if (code !== 0 && code !== 2) fault(`index ended with ${code}: ${stderr}${stdout.slice(0, 1_000)}`);
  };
  const cold = join(folder, 'cold');
  await index(dataFolder, join(folder, END_CONFIG));
  await index(cold, join(folder, COLD_CONFIG));
  const left = globSync('**/*', { cwd: vault }).filter((path) => /vaultgraph|\.part$/.test(path));
  if (left.length > 0) fault(`temporary files are left in the vault: ${left.slice(0, 5)}`);
  try {
    assertSameRows(indexRows(indexIn(dataFolder)), indexRows(indexIn(cold)), 'the index equals a cold rebuild');
  } catch (thrown) {
    fault(String(thrown));
  }
}

function indexIn(dataFolder: string): string {
  const files = globSync('*/{index,postgresql-*}.db', { cwd: dataFolder }).map((name) => join(dataFolder, name));
  const changedAt = (name: string): number => statSync(name).mtimeMs;
  // A database that was made again leaves a copy of the one before.
  const [file] = files.toSorted((one, other) => changedAt(other) - changedAt(one));
  assert.ok(file, 'there is an index');
  return file;
}

/** The folder of a failed soak test is kept for debugging. */
function keepLogs({ folder }: Ground, servers: readonly SoakServer[], { report }: Soak): void {
  for (const server of servers) writeFileSync(join(folder, `${server.name}.log`), server.log().join('\n'));
  report(`everything is kept in ${folder}`);
}

function summaryOf({ answers, tools, deeds, took, held, faults }: Tally): Summary {
  const sorted = (counts: ReadonlyMap<string, number>) => Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
  const times = [...took].map(([tool, all]): [string, [number, number]] => {
    const ascending = all.toSorted((left, right) => left - right);
    return [tool, [ascending[ascending.length >> 1] ?? 0, ascending.at(-1) ?? 0]];
  });
  return {
    answers: sorted(answers),
    tools: sorted(tools),
    deeds: sorted(deeds),
    took: Object.fromEntries(times),
    held: Object.fromEntries(held),
    faults,
  };
}

const add = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

function put<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key) ?? [];
  list.push(value);
  lists.set(key, list);
}
