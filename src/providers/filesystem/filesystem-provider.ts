// The vault provider for a folder on this machine: its config, its limits and how it opens. Writes nothing.
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { threadScript } from '../../base/worker-threads.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Vault } from '../../contracts/vault.ts';
import { FileThreadPool, type FileThreads } from './file-threads.ts';
import { createFolderVault, runTask } from './folder-vault.ts';

export interface FilesystemConfig {
  /** Absolute; a leading `~` is expanded. */
  path: string;
  access: Vault['access'];
  /** Who confirms a change that has to be confirmed: the caller by its arguments, or the user, whom the server asks. */
  consent: 'argument' | 'ask';
  /** Globs, vault-relative. */
  exclude: string[];
}

/** No timer of this thread ends an operation: it would count the time that this thread is busy. The file threads are watched instead. */
const LIMITS = {
  list: 'bounded',
  listAt: 'bounded',
  listAndRead: 'bounded',
  read: 'bounded',
  watch: 'bounded',
  settings: 'bounded',
} as const;
/** A file system that takes longer for one operation counts as hanging. Three files that hang end within half the limit of a call. */
const PATIENCE_MS = 5_000;
export const THREAD_SCRIPT = threadScript('file-thread', import.meta.url);

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

const glob = z
  .string()
  .min(1)
  .refine(
    (value) => !/^[!/]|\\|^[A-Za-z]:/.test(value),
    'a glob is relative to the vault, with `/` between folders, and not negated',
  );

export const filesystemProvider: Provider<'vault', FilesystemConfig> = Object.freeze({
  capability: 'vault',
  type: 'filesystem',
  config: z.strictObject({
    path: z.string().min(1).transform(expandHome).refine(isAbsolute, 'the path of a folder, absolute or from `~`'),
    access: z.enum(['read-only', 'read-write']).default('read-only'),
    consent: z.enum(['argument', 'ask']).default('argument'),
    exclude: z.array(glob).default([]),
  }),
  limits: () => LIMITS,
  open: async ({ access, exclude }: FilesystemConfig, { vaultRoot }: ProviderContext) =>
    openFilesystem(vaultRoot, access, exclude),
});

/** Does not touch the disk, so that a vault that hangs does not keep the server from starting. */
function openFilesystem(root: string, access: Vault['access'], exclude: readonly string[]): Opened<Vault> {
  const openThreads = (max?: number): FileThreads =>
    new FileThreadPool(THREAD_SCRIPT, { root, exclude }, PATIENCE_MS, max);
  const threads = openThreads();
  // Loaded with the first watch: the server starts without it.
  const watch: Vault['watch'] = async (onEvent, signal) => {
    const { watchFolder } = await import('./watching/watch-folder.ts');
    return watchFolder({ root, exclude, threads, openExtraThread: () => openThreads(1) }, onEvent, signal);
  };
  return Object.freeze({
    capability: createFolderVault(basename(root), access, threads, watch),
    probe: (signal: AbortSignal) => probeFolder(threads, `the folder answers, ${access}`, signal),
    release: () => threads.release(),
    close: () => threads.close(),
  });
}

/** @param detail what a working folder is reported as */
export async function probeFolder(threads: FileThreads, detail: string, signal: AbortSignal): Promise<Probe> {
  try {
    await runTask(threads, { kind: 'probe' }, signal);
    return { ok: true, detail };
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    return { ok: false, detail: thrown.message };
  }
}
