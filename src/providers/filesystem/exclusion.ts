// Which names of a vault are left out: what every vault leaves out, and the user's own globs.
import picomatch from 'picomatch';

export interface Exclusion {
  /** `path` and every folder above it count; vault-relative, `/`, NFC. */
  hides(path: string): boolean;
  /** For a walk that comes from above and has asked about the folders on the way. */
  hidesFolder(path: string): boolean;
  hidesFile(path: string): boolean;
  /** Why `hides`, for people; undefined where it does not. */
  ruleAgainst(path: string): string | undefined;
}

/** A dot in a name is a letter like any other, and a `!` at the start negates nothing. */
const OPTIONS = { dot: true, nonegate: true };

const FOLDER_TAIL = /\/(?:\*\*\/?)?$/;

/**
 * Globs are matched against the whole vault-relative path, case-sensitively. `Archive/**`, `Archive/` and `Archive` hide the
 * folder with all it holds; a glob that matches a folder hides what is below it.
 */
export function createExclusion(globs: readonly string[]): Exclusion {
  const folderGlobs = globs.map((glob) => glob.replace(FOLDER_TAIL, '')).filter((glob) => glob !== '');
  const isFile = picomatch([...globs], OPTIONS);
  const isFolder = picomatch(folderGlobs, OPTIONS);
  const hidesFile = (path: string): boolean => hidesName(path) || isFile(path);
  const hidesFolder = (path: string): boolean => hidesFile(path) || isFolder(path);
  const hides = (path: string): boolean => hidesFile(path) || foldersAbove(path).some(hidesFolder);
  const ruleAgainst = (path: string): string | undefined => {
    if (!hides(path)) return undefined;
    const named = [path, ...foldersAbove(path)].find(hidesName);
    return named === undefined ? excludedBy(globs, path) : nameRule(named);
  };
  return Object.freeze({ hides, hidesFolder, hidesFile, ruleAgainst });
}

/** Each glob by itself, as all of them together only say that one of them fits. */
function excludedBy(globs: readonly string[], path: string): string {
  const glob = globs.find((one) => createExclusion([one]).hides(path));
  return `vault.exclude leaves it out by ${JSON.stringify(glob)}`;
}

function nameRule(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith('.')) return 'hidden folders and files are left out';
  return `${name === 'node_modules' ? 'node_modules' : 'what ends in .tmp'} is always left out`;
}

/** Hidden names, what package managers install, and half-written files. */
function hidesName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.startsWith('.') || name === 'node_modules' || name.endsWith('.tmp');
}

function foldersAbove(path: string): readonly string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
