// Finds the globs of a view that match nothing, with what they may have meant.
import picomatch from 'picomatch';
import { nearestName } from '../../base/nearest.ts';
import { foldersAbove } from '../../base/note.ts';
import { EVERYTHING, type UnmatchedGlob, type VaultView } from '../../contracts/vault.ts';
import { createView } from './view-globs.ts';

/** @param paths of all files, in the view or not */
export function unmatchedGlobs(globs: VaultView['globs'], paths: readonly string[]): readonly UnmatchedGlob[] {
  const folders = new Set(paths.flatMap(foldersAbove));
  return Object.entries(globs).flatMap(([key, list]) =>
    list.filter((glob) => !matchesAny(glob, paths)).map((glob) => ({ key, glob, ...meant(glob, folders) })),
  );
}

function matchesAny(glob: string, paths: readonly string[]): boolean {
  const { shows } = createView({ read: [glob], write: EVERYTHING });
  const isMatch = glob.startsWith('!') ? (path: string) => !shows(path) : shows;
  return glob === EVERYTHING[0] || paths.some(isMatch);
}

/** The glob with the name of an existing folder in place of its part without wildcards. */
function meant(glob: string, folders: ReadonlySet<string>): Pick<UnmatchedGlob, 'did_you_mean'> {
  const sign = glob.startsWith('!') ? '!' : '';
  const written = glob.slice(sign.length);
  const base = picomatch.scan(written).base.replace(/\/$/, '');
  const near = base === '' ? undefined : nearestName(base, folders);
  if (near === undefined) return {};
  return { did_you_mean: `${sign}${near}${written.slice(base.length).replace(/^\/?$/, '/**')}` };
}
