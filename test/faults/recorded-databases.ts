// Records the files of SQLite databases after each of several steps, and builds the states in which a loss of power may leave them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A disk writes this much at once. */
const BLOCK_BYTES = 512;

interface Files {
  /** Undefined if there is none. */
  readonly database: Buffer | undefined;
  readonly log: Buffer | undefined;
}

const filesAt = (file: string): Files => ({
  database: existsSync(file) ? readFileSync(file) : undefined,
  log: existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : undefined,
});

/**
 * With `synchronous = NORMAL` a commit appends to the write-ahead log and flushes nothing; the log is flushed before its pages are moved
 * into the database, the database before the log begins again. SQLite itself is trusted to complete a move that was interrupted.
 */
export class RecordedDatabases {
  readonly #root: string;
  readonly #names: readonly string[];
  readonly #steps: ReadonlyMap<string, Files>[] = [];

  /** @param names of the databases, in the root */
  constructor(root: string, names: readonly string[]) {
    this.#root = root;
    this.#names = names;
  }

  step(): void {
    this.#steps.push(new Map(this.#names.map((name) => [name, filesAt(join(this.#root, name))])));
  }

  /** Makes the databases in another folder as they may be if the power is lost after a step: each by itself. */
  build(to: string, step: number, random: () => number): void {
    for (const name of this.#names) {
      const { database, log } = this.#state(name, step, random);
      mkdirSync(dirname(join(to, name)), { recursive: true });
      if (database !== undefined) writeFileSync(join(to, name), database);
      if (log !== undefined) writeFileSync(join(to, `${name}-wal`), log);
    }
  }

  /** The last step whose commits are durable; -1 for none. */
  durable(name: string, step: number): number {
    let moved = step;
    while (moved > 0 && isSame(this.#at(name, moved).database, this.#at(name, moved - 1).database)) moved -= 1;
    return this.#at(name, moved).log === undefined ? moved : moved - 1;
  }

  #at(name: string, step: number): Files {
    return this.#steps[step]?.get(name) ?? { database: undefined, log: undefined };
  }

  #state(name: string, step: number, random: () => number): Files {
    const { database, log } = this.#at(name, step);
    return { database, log: log && torn(log, random) };
  }
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);

/** All of what was written, nothing of it, its beginning, or any of its blocks; what is lost is missing, or zeros. */
function torn(written: Buffer, random: () => number): Buffer | undefined {
  const style = Math.floor(4 * random());
  if (style === 0) return written;
  if (style === 1) return undefined;
  const state = Buffer.from(written);
  if (style === 2) return state.subarray(0, Math.floor(random() * written.length));
  const keeps = random();
  for (let at = 0; at < state.length; at += BLOCK_BYTES)
    if (random() >= keeps) state.fill(0, at, Math.min(at + BLOCK_BYTES, state.length));
  return state;
}
