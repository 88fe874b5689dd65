// A real writer with its real thread on a real folder, as the server opens it.
import { join } from 'node:path';
import type { Opened } from '../../../../src/contracts/provider.ts';
import type { Writer } from '../../../../src/contracts/writer.ts';
import { writerProvider } from '../../../../src/providers/filesystem/writer-provider.ts';
import type { VaultFolder } from '../vault-folder.ts';

export const logFolderOf = ({ outside }: VaultFolder): string => join(outside, 'data', 'changes');

export function openWriter({ root, outside }: VaultFolder, exclude: string[] = []): Promise<Opened<Writer>> {
  const config = writerProvider.config.parse({ path: root, access: 'read-write', exclude });
  const context = { vaultRoot: root, dataFolder: join(outside, 'data'), log: () => undefined };
  return writerProvider.open(config, context, new AbortController().signal);
}
