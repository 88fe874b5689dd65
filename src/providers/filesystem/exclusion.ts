// Which names of a vault are left out: what every vault leaves out, and the user's own globs. Knows nothing of disk.
import { matchesGlob } from 'node:path';

export interface Exclusion {
  /** `path` and every folder above it count; vault-relative, `/`, NFC. */
  hides(path: string): boolean;
  /** For a walk that comes from above and has asked about the folders on the way. */
  hidesFolder(path: string): boolean;
  hidesFile(path: string): boolean;
}

const FOLDER_TAIL = /\/(?:\*\*\/?)?$/;

/**
 * Globs are matched against the whole vault-relative path, case-sensitively. `Archive/**`, `Archive/` and `Archive` hide the
 * folder with all it holds; a glob that matches a folder hides what is below it.
 */
export function createExclusion(globs: readonly string[]): Exclusion {
  const folderGlobs = globs.map((glob) => glob.replace(FOLDER_TAIL, ''));
  const hidesFile = (path: string): boolean => hidesName(path) || globs.some((glob) => matchesGlob(path, glob));
  const hidesFolder = (path: string): boolean =>
    hidesFile(path) || folderGlobs.some((glob) => glob !== '' && matchesGlob(path, glob));
  const hides = (path: string): boolean => hidesFile(path) || foldersAbove(path).some(hidesFolder);
  return Object.freeze({ hides, hidesFolder, hidesFile });
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
