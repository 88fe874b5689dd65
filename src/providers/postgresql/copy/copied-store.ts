// The store as one server sees it: queries are answered from the copy once it is as far as PostgreSQL, changes are made in both.

import { NEVER, untilAborted } from '../../../base/async/waits.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Store } from '../../../contracts/store.ts';
import type { Writer } from '../../sqlite/write/writer.ts';
import type { CatchUp } from '../../sqlite/write/writer-messages.ts';
import type { SharedPart } from '../sharing/shared-reads.ts';
import type { Asked, Freshness } from './freshness.ts';
import { type Copy, UnfinishedCopy } from './open-copy.ts';
import { isAt, isOnWayTo, mayBeAhead, type Original } from './position.ts';

/** The tables in PostgreSQL are others than those of the copy: the schema was made again. */
export class OtherOriginal extends Error {}

interface Parts {
  readonly copy: Copy;
  readonly writer: Writer;
  readonly shared: SharedPart;
  readonly freshness: Freshness;
  readonly identity: string;
  /** Throws if a server has marked the index as damaged. */
  readonly throwIfDamaged: (original: Asked) => void;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Methods = Readonly<Record<string, Method>>;

/** How long a call waits for a first copy. */
const MAX_WAIT_MS = 4_000;
/** Queries that meet a copy which another process began again. */
const MAX_TRIES = 10;

const WRITES: ReadonlySet<string> = new Set<keyof Store>([
  ...(['apply', 'completeScan', 'reset', 'openGeneration', 'applyVectors', 'activate', 'sweepVectors'] as const),
]);

export class CopiedStore {
  readonly store: Store;
  readonly #parts: Parts;
  /** The store of the copy. */
  #local: Methods;
  /** What the copy has for certain, unless another process began it again: then queries fail with `UnfinishedCopy`. */
  #reached: Original | undefined;
  #catchingUp: Promise<void> | undefined;
  #progress: CatchUp | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#local = localStore(parts);
    const queries = Object.keys(this.#local).map((name) => [name, this.#upToDate(name)]);
    this.store = Object.freeze({ ...Object.fromEntries(queries), ...this.#shared() }) as Store;
  }

  get isCatchingUp(): boolean {
    return this.#catchingUp !== undefined;
  }

  /** Drops what queries have kept of the copy. */
  forget(): void {
    this.#local = localStore(this.#parts);
  }

  /** After each answer of the leader the index may have changes that this server has not seen yet. */
  #shared(): SharedPart {
    const { shared, freshness } = this.#parts;
    const leaderReply: SharedPart['leaderReply'] = async (id, signal) => {
      const reply = await shared.leaderReply(id, signal);
      if (reply !== undefined) freshness.forget();
      return reply;
    };
    return { ...shared, leaderReply };
  }

  #upToDate(name: string): Method {
    return async (...args) => {
      const signal = args.at(-1) as AbortSignal;
      for (let tries = 1; ; tries++) {
        await this.#reach(signal);
        try {
          return await (this.#local[name] as Method)(...args);
        } catch (thrown) {
          if (!(thrown instanceof UnfinishedCopy) || tries === MAX_TRIES) throw thrown;
          this.#reached = undefined;
        } finally {
          if (WRITES.has(name)) this.#parts.freshness.forget();
        }
      }
    };
  }

  /** Until the copy has all that PostgreSQL had when this was called. */
  async #reach(signal: AbortSignal): Promise<void> {
    const { copy, freshness, identity, throwIfDamaged } = this.#parts;
    const original = await freshness.original(signal);
    if (original === this.#reached) return;
    if (original.identity !== identity) throw new OtherOriginal();
    throwIfDamaged(original);
    for (;;) {
      const position = copy.position();
      if (isAt(position, original)) break;
      if (mayBeAhead(position, original) && isOnWayTo(position, await freshness.present(signal))) break;
      await this.#wait(original, signal);
    }
    this.#reached = original;
  }

  async #wait(original: Original, signal: AbortSignal): Promise<void> {
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
    const tooLong = AbortSignal.timeout(MAX_WAIT_MS);
    try {
      await untilAborted(this.#catchingUp, signal, tooLong);
    } catch (thrown) {
      if (!tooLong.aborted || thrown !== tooLong.reason) throw thrown;
      throw await this.#unfinished(original, signal);
    }
  }

  /** Who the copy waits for: another server, which builds the index, or the database server that it is read from. */
  async #unfinished(original: Original, signal: AbortSignal): Promise<VaultgraphError> {
    const { shared } = this.#parts;
    const [jobs, { isMine }] = await Promise.all([shared.keptJobs(signal), shared.lease(signal)]);
    const running = jobs.find(({ job }) => job.state === 'running')?.job;
    if (running !== undefined && !isMine) {
      const { done, changed: total } = running.counts;
      return new VaultgraphError('INDEX_BUILDING', { job_id: running.id, done, total });
    }
    const { done = 0, total = original.seq } = this.#progress ?? {};
    return new VaultgraphError('NOT_READY', { phase: 'copying', done, total });
  }

  /** In parts, so that a heartbeat is not late. */
  async #catchUp(): Promise<void> {
    do this.#progress = await this.#parts.writer.run({ op: 'catchUp' }, NEVER);
    while (!this.#progress.isWhole);
  }
}

const localStore = ({ copy }: Parts): Methods => copy.createStore() as unknown as Methods;
