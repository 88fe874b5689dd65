// A server of a simulation: the core of the program in a simulated process, with a client that calls tools and follows notes.
import type { GraphCore } from '../../src/app/graph-core.ts';
import { openGraphCore } from '../../src/app/graph-core.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import { outcomeOf } from '../../src/base/outcome.ts';
import type { Config } from '../../src/config/config.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { closeDatabasesOf } from './simulated-sqlite.ts';
import { inProcess, type Process, type World } from './world.ts';

const { signal: never } = new AbortController();
const AGAIN_MS = 200;

/** While the index is missing, made again, or compared because it may be an older copy. */
const ASKED_AGAIN: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'NOT_READY']);

/** The hash of the note; `none` if it is not there, undefined if that is not known. */
async function hashOf(path: string, core: GraphCore): Promise<string | undefined> {
  const [found] = await core.store.notes([path as NotePath], never);
  if (found !== undefined) return found.hash ?? 'none';
  return (await isGone(path, core)) ? 'none' : undefined;
}

/** Whether an index that is complete, before and after it is asked, does not have the note. */
async function isGone(path: string, { store }: GraphCore): Promise<boolean> {
  const before = await store.progress(never);
  const [found] = await store.notes([path as NotePath], never);
  const after = await store.progress(never);
  return found === undefined && before.scannedAt !== null && before.revision === after.revision;
}

export const FOLLOWED = ['Note 0.md', 'Note 1.md', 'New 1.md'];

export interface Answered {
  readonly code: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
  readonly data: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly details: any;
}

export class SimulatedServer {
  readonly process: Process;
  readonly #world: World;
  readonly #disk: SimulatedDisk;
  core: GraphCore | undefined;
  isClosing = false;
  /** Names of calls without an answer yet. */
  readonly open = new Set<string>();
  readonly faults: string[] = [];
  readonly #ending = new AbortController();
  /** By path, the content that the client read last. */
  readonly seen = new Map<string, string>();
  readonly changes: string[] = [];

  constructor(name: string, world: World, disk: SimulatedDisk) {
    this.#world = world;
    this.#disk = disk;
    this.process = { name, pid: 100_000 + disk.processes.length, isDead: false };
    disk.processes.push(this.process);
  }

  get isUp(): boolean {
    return this.core !== undefined && !this.isClosing && !this.process.isDead;
  }

  start(config: Config): void {
    this.#do('start', async () => {
      const core = await openGraphCore(
        config,
        (level, event, fields) => this.#read(level, event, fields),
        this.process.name,
      );
      await core.ready;
      core.attend();
      this.core = core;
      await this.#follow(core);
    });
  }

  /** @param cancelled aborts it */
  call(tool: string, args: object, cancelled: AbortSignal, onAnswer: (answer: Answered) => void): void {
    const { core } = this;
    this.#do(`${tool} ${JSON.stringify(args)}`, async () => {
      const answer = await core?.call(tool, args, {
        signal: AbortSignal.any([cancelled, this.#ending.signal]),
        client: this.process.name,
        session: 'a session',
      });
      if (answer === undefined || this.process.isDead) return;
      const { structured } = answer;
      if (structured.ok) onAnswer({ code: undefined, data: structured.data, details: undefined });
      else onAnswer({ code: structured.error.code, data: undefined, details: structured.error.details });
    });
  }

  kill(): void {
    if (this.process.isDead) return;
    this.#world.kill(this.process);
    this.open.clear();
    this.#world.plan(0, () => {
      this.#disk.closeFilesOf(this.process);
      closeDatabasesOf(this.process);
    });
  }

  /** As `serve` does it: the calls end, then all else. */
  close(): void {
    this.isClosing = true;
    this.#ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    this.#do('close', async () => this.core?.close());
  }

  /** Runs something in the process. */
  #do(name: string, work: () => Promise<unknown>): void {
    const open = `${name} ${Math.round(this.#world.now)}`;
    this.open.add(open);
    const end = (): void => void this.open.delete(open);
    inProcess(this.process, () =>
      work().then(end, (thrown) => {
        end();
        this.#failed(name, thrown);
      }),
    );
  }

  /** What a server that ends cannot do is no fault. */
  #failed(what: string, thrown: unknown): void {
    if (what === 'start' && this.#disk.isFull) {
      this.process.isDead = true;
      return;
    }
    const isEnding = this.isClosing && thrown instanceof VaultgraphError && thrown.code === 'SHUTTING_DOWN';
    if (!isEnding && !this.process.isDead) this.faults.push(`${what}: ${(thrown as Error)?.stack ?? thrown}`);
  }

  async #follow(core: GraphCore): Promise<void> {
    const read = async (path: string): Promise<void> => {
      const outcome = await outcomeOf(hashOf(path, core));
      if ('error' in outcome && !ASKED_AGAIN.has(outcome.error.code)) throw outcome.error;
      const hash = 'value' in outcome ? outcome.value : undefined;
      // A client reads the file, which is there, too, while the index is missing or built again.
      if (hash !== undefined) this.seen.set(path, hash);
      else this.#world.plan(AGAIN_MS, () => void read(path).catch((thrown) => this.#failed(path, thrown)));
    };
    const methods = core.offer.methods((_method, { uri }) => {
      const path = decodeURIComponent(String(uri).slice('note:///'.length));
      void read(path).catch((thrown) => this.#failed(path, thrown));
      return true;
    });
    for (const path of FOLLOWED) {
      const uri = `note:///${encodeURIComponent(path)}`;
      const reply = await methods.get('resources/subscribe')?.(
        { uri },
        { id: path, signal: never, client: this.process.name },
      );
      // A note that is not there cannot be followed.
      if (reply !== undefined && 'result' in reply) await read(path);
    }
  }

  #read(level: string, event: string, fields: object | undefined): void {
    // What a killed process would say, it does not.
    if (this.process.isDead) return;
    const line = `${level} ${event} ${JSON.stringify(fields)}`;
    if (process.env.VAULTGRAPH_SIMULATION === 'print') this.#disk.world.note(`${this.process.name} ${line}`);
    if (/"undeclared":true|"INTERNAL"/.test(line)) this.faults.push(line);
  }
}
