// A vault in a temporary folder, for the tests of this provider and of other code that reads a vault.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Vault } from '../../../src/contracts/vault.ts';
import { filesystemProvider } from '../../../src/providers/filesystem/filesystem-provider.ts';

export interface VaultFolder {
  readonly root: string;
  readonly outside: string;
  put(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  move(from: string, to: string): void;
  /** Renames the root away, and back. */
  vanish(): void;
  comeBack(): void;
  delete(): void;
}

export function createVaultFolder(): VaultFolder {
  const folder = vaultFolderAt(mkdtempSync(join(realpathSync(tmpdir()), 'vaultgraph-test-')));
  mkdirSync(folder.root);
  return folder;
}

export function vaultFolderAt(outside: string): VaultFolder {
  const root = join(outside, 'vault');
  const at = (path: string): string => join(root, path);
  const makeFolderOf = (path: string): void => void mkdirSync(dirname(at(path)), { recursive: true });
  return {
    root,
    outside,
    put(path, content) {
      makeFolderOf(path);
      writeFileSync(at(path), content);
    },
    remove: (path) => rmSync(at(path), { recursive: true }),
    move(from, to) {
      makeFolderOf(to);
      renameSync(at(from), at(to));
    },
    vanish: () => renameSync(root, `${root}.away`),
    comeBack: () => renameSync(`${root}.away`, root),
    delete: () => rmSync(outside, { recursive: true, force: true }),
  };
}

/** The folders of the server beside the vault. */
export const ownFoldersOf = ({ outside }: VaultFolder) => ({
  dataFolder: join(outside, 'data'),
  stateFolder: join(outside, 'state'),
});

export interface OpenVault {
  readonly vault: Vault;
  probe(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  close(): Promise<void>;
}

export async function openVault(
  folder: VaultFolder,
  exclude: string[] = [],
  access: Vault['access'] = 'read-only',
  view: { readonly read?: readonly string[]; readonly write?: readonly string[] } = {},
): Promise<OpenVault> {
  const { signal } = new AbortController();
  const context = { vaultRoot: folder.root, ...ownFoldersOf(folder), log: () => {} };
  const config = filesystemProvider.config.parse({ path: folder.root, exclude, access, ...view });
  const { capability, probe, close } = await filesystemProvider.open(config, context, signal);
  return { vault: capability, probe: () => probe(signal), close };
}
