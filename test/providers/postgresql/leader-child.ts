// Leads an index in PostgreSQL and writes pairs until it loses the lease. Prints the lease, each confirmed pair, and what ended it.
import { VaultgraphError } from '../../../src/base/errors.ts';
import { signal } from '../../contracts/store/law.ts';
import { writePair } from './pairs.ts';
import { openStore, type StoreConfig } from './postgres-index.ts';

interface Given {
  readonly config: StoreConfig;
  readonly from: number;
  /** How far the clock of this process is ahead of the system's. */
  readonly clockMs: number;
}

const { config, from, clockMs } = JSON.parse(process.argv[2] ?? '') as Given;
shiftClock(clockMs);
const { store, close } = await openStore(config);
const { token, isMine } = await store.takeLease({ client: 'a child', jobs: [] }, signal);
say('lease', isMine ? token : 'refused');
try {
  for (let number = from; ; number += 1) {
    await writePair(store, number);
    say('pair', number);
  }
} catch (thrown) {
  say('ended', thrown instanceof VaultgraphError ? thrown.code : String(thrown));
}
await close();

function say(what: string, value: unknown): void {
  process.stdout.write(`${what} ${value}\n`);
}

function shiftClock(ms: number): void {
  const now = Date.now.bind(Date);
  globalThis.Date = class extends Date {
    constructor(...given: [] | [value: number | string]) {
      super(...((given.length === 0 ? [now() + ms] : given) as [number]));
    }
    static override now(): number {
      return now() + ms;
    }
  } as DateConstructor;
}
