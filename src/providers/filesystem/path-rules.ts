// Decides from a path's text whether it may be read: it must be relative to the vault and not excluded.
import { sep } from 'node:path';
import picomatch from 'picomatch';
import { foldersAbove } from '../../base/note.ts';

export interface Exclusion {
  /** Checks `path` and every folder above it; vault-relative, `/`, NFC. */
  hides(path: string): boolean;
  /** For a top-down walk that has already checked the folders above. */
  hidesFolder(path: string): boolean;
  hidesFile(path: string): boolean;
  /** Why `hides` is true, as text; undefined when it is false. */
  ruleAgainst(path: string): string | undefined;
}

/** Dots match like any other character, and a leading `!` does not negate. */
const OPTIONS = { dot: true, nonegate: true };

const FOLDER_TAIL = /\/(?:\*\*\/?)?$/;
const HIDDEN_RULE = 'hidden folders and files are left out';

/**
 * Globs are matched against the whole vault-relative path, case-sensitively. `Archive/**`, `Archive/` and `Archive` hide the
 * folder and everything in it; a glob that matches a folder hides what is below it.
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
    const hiddenName = [path, ...foldersAbove(path)].find(hidesName);
    return hiddenName === undefined ? globRule(globs, path) : nameRule(hiddenName);
  };
  return Object.freeze({ hides, hidesFolder, hidesFile, ruleAgainst });
}

/** Tries each glob by itself to find the one that matches. */
function globRule(globs: readonly string[], path: string): string {
  const glob = globs.find((one) => createExclusion([one]).hides(path));
  return `it is excluded by vault.exclude: ${JSON.stringify(glob)}`;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function nameRule(path: string): string {
  const name = nameOf(path);
  if (name.startsWith('.')) return HIDDEN_RULE;
  return name === 'node_modules' ? 'node_modules is always left out' : 'files ending in .tmp are always left out';
}

/** Hidden names, package folders and temporary files. */
function hidesName(path: string): boolean {
  const name = nameOf(path);
  return name.startsWith('.') || name === 'node_modules' || name.endsWith('.tmp');
}

const DRIVE = /^[A-Za-z]:[\\/]/;

/** The rule that `path` breaks, for PATH_NOT_ALLOWED; undefined when it breaks none. Links on disk are checked when the file is opened. */
export function brokenPathRule(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.startsWith('/') || DRIVE.test(path)) return 'it is absolute';
  if (sep === '\\' && /[\\:]/.test(path)) return 'folders are separated by `/`, and names contain no `:`';
  return path.split('/').map(brokenSegmentRule).find(Boolean);
}

function brokenSegmentRule(segment: string): string | undefined {
  if (segment === '') return 'it has an empty segment';
  if (segment === '.' || segment === '..') return `it has a \`${segment}\` segment`;
  return segment.startsWith('.') ? HIDDEN_RULE : undefined;
}
