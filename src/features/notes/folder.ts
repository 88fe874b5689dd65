// A folder of the vault as a caller writes it.
import { VaultgraphError } from '../../base/errors.ts';

/**
 * Vault-relative, NFC, without slashes at its ends; undefined for the whole vault (`.`, `/` or nothing).
 * @throws PATH_NOT_ALLOWED
 */
export function folderOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const folder = written.normalize('NFC').replace(/^(\.\/)+|\/+$/g, '');
  if (folder === '' || folder === '.') return undefined;
  const rule = brokenRule(folder);
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path: written, rule });
  return folder;
}

function brokenRule(folder: string): string | undefined {
  if (folder.includes('\0')) return 'it holds a NUL character';
  if (folder.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(folder)) return 'it names a drive';
  const segments = folder.split(/[/\\]/);
  if (segments.includes('..')) return 'it leads out of the vault';
  if (segments.some((segment) => segment.startsWith('.'))) return 'it is hidden';
  return undefined;
}
