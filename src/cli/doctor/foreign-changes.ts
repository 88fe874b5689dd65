// Doctor check for temporary files of changes that a server with another state folder has not finished.
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOrRethrow } from '../../base/errno.ts';
import type { foreignChanges } from '../../core/closed-vault.ts';
import { type Finding, ok, warning } from './finding.ts';

type Found = ReturnType<typeof foreignChanges>;

const MAX_SHOWN = 10;
const HINT =
  'a server with the state folder of that change completes it: start one with write access there. If its log is gone, compare each note that is named with these files, keep the text that you want, and remove the files';

export function foreignFinding(root: string, { text, files }: Found): Finding {
  if (text === undefined) return ok('no temporary files of another server are in the vault');
  const shown = files.slice(0, MAX_SHOWN).map((file) => `${file.path} (${describe(root, file)})`);
  const more = files.length > MAX_SHOWN ? ` and ${files.length - MAX_SHOWN} more` : '';
  return warning(`${text}: ${shown.join('; ')}${more}`, HINT);
}

/** Says which of the two texts a note has, as far as the files show it. */
function describe(root: string, { path, kind }: Found['files'][number]): string {
  if (kind === 'marker') return 'marks an empty file that takes the place of a new one';
  const note = sameFile(root, path);
  if (kind === 'new text') return note === undefined ? 'a new text that no note has yet' : `${note} has this new text`;
  return note === undefined
    ? 'the old text of a note that has its new text, or was moved or removed'
    : `${note} still has this old text`;
}

/** The name of another file in its folder that is the very same one. */
function sameFile(root: string, path: string): string | undefined {
  const folder = join(root, dirname(path));
  try {
    const { ino, dev } = lstatSync(join(root, path), { bigint: true });
    return readdirSync(folder).find((name) => {
      if (name === basename(path)) return false;
      const other = lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
      return other?.ino === ino && other.dev === dev;
    });
  } catch (thrown) {
    // It was removed meanwhile.
    errnoOrRethrow(thrown);
    return undefined;
  }
}
