// Reads one of the few settings files that a vault may be asked for. Runs in a file thread; takes no path, so no other file is reached.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../base/errors.ts';
import {
  MAX_SETTINGS_BYTES,
  SETTINGS_FILES,
  type SettingsFile,
  type SettingsName,
} from '../../contracts/vault-settings.ts';
import { errnoOf } from './errno.ts';
import { readOnDisk } from './read-file.ts';

/** @param root the vault's real path */
export function readSettings(root: string, name: SettingsName, beat: () => void): SettingsFile {
  const path = SETTINGS_FILES[name];
  try {
    const { size } = lstatSync(join(root, path));
    if (size > MAX_SETTINGS_BYTES) return { found: 'fault', reason: `it is larger than ${MAX_SETTINGS_BYTES} bytes` };
    return { found: 'text', text: textOf(readOnDisk(root, { path, onDisk: path }, beat).bytes) };
  } catch (thrown) {
    return faultOf(thrown);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function faultOf(thrown: unknown): SettingsFile {
  if (thrown instanceof VaultgraphError) {
    if (thrown.code === 'PATH_NOT_ALLOWED') return { found: 'fault', reason: 'a symbolic link is not followed' };
    if (thrown.code !== 'FILE_UNREADABLE') throw thrown;
    return {
      found: 'fault',
      reason: `it cannot be read (${(thrown as VaultgraphError<'FILE_UNREADABLE'>).details.errno})`,
    };
  }
  const errno = errnoOf(thrown);
  return errno === 'ENOENT' || errno === 'ENOTDIR'
    ? { found: 'nothing' }
    : { found: 'fault', reason: `it cannot be read (${errno})` };
}
