// Where a note is to be, from the path that a caller writes: the extension may be left out. Whether it may be there is for the disk to say.
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';

/** What the end of a name looks like that says of what kind its file is; `2.1 Tides` and `v1.2` are names. */
const EXTENSION = /\.(?=[a-z\d]*[a-z])[a-z\d]{1,8}$/i;

/**
 * NFC, with the extension.
 * @param extension what is put behind a name without one, and the only one that is taken, `.md`
 * @throws PATH_NOT_ALLOWED
 */
export function newPathOf(written: string, extension: string): NotePath {
  const path = plainPath(written);
  if (path === '' || path.endsWith('/')) throw refused(written, 'it names no file');
  if (path.toLowerCase().endsWith(extension)) return path as NotePath;
  const hasOther = fileKindOf(path) !== 'attachment' || EXTENSION.test(path);
  if (hasOther) throw refused(written, `only files that end in ${extension} are written here, and it ends in another`);
  return `${path}${extension}` as NotePath;
}

/** NFC, without `./` at its start. */
export function plainPath(written: string): string {
  return written.normalize('NFC').replace(/^(?:\.\/)+/, '');
}

function refused(path: string, rule: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
}
