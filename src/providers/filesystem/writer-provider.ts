// What may change the vault's files: the vault's own folder, a thread for it alone, and a log of changes outside it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import { threadScript } from '../../base/thread-script.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Writer } from '../../contracts/writer.ts';
import { type FileThreads, openFileThreads } from './file-threads.ts';
import { type FilesystemConfig, filesystemProvider } from './filesystem-provider.ts';
import { ask } from './folder-vault.ts';
import { createFolderWriter } from './folder-writer.ts';

/** No timer may end what has begun to write: it ends by itself, or when the disk shows no sign of life. */
const LIMITS = { recover: 'bounded', apply: 'bounded', check: 20_000, changes: 20_000, inverse: 20_000 } as const;
/** A slow disk takes its time to make a large file durable. */
const PATIENCE_MS = 20_000;
/** Changes are made one after the other. */
const THREADS = 1;
/** Less than closing may take in all; what is cut off then is ended by the next start. */
const LONGEST_CLOSE_MS = 900;
const LOG = 'changes';
const THREAD_SCRIPT = threadScript('file-thread', import.meta.url);

export const writerProvider: Provider<'writer', FilesystemConfig> = Object.freeze({
  capability: 'writer',
  type: 'filesystem',
  config: filesystemProvider.config,
  limits: () => LIMITS,
  open: async ({ exclude }: FilesystemConfig, { vaultRoot, dataFolder }: ProviderContext) =>
    openWriter(
      openFileThreads(THREAD_SCRIPT, { root: vaultRoot, exclude }, PATIENCE_MS, THREADS),
      join(dataFolder, LOG),
    ),
});

/** Touches no disk, so that a vault that hangs does not keep the server from starting. */
function openWriter(threads: FileThreads, log: string): Opened<Writer> {
  const tracked = trackedThreads(threads);

  async function probe(signal: AbortSignal): Promise<Probe> {
    if (tracked.running.size > 0) return { ok: true, detail: 'a change is being written' };
    try {
      await ask(threads, { kind: 'probe' }, signal);
      return { ok: true, detail: 'the folder answers, and each change is logged' };
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
      return { ok: false, detail: thrown.message };
    }
  }

  return Object.freeze({ capability: createFolderWriter(tracked, log), probe, close: tracked.close });
}

/** Closes once what is under way has ended, or has had its time. */
function trackedThreads(threads: FileThreads): FileThreads & { readonly running: ReadonlySet<unknown> } {
  const running = new Set<Promise<unknown>>();
  let closing = false;
  return Object.freeze<FileThreads & { readonly running: ReadonlySet<unknown> }>({
    running,
    async run(...given) {
      if (closing) throw new VaultgraphError('SHUTTING_DOWN', {});
      const run = threads.run(...given);
      running.add(run);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    async close() {
      closing = true;
      await Promise.race([Promise.allSettled(running), pause(LONGEST_CLOSE_MS, undefined, { ref: false })]);
      await threads.close();
    },
  });
}
