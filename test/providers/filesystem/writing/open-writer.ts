// A real writer with its real thread on a real folder, as the server opens it.
import type { Opened } from '../../../../src/contracts/provider.ts';
import type { Writer } from '../../../../src/contracts/writer.ts';
import { writerProvider } from '../../../../src/providers/filesystem/writer-provider.ts';
import { logFolders } from '../../../../src/providers/filesystem/writing/logged-change.ts';
import { ownFoldersOf, type VaultFolder } from '../vault-folder.ts';

export const logFolderOf = (folder: VaultFolder): string => logFolders(ownFoldersOf(folder)).log;

export function openWriter(folder: VaultFolder, exclude: string[] = []): Promise<Opened<Writer>> {
  const { root } = folder;
  const config = writerProvider.config.parse({ path: root, access: 'read-write', exclude });
  const context = { vaultRoot: root, ...ownFoldersOf(folder), log: () => undefined };
  return writerProvider.open(config, context, new AbortController().signal);
}
