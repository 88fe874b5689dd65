// Takes the place of the native watcher: passes the changes of a simulated disk on after a while, several at once, as that one does.
import { createRequire } from 'node:module';
import type * as Native from '@parcel/watcher';
import { currentDisk } from './simulated-disk.ts';
import { currentProcess, inProcess, type Process, type World, worldHere } from './world.ts';

type Callback = Native.SubscribeCallback;

/** For good; before the watcher is imported for the first time. */
export function simulateWatchers(): void {
  const library = createRequire(import.meta.url)('@parcel/watcher') as { subscribe: typeof Native.subscribe };
  const { subscribe } = library;
  library.subscribe = async (folder, callback, ...more) => {
    const world = worldHere();
    return world === undefined ? subscribe(folder, callback, ...more) : watch(world, folder, callback);
  };
}

function watch(world: World, folder: string, callback: Callback): Native.AsyncSubscription {
  const waiting = new Map<string, Native.Event>();
  let isClosed = false;
  const deliver = (): void => {
    const events = [...waiting.values()];
    waiting.clear();
    if (!isClosed) callback(null, events);
  };
  const process = currentProcess() as Process;
  const plan = (delay: number): void => inProcess(process, () => void world.plan(delay, deliver));
  const stop = currentDisk().listen(({ path, isGone }) => {
    if (!path.startsWith(`${folder}/`)) return;
    if (waiting.size === 0) plan(world.random.chance(0.05) ? world.random.below(2_000) : 5 + world.random.below(100));
    waiting.delete(path);
    waiting.set(path, { path, type: isGone ? 'delete' : 'update' });
  });
  return {
    unsubscribe: async () => {
      isClosed = true;
      stop();
    },
  };
}
