// A vault that is a folder on this machine: its config, its limits, and how it opens. Nothing here writes into it.
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { threadScript } from '../../base/worker-threads.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type FileThreads, openFileThreads } from './file-threads.ts';
import { ask, createFolderVault } from './folder-vault.ts';

export interface FilesystemConfig {
  /** Absolute; a leading `~` is expanded. */
  path: string;
  access: Vault['access'];
  /** Globs, vault-relative. */
  exclude: string[];
}

/** A first listing may have to wake a disk and walk a hundred thousand files; a read is a slice of notes. */
const LIMITS = { list: 120_000, listAt: 20_000, read: 20_000, watch: 120_000, settings: 20_000 };
/** Three files that hang one after the other still end within the limit of a read. */
const PATIENCE_MS = 5_000;
const THREAD_SCRIPT = threadScript('file-thread', import.meta.url);

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

const glob = z
  .string()
  .min(1)
  .refine(
    (given) => !/^[!/]|\\|^[A-Za-z]:/.test(given),
    'a glob is vault-relative, with `/` between folders, and not negated',
  );

export const filesystemProvider: Provider<'vault', FilesystemConfig> = Object.freeze({
  capability: 'vault',
  type: 'filesystem',
  config: z.strictObject({
    path: z.string().min(1).transform(expandHome).refine(isAbsolute, 'the path of a folder, absolute or from `~`'),
    access: z.enum(['read-only', 'read-write']).default('read-only'),
    exclude: z.array(glob).default([]),
  }),
  limits: () => LIMITS,
  open: async ({ access, exclude }: FilesystemConfig, { vaultRoot }: ProviderContext) =>
    openFilesystem(vaultRoot, access, exclude),
});

/** Touches no disk, so that a vault that hangs does not keep the server from starting. */
function openFilesystem(root: string, access: Vault['access'], exclude: readonly string[]): Opened<Vault> {
  const openThreads = (most?: number): FileThreads =>
    openFileThreads(THREAD_SCRIPT, { root, exclude }, PATIENCE_MS, most);
  const threads = openThreads();
  // Loaded when the first watch begins: the start of a server needs nothing of it.
  const watch: Vault['watch'] = async (onSign, signal) => {
    const { watchFolder } = await import('./watching/watch-folder.ts');
    return watchFolder({ root, exclude, threads, openAside: () => openThreads(1) }, onSign, signal);
  };

  async function probe(signal: AbortSignal): Promise<Probe> {
    try {
      await ask(threads, { kind: 'probe' }, signal);
      return { ok: true, detail: `the folder answers, ${access}` };
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
      return { ok: false, detail: thrown.message };
    }
  }

  return Object.freeze({
    capability: createFolderVault(basename(root), access, threads, watch),
    probe,
    close: threads.close,
  });
}
