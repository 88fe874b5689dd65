// Takes the place of the native watcher: passes the changes of a simulated disk on after a while, several at once, and misses what that one misses.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Native from '@parcel/watcher';
import { statsAt } from '../../src/providers/filesystem/writing/disk.ts';
import { currentDisk, type FileEvent, real } from './simulated-disk.ts';
import { currentProcess, inProcess, type Process, type World, worldHere } from './world.ts';

/** For good; before the watcher is imported for the first time. */
export function simulateWatchers(): void {
  const library = createRequire(import.meta.url)('@parcel/watcher') as { subscribe: typeof Native.subscribe };
  const { subscribe } = library;
  library.subscribe = async (folder, callback, ...more) => {
    const world = worldHere();
    return world === undefined ? subscribe(folder, callback, ...more) : new Watcher(world, folder, callback);
  };
}

/** Until a watcher watches a folder that arrived. */
const MAX_ARRIVAL_MS = 20;
const MAX_DELAY_MS = 100;
const MAX_LONG_DELAY_MS = 2_000;

/** As on Linux: each folder is watched by itself, and a folder that moves keeps the old paths of the folders inside it. */
class Watcher implements Native.AsyncSubscription {
  readonly #world: World;
  readonly #root: string;
  readonly #callback: Native.SubscribeCallback;
  readonly #process = currentProcess() as Process;
  readonly #stop: () => void;
  /** By inode, the paths under which the watcher knows a folder. */
  readonly #folders = new Map<number, Set<string>>();
  readonly #waiting = new Map<string, Native.Event>();
  #isClosed = false;

  constructor(world: World, root: string, callback: Native.SubscribeCallback) {
    this.#world = world;
    this.#root = root;
    this.#callback = callback;
    this.#watch(root);
    this.#stop = currentDisk().listen((event) => this.#meet(event));
  }

  async unsubscribe(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
  }

  /** A folder with all that are in it by now. */
  #watch(folder: string): void {
    const stats = statsAt(real, folder);
    if (stats?.isDirectory() !== true) return;
    this.#folders.set(stats.ino, (this.#folders.get(stats.ino) ?? new Set()).add(folder));
    for (const entry of real.readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) this.#watch(join(folder, entry.name));
  }

  #meet({ path, isGone }: FileEvent): void {
    if (!path.startsWith(`${this.#root}/`)) return;
    const above = statsAt(real, dirname(path));
    const known = this.#folders.get(above?.ino ?? 0) ?? [];
    for (const folder of known) this.#report({ path: `${folder}${path.slice(dirname(path).length)}`, isGone });
    if (isGone) for (const paths of this.#folders.values()) paths.delete(path);
    else if ([...known].length > 0 && statsAt(real, path)?.isDirectory())
      this.#world.plan(this.#world.random.below(MAX_ARRIVAL_MS), () => this.#watch(path), true);
  }

  #report({ path, isGone }: FileEvent): void {
    const { random } = this.#world;
    if (random.chance(currentDisk().lostEvents)) return;
    const delay = random.chance(0.05) ? random.below(MAX_LONG_DELAY_MS) : 5 + random.below(MAX_DELAY_MS);
    if (this.#waiting.size === 0) inProcess(this.#process, () => this.#world.plan(delay, () => this.#deliver()));
    this.#waiting.delete(path);
    this.#waiting.set(path, { path, type: isGone ? 'delete' : 'update' });
  }

  #deliver(): void {
    const events = [...this.#waiting.values()];
    this.#waiting.clear();
    if (!this.#isClosed) this.#callback(null, events);
  }
}
