// Decides from a path's text whether it may be read: it must be relative to the vault and not excluded.
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import picomatch from 'picomatch';
import { currentDialect, foldersAbove, type NotePath } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import type { OpenFolders } from './open-folders.ts';
import { type View, WHOLE_VAULT } from './view-globs.ts';

export interface Exclusion {
  /** The part of the vault that a client may see. What is outside is also hidden from lists and watches. */
  readonly view: View;
  /** Checks a file and every folder above it; vault-relative, `/`, NFC. */
  hides(path: string): boolean;
  /** The same for what may be a file or a folder. */
  hidesAny(path: string): boolean;
  /** For a top-down walk that has already checked the folders above. */
  hidesFolder(path: string): boolean;
  hidesFile(path: string): boolean;
  /** The rule that excludes the path, as text; undefined if none does. Never says that it is outside the view. */
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
export function createExclusion(globs: readonly string[], view: View = WHOLE_VAULT): Exclusion {
  const folderGlobs = globs.map((glob) => glob.replace(FOLDER_TAIL, '')).filter((glob) => glob !== '');
  const isFile = picomatch([...globs], OPTIONS);
  const isFolder = picomatch(folderGlobs, OPTIONS);
  const excludesFile = (path: string): boolean => hidesName(path) || isFile(path);
  const excludesFolder = (path: string): boolean => excludesFile(path) || isFolder(path);
  const excludes = (path: string): boolean => excludesFile(path) || foldersAbove(path).some(excludesFolder);
  const ruleAgainst = (path: string): string | undefined => {
    if (!excludes(path)) return undefined;
    const hiddenName = [path, ...foldersAbove(path)].find(hidesName);
    return hiddenName === undefined ? globRule(globs, path) : nameRule(hiddenName);
  };
  return Object.freeze({
    view,
    ruleAgainst,
    hides: (path: string) => excludes(path) || !view.shows(path),
    hidesAny: (path: string) => excludes(path) || !(view.shows(path) || view.mayHold(path)),
    hidesFolder: (path: string) => excludesFolder(path) || !view.mayHold(path),
    hidesFile: (path: string) => excludesFile(path) || !view.shows(path),
  });
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
  if (isOfLogseq(path)) return 'the folder logseq, with settings and copies of Logseq, is left out';
  return name === 'node_modules' ? 'node_modules is always left out' : 'files ending in .tmp are always left out';
}

/** Hidden names, package folders and temporary files. */
function hidesName(path: string): boolean {
  const name = nameOf(path);
  return name.startsWith('.') || name === 'node_modules' || name.endsWith('.tmp') || isOfLogseq(path);
}

/** Settings and earlier versions of pages (`bak`), which Logseq does not show. */
const isOfLogseq = (path: string): boolean => path === 'logseq' && currentDialect() === 'logseq';

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

/**
 * The vault path of each file on disk. A name that is NFC on disk keeps its path. Any other gets its NFC form; where that is taken
 * by another file (possible only on Linux) it keeps its spelling on disk, the only case of a path that is not NFC.
 */
export function assignPaths(onDisk: readonly string[]): readonly NotePath[] {
  const composed = onDisk.map((path) => path.normalize('NFC'));
  const isDecomposed = (index: number): boolean => composed[index] !== onDisk[index];
  const decomposed = [...onDisk.keys()].filter(isDecomposed);
  if (decomposed.length === 0) return onDisk as readonly NotePath[];
  const taken = new Set(onDisk.filter((_, index) => !isDecomposed(index)));
  const assigned = [...onDisk];
  for (const index of decomposed.sort((a, b) => comparePaths(onDisk[a] ?? '', onDisk[b] ?? ''))) {
    const path = composed[index] ?? '';
    if (taken.has(path)) continue;
    taken.add(path);
    assigned[index] = path;
  }
  return assigned as NotePath[];
}

/** The spelling of `path` on disk, segment by segment; a segment without another spelling, or below a link, stays as it is. */
export function findOnDiskSpelling(folders: OpenFolders, path: string): string {
  let spelled = '';
  for (const segment of path.split('/')) {
    const name = spellingIn(folders.pathOf(spelled), segment);
    spelled = spelled === '' ? name : `${spelled}/${name}`;
  }
  return spelled;
}

function spellingIn(folder: string | undefined, segment: string): string {
  const names = folder === undefined ? [] : readdirSync(folder);
  if (names.includes(segment)) return segment;
  const composed = segment.normalize('NFC');
  const [first] = names.filter((name) => name.normalize('NFC') === composed).sort(comparePaths);
  return first ?? segment;
}

// Recognizes what sync clients leave in a vault: placeholder stubs and conflict copies.

const CLOUD_STUB = /^\.(.+)\.icloud$/;
const CONFLICT_COPY = /\((?:[^()]* )?conflicted copy(?: [^()]*)?\)|\.sync-conflict-/i;

/** The name of the file that an iCloud stub is a placeholder for; undefined for any other name. */
export function nameBehindStub(name: string): string | undefined {
  return CLOUD_STUB.exec(name)?.[1];
}

/** The name of the iCloud stub that stands for a file; this path or name is taken while it exists. */
export function stubOf(path: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}.${path.slice(at)}.icloud`;
}

export function isConflictCopy(path: string): boolean {
  return CONFLICT_COPY.test(path.slice(path.lastIndexOf('/') + 1));
}
