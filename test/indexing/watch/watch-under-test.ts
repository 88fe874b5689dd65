// Provides an index that follows its folder with the real watcher.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Indexer, IndexJob, IndexRequest } from '../../../src/contracts/indexer.ts';
import type { Vault, VaultEvent } from '../../../src/contracts/vault.ts';
import { VaultWatch, type WatchTimes } from '../../../src/indexing/watch/watch-vault.ts';
import { eventually } from '../../contracts/vault.ts';
import { found, type IndexUnderTest, signal, withIndex } from '../index-under-test.ts';

export interface WatchUnderTest extends IndexUnderTest {
  readonly watch: VaultWatch;
  /** What the watch had done, in order. */
  readonly looks: ({ readonly scan: true } | { readonly paths: readonly string[] })[];
  /** Events and codes of the log. */
  readonly logged: string[];
  /** The watch has begun and found what happened before. */
  begun(): Promise<void>;
  /** Nothing waits to be looked at, and nothing has for some time. */
  quiet(): Promise<void>;
  /** Also, the event of a last note has come and the note was found: events come in order, so none is missing. */
  caughtUp(): Promise<void>;
}

/** No hint comes later than this after what it is about, on a busy machine. */
const STRAGGLERS_MS = 700;

export interface WatchOptions {
  readonly times?: Partial<WatchTimes>;
  readonly exclude?: string[];
  /** Wraps the vault for the watch. */
  readonly between?: (vault: Vault) => Pick<Vault, 'watch'>;
}

/** Runs after the running job, as the indexer of a server does: a hint may not remove what the guard would keep. */
async function behindOthers(indexer: Indexer, request: IndexRequest): Promise<IndexJob> {
  for (let job = indexer.state().running; job !== undefined; job = indexer.state().running)
    await indexer.ended(job.id, signal);
  return indexer.ended((await indexer.start(request)).id, signal);
}

/** Keeps the events of the vault's watchers before they are passed on. */
function recording(vault: Pick<Vault, 'watch'>, received: VaultEvent[]): Pick<Vault, 'watch'> {
  return {
    watch: (listener, signal) =>
      vault.watch((event) => {
        received.push(event);
        listener(event);
      }, signal),
  };
}

export function withWatch(check: (under: WatchUnderTest) => Promise<void>, options: WatchOptions = {}): Promise<void> {
  const { times, exclude = [], between = (vault: Vault) => vault } = options;
  return withIndex(
    async (under) => {
      const { indexer, vault } = under;
      const looks: WatchUnderTest['looks'] = [];
      const logged: string[] = [];
      const received: VaultEvent[] = [];
      const watch = new VaultWatch({
        vault: recording(between(vault), received),
        refresh(paths) {
          looks.push({ paths });
          return behindOthers(indexer, { kind: 'notes', paths, hinted: true });
        },
        scan() {
          looks.push({ scan: true });
          return behindOthers(indexer, { kind: 'catch_up' });
        },
        log: (_level, event, fields) => void logged.push(`${event} ${JSON.stringify(fields ?? {})}`),
        times: {
          firstScan: 50,
          poll: 200,
          pollFactor: 1,
          sweepFactor: 1,
          retry: 50,
          maxRetry: 200,
          reopen: 100,
          maxReopen: 400,
          ...times,
        },
      });
      const reported = (): string => JSON.stringify([watch.state, looks, logged]);
      let last = 0;
      async function caughtUp(): Promise<void> {
        last += 1;
        const before = received.length;
        under.folder.put(`Last ${last}.md`, `lastword${last}\n`);
        const hasCome = (event: VaultEvent): boolean =>
          event.kind === 'lost' || (event.kind === 'hints' && event.paths.includes(`Last ${last}.md`));
        await eventually(() => watch.state.mode !== 'events' || received.slice(before).some(hasCome), reported);
        const deadline = performance.now() + 60_000;
        while ((await found(under.store, `lastword${last}`)).length === 0) {
          if (performance.now() > deadline) assert.fail(`the last note was never found: ${reported()}`);
          await sleep(20);
        }
        await quiet();
      }

      async function quiet(): Promise<void> {
        let since = performance.now();
        let before = looks.length;
        const isQuiet = (): boolean => {
          if (watch.state.pending > 0 || looks.length !== before) since = performance.now();
          before = looks.length;
          return performance.now() - since > STRAGGLERS_MS;
        };
        await eventually(isQuiet, reported, 120_000);
      }

      try {
        await check({
          ...{ ...under, watch, looks, logged, quiet, caughtUp },
          async begun() {
            watch.start();
            await eventually(() => watch.state.lastScanAt !== undefined, reported);
          },
        });
      } finally {
        await watch.stop();
      }
    },
    { exclude, fresh: true },
  );
}
