// A client that knows which notes are in the vault only from `list_changes`: each call continues where the last one ended, at either server.
import type { Answered, SimulatedServer } from './server.ts';

const { signal: never } = new AbortController();
const LIMIT = 100;

interface Change {
  readonly change: string;
  readonly path: string;
  readonly from?: string;
}

/** What a client that knows these paths knows after an answer. */
export function learn(known: Set<string>, changes: readonly Change[]): void {
  for (const { change, path, from } of changes) {
    if (from !== undefined) known.delete(from);
    if (change.includes('deleted')) known.delete(path);
  }
  for (const { change, path } of changes) if (!change.includes('deleted')) known.add(path);
}

export class FeedFollower {
  readonly #known: Set<string>;
  #position: string | undefined;
  #asked: SimulatedServer | undefined;
  readonly faults: string[] = [];

  /** @param paths that are there at its first call */
  constructor(paths: readonly string[]) {
    this.#known = new Set(paths);
  }

  get isAsking(): boolean {
    return this.#asked?.isUp === true;
  }

  /** One call at a time, as a client does it. */
  ask(server: SimulatedServer | undefined): void {
    if (this.isAsking || server === undefined) return;
    const since = this.#position;
    this.#asked = server;
    server.call('list_changes', { limit: LIMIT, ...(since !== undefined && { since }) }, never, (answer) => {
      if (this.#asked !== server) return;
      this.#asked = undefined;
      this.#read(answer, since === undefined);
    });
  }

  #read({ code, data, details }: Answered, isFirst: boolean): void {
    if (code === 'INVALID_INPUT') this.faults.push(`a position is refused: ${JSON.stringify(details)}`);
    if (code !== undefined) return;
    this.#position = data.position ?? this.#position;
    if (isFirst) return;
    if (data.next_cursor !== undefined) this.faults.push('the changes need another page');
    learn(this.#known, data.changes);
  }

  /** @param onDisk the paths that are there; answers have them composed, except where two files differ in that only */
  check(onDisk: readonly string[]): void {
    if (this.#position === undefined) return;
    const composed = (paths: readonly string[]): string[] => paths.map((path) => path.normalize('NFC')).sort();
    const paths = composed(onDisk);
    const known = composed([...this.#known].filter((path) => path.endsWith('.md')));
    if (known.join('\n') !== paths.join('\n'))
      this.faults.push(`a client of the feed knows of ${known.join()}, and there is ${paths.join()}`);
  }
}
