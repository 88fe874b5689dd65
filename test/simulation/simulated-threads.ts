// Runs the scripts of worker threads in this thread, as further simulated threads of their process, with messages that take some time.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import { transformSync } from 'esbuild';
import { IS_WORKING } from '../../src/providers/filesystem/file-task.ts';
import { currentProcess, inProcess, Killed, type Process, type World, worldHere } from './world.ts';

const SOURCE = join(import.meta.dirname, '../../src');
/** They keep something for their thread, so that each simulated thread has one of its own. */
const OF_EACH_THREAD = ['providers/filesystem/writing/perform-write.ts'].map((path) => join(SOURCE, path));
const SCRIPTS = [
  'providers/filesystem/file-thread.ts',
  'providers/sqlite/write/writer-thread.ts',
  'compute/thread.ts',
  'providers/sqlite/history/history-thread.ts',
].map((path) => join(SOURCE, path));

type Compiled = (require: (name: string) => unknown, module: { exports: object }, exports: object) => void;

const compiled = new Map<string, Compiled>();
const loaded = new Map<string, unknown>();
const requireBuiltin = createRequire(import.meta.url);

/** Compiles the scripts, and loads what they import, which all threads share. */
async function prepare(file: string): Promise<void> {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs', target: 'node24' });
  compiled.set(file, new Function('require', 'module', 'exports', code) as Compiled);
  for (const [, name = ''] of code.matchAll(/require\("([^"]+)"\)/g)) {
    const path = name.startsWith('.') ? join(dirname(file), name) : name;
    if (OF_EACH_THREAD.includes(path)) await prepare(path);
    else if (!loaded.has(path)) loaded.set(path, path.startsWith('node:') ? requireBuiltin(path) : await import(path));
  }
}

function run(file: string, own: object, made: Map<string, object> = new Map()): object {
  const module = { exports: {} };
  made.set(file, module.exports);
  const require = (name: string): unknown => {
    if (name === 'node:worker_threads') return { ...threads, ...own };
    const path = name.startsWith('.') ? join(dirname(file), name) : name;
    if (compiled.has(path)) return made.get(path) ?? run(path, own, made);
    return loaded.get(path);
  };
  compiled.get(file)?.(require, module, module.exports);
  made.set(file, module.exports);
  return module.exports;
}

const silent = new Proxy({}, { get: () => () => silent }) as object;

/** One direction of a channel: messages arrive in order. */
class Channel {
  #last = 0;

  send(
    message: unknown,
    transfer: readonly ArrayBuffer[] | undefined,
    delay: number,
    deliver: (copy: unknown) => void,
  ): void {
    const world = worldHere() as World;
    const copy = structuredClone(message, { transfer: [...(transfer ?? [])] });
    this.#last = Math.max(this.#last, world.now + delay);
    world.plan(this.#last - world.now, () => deliver(copy));
  }
}

/** Milliseconds until a thread gets a message; sometimes the machine is busy. */
const delayOf = ({ random }: World): number => (random.chance(0.03) ? random.below(300) : random.next() * 2);

class SimulatedWorker extends EventEmitter {
  readonly threadId = 1;
  readonly stdout = silent;
  readonly stderr = silent;
  readonly #world: World;
  readonly #process: Process;
  readonly #port = new EventEmitter();
  readonly #to: Channel;
  readonly #from: Channel;
  readonly #waiting: unknown[] = [];
  readonly #data: unknown;
  #isRunning = false;
  #hasEnded = false;

  constructor(script: URL, { workerData }: { readonly workerData: unknown }) {
    super();
    this.#world = worldHere() as World;
    this.#process = currentProcess() as Process;
    [this.#to, this.#from] = [new Channel(), new Channel()];
    const parentPort = Object.assign(this.#port, {
      postMessage: (message: unknown, transfer?: readonly ArrayBuffer[]) =>
        this.#from.send(
          message,
          transfer,
          delayOf(this.#world),
          (copy) => this.#hasEnded || this.emit('message', copy),
        ),
    });
    this.#data = structuredClone(workerData);
    this.#world.plan(2 + this.#world.random.below(30), () => {
      if (this.#hasEnded) return;
      this.#inside(() => run(fileURLToPath(script), { parentPort, workerData: this.#data, isMainThread: false }));
      this.#isRunning = true;
      this.emit('online');
      for (const message of this.#waiting.splice(0)) this.#receive(message);
    });
  }

  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void {
    this.#to.send(message, transfer, delayOf(this.#world) + this.#stall(), (copy) => {
      if (this.#isRunning) this.#receive(copy);
      else this.#waiting.push(copy);
    });
  }

  /** A task of a disk that hangs: the thread is at work and makes no progress. */
  #stall(): number {
    const { sharedState } = Object(this.#data) as { sharedState?: Int32Array };
    const ms = sharedState === undefined ? 0 : this.#world.stallMs;
    if (sharedState === undefined || ms === 0) return 0;
    this.#world.stallMs = 0;
    this.#world.plan(1, () => void Atomics.store(sharedState, IS_WORKING, 1));
    return ms;
  }

  terminate(): Promise<number> {
    return new Promise((resolve) => {
      this.#hasEnded = true;
      this.#world.plan(delayOf(this.#world), () => {
        this.emit('exit', 1);
        resolve(1);
      });
    });
  }

  ref(): void {}
  unref(): void {}

  #receive(message: unknown): void {
    if (!this.#hasEnded) this.#inside(() => this.#port.emit('message', message));
  }

  #inside(work: () => unknown): void {
    try {
      inProcess(this.#process, work);
    } catch (thrown) {
      if (thrown instanceof Killed) throw thrown;
      this.#hasEnded = true;
      this.emit('error', thrown);
      this.emit('exit', 1);
    }
  }
}

const RealWorker = threads.Worker;

/** For good. */
export async function simulateThreads(): Promise<void> {
  for (const script of SCRIPTS) await prepare(script);
  const Worker = new Proxy(RealWorker, {
    construct: (real, given) =>
      worldHere() === undefined
        ? Reflect.construct(real, given)
        : new SimulatedWorker(...(given as [URL, { workerData: unknown }])),
  });
  Object.assign(threads, { Worker });
  syncBuiltinESMExports();
}
