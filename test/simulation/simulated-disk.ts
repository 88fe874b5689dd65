// Puts a disk with the clock of a world between its processes and node:fs: others act between two calls, and watchers are told of changes.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { currentProcess, Killed, type Process, type World, worldHere } from './world.ts';

type Call = (...given: unknown[]) => unknown;
type Calls = Record<string, Call>;

interface Times {
  m: number;
  c: number;
  b: number;
}

export interface FileEvent {
  readonly path: string;
  readonly isGone: boolean;
}

/** What the disk of the present world knows. */
export class SimulatedDisk {
  readonly world: World;
  /** The folder of everything; only what is below it is simulated. */
  readonly root: string;
  /** Milliseconds that a call takes. */
  costMs = 0.02;
  /** The steps in which it keeps times; those of some file systems are of two seconds. */
  stepMs = 0;
  /** By inode: the real clock of the files has nothing to do with the virtual one. */
  readonly times = new Map<number, Times>();
  readonly open = new Map<number, Process>();
  /** Living and dead. */
  readonly processes: Process[] = [];
  readonly #listeners = new Set<(event: FileEvent) => void>();
  /** The files that a tool has replaced or removed: another program may have one of them open. */
  readonly replaced = new Set<number>();
  /** The share of events that watchers lose. */
  lostEvents = 0;
  /** Called before each call of a process. */
  beforeCall: (operation: string, path: string) => void = () => {};
  calls = 0;
  /** Nothing that needs room can be written. */
  isFull = false;

  constructor(world: World, root: string) {
    this.world = world;
    this.root = root;
  }

  listen(listener: (event: FileEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sets the times of a file, and passes the event on. */
  changed(path: string, isGone = false, isNew = false): void {
    const stats = isGone ? undefined : real.lstatSync(path, { throwIfNoEntry: false });
    const now = this.timeNow;
    if (stats !== undefined) this.touch(stats.ino, now, isNew);
    for (const listener of [...this.#listeners]) listener({ path, isGone });
  }

  get timeNow(): number {
    const now = this.world.wallNow;
    return this.stepMs === 0 ? now : now - (now % this.stepMs);
  }

  /** A rename leaves the time of the content. */
  moved(path: string): void {
    const times = this.times.get(real.lstatSync(path).ino);
    for (const listener of [...this.#listeners]) listener({ path, isGone: false });
    if (times !== undefined) times.c = this.timeNow;
  }

  touch(ino: number, now: number, isNew = false): void {
    const times = this.times.get(ino);
    this.times.set(ino, { b: times?.b ?? now, m: now, c: now, ...(isNew && { b: now }) });
  }

  /** What a killed process had open is closed. */
  closeFilesOf(process: Process): void {
    for (const [descriptor, owner] of this.open)
      if (owner === process) {
        this.open.delete(descriptor);
        real.closeSync(descriptor);
      }
  }
}

let disk: SimulatedDisk | undefined;

export const useDisk = (next: SimulatedDisk | undefined): void => {
  disk = next;
};

export const currentDisk = (): SimulatedDisk => disk as SimulatedDisk;

/** The calls as they are without a simulation, for other programs. */
export const real = { ...fs };
const realPromises = { ...fs.promises };

const DESCRIPTORS = '/proc/self/fd/';

/** The present path of a file or folder that is open, or of a path through one. */
function pathOf(value: unknown): string {
  if (typeof value === 'number') return real.readlinkSync(`${DESCRIPTORS}${value}`);
  const text = value instanceof URL ? value.pathname : String(value);
  if (!text.startsWith(DESCRIPTORS)) return text;
  const [descriptor = '', ...rest] = text.slice(DESCRIPTORS.length).split('/');
  return join(real.readlinkSync(`${DESCRIPTORS}${descriptor}`), ...rest);
}

const isHere = (value: unknown): boolean =>
  typeof value === 'number' || String(value).startsWith(disk?.root ?? '\0') || String(value).startsWith(DESCRIPTORS);

const DELETED = / \(deleted\)$/;

/** What a call has changed. */
function noteChange(
  world: SimulatedDisk,
  operation: string,
  given: readonly unknown[],
  result: unknown,
  wasThere: boolean,
): void {
  const [first, second] = given;
  if (operation === 'open' && !wasThere) world.changed(pathOf(first), false, true);
  if (['write', 'ftruncate', 'fchmod', 'futimes'].includes(operation)) {
    const { ino } = real.fstatSync(first as number);
    if (operation === 'write' || operation === 'ftruncate') world.touch(ino, world.timeNow);
    const path = pathOf(first);
    if (!DELETED.test(path)) world.changed(path);
  }
  if (operation === 'utimes') {
    const { ino } = real.statSync(first as string);
    const times = world.times.get(ino);
    const [ms = 0] = [second, given[2]]
      .map((time) => (typeof time === 'number' ? time * 1_000 : Number(time)))
      .slice(1);
    world.times.set(ino, { b: times?.b ?? ms, m: ms, c: world.timeNow });
  }
  if (operation === 'rename') {
    world.changed(pathOf(first), true);
    world.moved(pathOf(second));
  }
  if (operation === 'link') world.moved(pathOf(second));
  if (['unlink', 'rm', 'rmdir'].includes(operation)) world.changed(pathOf(first), true);
  if (['mkdir', 'writeFile'].includes(operation)) world.changed(pathOf(first), false, !wasThere);
  if (operation === 'mkdtemp') world.changed(String(result), false, true);
}

const CHANGES = new Set([
  ...[
    'open',
    'write',
    'ftruncate',
    'fchmod',
    'utimes',
    'rename',
    'link',
    'unlink',
    'rm',
    'rmdir',
    'mkdir',
    'writeFile',
  ],
  ...['mkdtemp', 'appendFile', 'copyFile', 'symlink', 'truncate'],
]);
const NEEDS_ROOM = new Set(['write', 'mkdir', 'writeFile', 'mkdtemp', 'appendFile', 'copyFile']);
const STATS = new Set(['stat', 'lstat', 'fstat']);

/** The times of the virtual clock; Node makes the dates of them. */
function withTimes(stats: unknown): unknown {
  const found = stats as { readonly ino: number | bigint } | undefined;
  const times = found && disk?.times.get(Number(found.ino));
  if (found === undefined || times === undefined) return stats;
  const { m, c, b } = times;
  if (typeof found.ino !== 'bigint') return Object.assign(found, { mtimeMs: m, ctimeMs: c, birthtimeMs: b });
  const [mtimeNs, ctimeNs, birthtimeNs] = [m, c, b].map((ms) => BigInt(Math.floor(ms * 1_000)) * 1_000n);
  const [mtimeMs, ctimeMs, birthtimeMs] = [m, c, b].map((ms) => BigInt(Math.floor(ms)));
  return Object.assign(found, { mtimeNs, ctimeNs, birthtimeNs, mtimeMs, ctimeMs, birthtimeMs });
}

function noSpace(syscall: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${syscall}`), {
    code: 'ENOSPC',
    errno: -28,
    syscall,
  });
}

function wrap(operation: string, call: Call): Call {
  return function (this: unknown, ...given) {
    const world = worldHere();
    const here = disk;
    if (world === undefined || here === undefined || !isHere(given[0])) return call.apply(this, given);
    const process = currentProcess() as Process;
    if (process.isDead) throw new Killed();
    here.calls += 1;
    if (operation !== 'close') {
      here.beforeCall(operation, String(given[0]));
      if (process.isDead) throw new Killed();
      world.interrupt(here.costMs);
      if (process.isDead) throw new Killed();
    }
    // A folder that is there is refused as such.
    if (here.isFull && NEEDS_ROOM.has(operation) && !(operation === 'mkdir' && real.existsSync(String(given[0]))))
      throw noSpace(operation);
    const isChange = CHANGES.has(operation) && given[1] !== 'r';
    const wasThere =
      isChange && typeof given[0] === 'string' && real.lstatSync(given[0], { throwIfNoEntry: false }) !== undefined;
    const goneTo = isChange && ['unlink', 'rm', 'rmdir', 'rename'].includes(operation) ? pathOf(given[0]) : undefined;
    const target = { rename: given[1], unlink: given[0], rm: given[0] }[operation];
    const lost = target === undefined ? undefined : real.lstatSync(String(target), { throwIfNoEntry: false });
    const result = call.apply(this, given);
    // Otherwise it has another name: it was moved.
    if (lost?.nlink === 1) here.replaced.add(lost.ino);
    if (operation === 'open') here.open.set(result as number, process);
    if (operation === 'close') here.open.delete(given[0] as number);
    if (isChange)
      noteChange(here, operation, goneTo === undefined ? given : [goneTo, ...given.slice(1)], result, wasThere);
    return STATS.has(operation) ? withTimes(result) : result;
  };
}

/** `/proc` as a process of the world sees it: whether another one lives, is seen there. */
function simulateProc(): void {
  const [calls, ordinary] = [fs as unknown as Calls, real as unknown as Calls];
  const alive = (path: unknown): Process | undefined => {
    const [, pid] = /^\/proc\/(\d+)\/stat$/.exec(String(path)) ?? [];
    return pid === undefined ? undefined : disk?.processes.find((each) => each.pid === Number(pid));
  };
  const { readFileSync, readlinkSync } = calls as { readFileSync: Call; readlinkSync: Call };
  calls.readFileSync = (...given) => {
    const found = worldHere() === undefined ? undefined : alive(given[0]);
    if (found === undefined) return readFileSync(...given);
    const state = found.isDead ? 'Z' : 'S';
    return `${found.pid} (node) ${state} ${Array(18).fill(0).join(' ')} ${found.pid} 0`;
  };
  calls.readlinkSync = Object.assign(
    (...given: unknown[]) =>
      worldHere() !== undefined && given[0] === '/proc/self' ? String(currentProcess()?.pid) : readlinkSync(...given),
    ordinary.readlinkSync,
  );
  const { pid } = process;
  Object.defineProperty(process, 'pid', { get: () => currentProcess()?.pid ?? pid });
}

class VirtualHandle {
  readonly fd: number;
  constructor(fd: number) {
    this.fd = fd;
  }
  async read(...given: unknown[]) {
    await step();
    const [buffer] = given as [Uint8Array];
    return { buffer, bytesRead: (fs.readSync as Call)(this.fd, ...given) };
  }
  async write(...given: unknown[]) {
    await step();
    return { buffer: given[0], bytesWritten: (fs.writeSync as Call)(this.fd, ...given) };
  }
  async writeFile(data: string | Uint8Array) {
    await step();
    fs.writeFileSync(this.fd, data);
  }
  async readFile(options?: never) {
    await step();
    return fs.readFileSync(this.fd, options);
  }
  async sync() {
    await step();
    fs.fsyncSync(this.fd);
  }
  async datasync() {
    await step();
    fs.fdatasyncSync(this.fd);
  }
  async stat(options?: never) {
    await step();
    return fs.fstatSync(this.fd, options);
  }
  async chmod(mode: number) {
    await step();
    fs.fchmodSync(this.fd, mode);
  }
  async truncate(length?: number) {
    await step();
    fs.ftruncateSync(this.fd, length);
  }
  async close() {
    fs.closeSync(this.fd);
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

const step = (): Promise<void> => (worldHere() as World).pause((worldHere() as World).random.next());

/** For good. */
export function simulateDisk(): void {
  const [calls, promises] = [fs as unknown as Calls, fs.promises as unknown as Calls];
  for (const [name, call] of Object.entries(real as unknown as Calls)) {
    if (!name.endsWith('Sync') || typeof call !== 'function') continue;
    const operation = name.slice(0, -'Sync'.length);
    const { native } = call as { native?: Call };
    calls[name] = Object.assign(wrap(operation, call), native && { native: wrap(operation, native) });
  }
  for (const [name, call] of Object.entries(realPromises as unknown as Calls)) {
    if (typeof call !== 'function' || calls[`${name}Sync`] === undefined) continue;
    promises[name] = async (...given) => {
      if (worldHere() === undefined || !isHere(given[0])) return call.apply(fs.promises, given);
      await step();
      const result = (calls[`${name}Sync`] as Call)(...given);
      return name === 'open' ? new VirtualHandle(result as number) : result;
    };
  }
  simulateProc();
  const { watch } = real;
  Object.assign(fs, {
    watch: (...given: Parameters<typeof watch>) => (worldHere() === undefined ? watch(...given) : { close: () => {} }),
  });
  syncBuiltinESMExports();
}
