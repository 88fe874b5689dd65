// Refuses to write files that the config's `vault.read` or `vault.write` leaves out, under any name that the system has for them.
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { foldersAbove } from '../../base/note.ts';
import { notWritable } from '../../contracts/vault.ts';
import type { Change } from '../../contracts/writer.ts';
import type { Exclusion } from './path-rules.ts';
import { type View, WHOLE_VAULT } from './view-globs.ts';

interface Root {
  /** The vault's real path. */
  readonly root: string;
  readonly exclusion: Pick<Exclusion, 'view'>;
}

/** Whether a client may know of the change: it sees every file of it, before and after. */
export function isShown({ files }: Pick<Change, 'files'>, view: View): boolean {
  return files.every(({ kind, path, to = path }) => view.shows(path) && (kind !== 'move' || view.shows(to)));
}

/** The same error for a file outside the view and for one that does not exist there. @throws PATH_NOT_ALLOWED */
export function checkWritable({ root, exclusion: { view } }: Root, path: string): void {
  if (view === WHOLE_VAULT) return;
  const composed = path.normalize('NFC');
  if (!view.mayWrite(composed)) throw notWritable(path);
  if (!view.mayWrite(systemPath(root, path))) throw notWritable(path);
}

/** The path as the system names it: a folder may have a short name, or one that ignores case. Links are refused elsewhere. */
function systemPath(root: string, path: string): string {
  const above = ['', ...foldersAbove(path), path];
  const existing = above.findLast((each) => existsSync(join(root, each))) ?? '';
  const isLinked = above.some((each) => lstatSync(join(root, each), { throwIfNoEntry: false })?.isSymbolicLink());
  if (isLinked) return path.normalize('NFC');
  const actual = relative(root, realpathSync.native(join(root, existing))).replaceAll(sep, '/');
  return `${actual}${path.slice(existing.length)}`.normalize('NFC');
}
