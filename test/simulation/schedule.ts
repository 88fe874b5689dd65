// Runs one schedule of a seed: two servers, an editor and a sync client on a small vault, on a disk and with clocks that misbehave.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { everyoneAway, removeIndex } from './away.ts';
import { nextCall } from './calls.ts';
import { checkEnd } from './end-checks.ts';
import { FeedFollower } from './feed-follower.ts';
import { Model } from './model.ts';
import { type Age, OtherPrograms } from './other-programs.ts';
import { type Answered, SimulatedServer } from './server.ts';
import { real, SimulatedDisk, useDisk } from './simulated-disk.ts';
import { closeDatabasesOf } from './simulated-sqlite.ts';
import { outsideProcesses, useWorld, World } from './world.ts';

export interface Outcome {
  /** Every rule that does not hold. */
  readonly faults: readonly string[];
  /** The same for each run of a seed. */
  readonly digest: string;
  readonly log: readonly string[];
  /** How often what was done. */
  readonly counts: Readonly<Record<string, number>>;
}

const { signal: never } = new AbortController();
/** All times are of the virtual clock. */
const MAX_WAIT_MS = 120_000;
const QUICK_MS = 0.02;
const MAX_SLOW_MS = 100;
const MAX_HANG_MS = 26_000;
const MAX_JUMP_MS = 7_200_000;
const MAX_AWAY_MS = 3_000;
const MAX_AT_ONCE_MS = 20;
const MAX_LONG_JUMP_MS = 130_000_000;
const MAX_FULL_MS = 3_000;
const MAX_PLAN_MS = 800;
/** The name of the server that does not write. */
const READER = 'R';

/** From here on, schedules have more kinds of actions: those that failed before are kept by their seeds, so their actions stay. */
const FIRST_WITH_MORE = 2_000_000;
const FIRST_WITH_RARE = 5_000_000;
const FIRST_WITH_AWAY = 1_000_000_000;
const FIRST_WITH_REMOVED = 1_500_000_000;
const AGES = [FIRST_WITH_MORE, FIRST_WITH_RARE, FIRST_WITH_AWAY, FIRST_WITH_REMOVED] as const;
const ageOf = (seed: number): Age => AGES.filter((first) => seed >= first).length as Age;

/** The vault of one server may be read-only. */
export interface Configs {
  readonly ordinary: Config;
  readonly readOnly: Config;
}

/** Most faults need a few actions only, and short schedules find them sooner. Those below 100 were long before there were short ones. */
const isLong = (seed: number): boolean => seed < 100 || seed % (seed < FIRST_WITH_MORE ? 10 : 30) === 3;

/** @param folder of all schedules of the process */
export async function runSchedule(seed: number, folder: string, configs: Configs): Promise<Outcome> {
  const own = mkdtempSync(join(folder, 'run-'));
  const schedule = new Schedule(seed, folder, own, configs);
  try {
    return await schedule.run();
  } finally {
    await schedule.end();
    for (const each of [own, join(folder, 'vault')]) rmSync(each, { recursive: true, force: true });
  }
}

export class Schedule {
  readonly seed: number;
  readonly world: World;
  readonly disk: SimulatedDisk;
  readonly model: Model;
  readonly others: OtherPrograms;
  readonly servers: SimulatedServer[] = [];
  readonly faults: string[] = [];
  follower: FeedFollower | undefined;
  readonly stateFolder: string;
  readonly dataFolder: string;
  readonly #configs: Configs;
  readonly #changes: { readonly id: string; readonly marks: readonly string[] }[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #isLong: boolean;
  readonly #age: Age;
  /** Of processes, by themselves or not. */
  ends = 0;
  hasHung = false;
  /** Actions that are still to come. */
  pending = 0;

  constructor(seed: number, folder: string, own: string, { ordinary, readOnly }: Configs) {
    this.seed = seed;
    this.world = new World(seed);
    this.#isLong = isLong(seed);
    this.#age = ageOf(seed);
    this.disk = new SimulatedDisk(this.world, folder);
    this.model = new Model(join(folder, 'vault'));
    this.others = new OtherPrograms(this.world, this.disk, this.model, this.#age);
    this.stateFolder = join(own, 'state');
    this.dataFolder = join(own, 'data');
    const [folders, { stateFolder, dataFolder }] = [
      { stateFolder: this.stateFolder, dataFolder: this.dataFolder },
      this,
    ];
    this.#configs = { ordinary: { ...ordinary, ...folders }, readOnly: { ...readOnly, ...folders } };
    for (const each of [this.model.root, dataFolder, stateFolder]) real.mkdirSync(each, { recursive: true });
    useWorld(this.world);
    useDisk(this.disk);
  }

  async run(): Promise<Outcome> {
    this.#chooseDisk();
    this.#fill();
    this.start('A');
    this.world.plan(this.world.random.below(400), () => this.start('B'));
    await this.world.runUntil(() => this.up().length === 2, MAX_WAIT_MS);
    if (this.#age >= 2) await this.#followFeed();
    this.#planActions();
    await this.world.runUntil(() => this.pending === 0, MAX_WAIT_MS);
    await checkEnd(this);
    for (const { faults, process } of this.servers)
      this.faults.push(...faults.map((fault) => `${process.name}: ${fault}`));
    const { now, done, random, log } = this.world;
    const digest = `${done} events, ${Math.round(now)} ms, ${this.disk.calls} calls of the disk, ${random.below(1e9)}`;
    return { faults: this.faults, digest, log, counts: this.#counts };
  }

  async end(): Promise<void> {
    for (const process of this.disk.processes) {
      process.isDead = true;
      this.disk.closeFilesOf(process);
      closeDatabasesOf(process);
    }
    await this.world.endTurn();
    useWorld(undefined);
    useDisk(undefined);
  }

  start(name: string): void {
    const server = new SimulatedServer(name, this.world, this.disk);
    this.servers.push(server);
    server.start(name === READER ? this.#configs.readOnly : this.#configs.ordinary);
  }

  up(): readonly SimulatedServer[] {
    return this.servers.filter(({ isUp }) => isUp);
  }

  count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
    this.world.note(what);
  }

  /** Where a change keeps size and time, only its event shows it. */
  #chooseDisk(): void {
    const { random } = this.world;
    const share = random.next();
    if (share < 0.1) this.disk.stepMs = random.pick([10, 1_000, 2_000]);
    else if (share < 0.2) this.disk.lostEvents = 0.05;
    if (this.#age >= 2 && random.chance(0.1)) this.world.grownHeaps = 0.3;
  }

  #fill(): void {
    const { random } = this.world;
    const count = this.#isLong ? 5 + random.below(8) : 4 + random.below(4);
    for (let n = 0; n < count; n += 1) {
      const path = join(this.model.root, random.chance(0.3) ? `Folder/Note ${n}.md` : `Note ${n}.md`);
      const mark = this.model.newMark();
      this.model.set(mark, 'confirmed');
      real.mkdirSync(join(path, '..'), { recursive: true });
      const task = this.#age >= 3 ? '\n- [ ] task\n' : '';
      real.writeFileSync(path, `# Note ${n}\n\nalpha [[Note ${random.below(count)}]] #t${n % 3} ${mark}\n${task}`);
      this.disk.changed(path, false, true);
    }
  }

  #planActions(): void {
    const { random } = this.world;
    const actions = this.#isLong ? 10 + random.below(random.chance(0.2) ? 21 : 8) : 3 + random.below(5);
    const spanMs = this.#isLong
      ? 300 + random.below(random.chance(0.2) ? 20_000 : 4_000)
      : 100 + random.below(random.chance(0.1) ? 6_000 : 1_500);
    for (let n = 0; n < actions; n += 1) this.plan(random.below(spanMs), () => this.#act());
  }

  async #followFeed(): Promise<void> {
    const follower = new FeedFollower(this.others.paths());
    follower.ask(this.up()[0]);
    await this.world.runUntil(() => !follower.isAsking, MAX_WAIT_MS);
    for (let n = 0; n < 3; n += 1) this.plan(this.world.random.below(3_000), () => follower.ask(this.#someServer()));
    this.follower = follower;
  }

  plan(delay: number, act: () => void): void {
    this.pending += 1;
    const perform = (): void => {
      this.pending -= 1;
      act();
    };
    // What a server answers may lead to another action, which happens also if that server is killed meanwhile.
    outsideProcesses(() => this.world.plan(delay, perform, true));
  }

  #act(): void {
    if (this.#age >= 4 && this.world.random.chance(0.02)) {
      this.count(removeIndex(this.dataFolder));
      return;
    }
    if (this.#age >= 3 && this.world.random.chance(0.1)) {
      this.#actLate();
      return;
    }
    if (this.#age >= 1 && this.world.random.chance(0.12)) {
      this.#actMore();
      return;
    }
    const share = this.world.random.next();
    if (share < 0.55) this.#call();
    else if (share < 0.88) this.count(this.others.act());
    else if (share < 0.91) this.#jump();
    else if (share < 0.95) this.#slowDown();
    else if (share < 0.97) this.#hang();
    else if (share < 0.985) this.#kill();
    else this.#restart();
  }

  #actLate(): void {
    const isReaderUp = this.servers.some(({ process, isUp }) => process.name === READER && isUp);
    if (isReaderUp || this.world.random.chance(0.7)) {
      this.count('all servers end');
      everyoneAway(this);
    } else {
      this.count('read-only server');
      this.start(READER);
    }
  }

  #actMore(): void {
    const share = this.world.random.next();
    if (share < 0.3) this.#fillDisk();
    else if (share < 0.5) this.#jumpFar();
    else this.#callAndRename();
  }

  #jumpFar(): void {
    const { random } = this.world;
    this.count('clock jumps by hours');
    this.#setClock(random.chance(0.7), random.below(MAX_LONG_JUMP_MS));
  }

  #callAndRename(): void {
    this.#call();
    this.plan(this.world.random.below(60), () => this.count(this.others.renameFolder()));
  }

  #fillDisk(): void {
    this.count('full disk');
    this.disk.isFull = true;
    this.plan(this.world.random.below(MAX_FULL_MS), () => {
      this.disk.isFull = false;
    });
  }

  #jump(): void {
    const { random } = this.world;
    this.count('clock jumps');
    this.#setClock(random.chance(0.5), random.below(random.chance(0.5) ? 5_000 : MAX_JUMP_MS));
  }

  /** On a disk whose times have steps, a change after the clock is set back may get all times that the file had: nothing shows it. */
  #setClock(isBack: boolean, ms: number): void {
    const isSeen = this.disk.stepMs === 0 || this.#age < 3;
    this.world.jump(isBack && isSeen ? -ms : ms);
  }

  #slowDown(): void {
    const { random } = this.world;
    this.count('slow disk');
    this.disk.costMs = 1 + random.below(MAX_SLOW_MS);
    this.plan(random.below(3_000), () => {
      this.disk.costMs = QUICK_MS;
    });
  }

  #hang(): void {
    this.count('hanging disk');
    this.hasHung = true;
    this.world.stallMs = 1_000 + this.world.random.below(MAX_HANG_MS - 1_000);
  }

  #someServer(): SimulatedServer | undefined {
    const up = this.up();
    return up[this.world.random.below(up.length)];
  }

  #kill(): void {
    const server = this.#someServer();
    if (server === undefined) return;
    this.count('kill');
    this.ends += 1;
    server.kill();
    // One that starts at once may meet the others while they recover what this one has left.
    const isAtOnce = this.#age >= 2 && this.world.random.chance(0.4);
    const away = this.world.random.below(isAtOnce ? MAX_AT_ONCE_MS : MAX_AWAY_MS);
    this.plan(away, () => this.start(server.process.name));
  }

  /** In the middle of its calls. */
  #restart(): void {
    const server = this.#someServer();
    if (server === undefined) return;
    this.count('restart');
    this.ends += 1;
    server.close();
    this.plan(this.world.random.below(MAX_AWAY_MS), () => this.start(server.process.name));
  }

  #call(): void {
    const server = this.#someServer();
    if (server === undefined) return;
    const { random } = this.world;
    const { tool, args, mark, undoes, undoesAll } = nextCall(
      random,
      this.model,
      this.others.paths(),
      this.#changes,
      this.#age,
    );
    const cancel = new AbortController();
    this.count(tool);
    if (random.chance(0.1)) this.plan(random.below(300), () => cancel.abort());
    if (mark !== undefined) this.model.set(mark, 'unknown');
    // A server that is killed may have undone it, and not say so.
    for (const each of undoes) this.model.decide(each, 'unknown');
    if (undoesAll) this.model.undoAll();
    server.call(tool, args, cancel.signal, (answer) => {
      const { code, data, details } = answer;
      if (undoesAll) this.model.undoneAll();
      const what = code === undefined ? (data.change_id ?? '') : `${code} ${JSON.stringify(details)}`;
      this.world.note(`${server.process.name} answers ${tool} ${JSON.stringify(args)}: ${what}`);
      const marks = mark === undefined ? [] : [mark];
      if (data?.plan_id !== undefined && data.change_id === undefined)
        this.#carryOut(server, tool, data.plan_id, marks);
      else this.#believe(answer, marks);
    });
  }

  #carryOut(server: SimulatedServer, tool: string, plan: string, marks: readonly string[]): void {
    if (this.#age < 3) {
      server.call(tool, { plan_id: plan }, never, () => {});
      return;
    }
    this.plan(this.world.random.below(MAX_PLAN_MS), () => {
      if (server.isUp) server.call(tool, { plan_id: plan }, never, (answer) => this.#believe(answer, marks));
    });
  }

  #believe(answer: Answered, marks: readonly string[]): void {
    const { code, data } = answer;
    const fate = code === undefined ? 'confirmed' : mayBeWritten(answer) ? 'unknown' : 'refused';
    for (const mark of marks) this.model.decide(mark, fate);
    if (data?.change_id !== undefined) this.#changes.push({ id: data.change_id, marks });
  }
}

const CUT_OFF = new Set(['DEADLINE_EXCEEDED', 'CANCELLED', 'SHUTTING_DOWN', 'INTERNAL']);

/** Whether an answer that refuses a call leaves open whether it was done. */
function mayBeWritten({ code = '', details }: Answered): boolean {
  return details?.original_intact === false || (CUT_OFF.has(code) && details?.committed !== 'none');
}
