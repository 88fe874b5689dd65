// Decides from a path's text whether the config's `vault.read` and `vault.write` let a client see or change the file.
import picomatch from 'picomatch';
import { foldersAbove } from '../../base/note.ts';
import { EVERYTHING } from '../../contracts/vault.ts';

/** Vault-relative globs; those that begin with `!` take away from what the others add. */
export interface ViewGlobs {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export interface View {
  /** Whether a client sees the file; vault-relative, `/`, NFC. */
  shows(path: string): boolean;
  /** Whether the folder can have such files in it or below it. */
  mayHold(folder: string): boolean;
  /** Whether a client that may write sees the file and may change it. */
  mayWrite(path: string): boolean;
}

export const isEverything = (globs: readonly string[]): boolean => globs.every((glob) => glob === EVERYTHING[0]);

/** Dots match like any other character, and a leading `!` has been taken off. */
const OPTIONS = { dot: true, nonegate: true };
/** What is taken away is hidden in any spelling: a file system may ignore case. */
const HIDING_OPTIONS = { ...OPTIONS, nocase: true };
const FOLDER_TAIL = /\/(?:\*\*\/?)?$/;

export const WHOLE_VAULT: View = Object.freeze({ shows: () => true, mayHold: () => true, mayWrite: () => true });

export function createView({ read, write }: ViewGlobs): View {
  if (isEverything([...read, ...write])) return WHOLE_VAULT;
  const readable = createMatcher(read);
  const writable = createMatcher(write);
  return Object.freeze({
    shows: readable.matches,
    mayHold: readable.mayHold,
    mayWrite: (path: string) => readable.matches(path) && writable.matches(path),
  });
}

interface Matcher {
  matches(path: string): boolean;
  mayHold(folder: string): boolean;
}

/**
 * A path matches if a glob matches all of it and no glob with `!` matches it or a folder above it. Only what is taken away ignores case.
 * A list of nothing but `!` takes away from everything.
 */
function createMatcher(globs: readonly string[]): Matcher {
  if (isEverything(globs)) return { matches: () => true, mayHold: () => true };
  const removing = globs.flatMap((glob) => (glob.startsWith('!') ? spellings(glob.slice(1)) : []));
  const named = globs.filter((glob) => !glob.startsWith('!')).flatMap((glob) => spellings(withFolderContents(glob)));
  const adding = named.length === 0 ? [...EVERYTHING] : named;
  const isAdded = picomatch(adding, OPTIONS);
  const folders = removing.map((glob) => glob.replace(FOLDER_TAIL, ''));
  const isRemoved = removing.length === 0 ? () => false : picomatch([...removing, ...folders], HIDING_OPTIONS);
  const isBelowRemoved = (path: string): boolean => foldersAbove(path).some((folder) => isRemoved(folder));
  const bases = adding.map((glob) => picomatch.scan(glob).base);
  const leadsToBase = (folder: string): boolean => bases.some((base) => isSameOrAbove(folder, base));
  return {
    matches: (path) => isAdded(path) && !isRemoved(path) && !isBelowRemoved(path),
    mayHold: (folder) => folder === '' || (leadsToBase(folder) && !isRemoved(folder) && !isBelowRemoved(folder)),
  };
}

/** A folder may be called `Work (old)`: brackets also stand for themselves. */
function spellings(glob: string): string[] {
  const literal = glob.replace(/[()[\]{}+@!]/g, '\\$&');
  return literal === glob ? [glob] : [glob, literal];
}

const withFolderContents = (glob: string): string => (glob.endsWith('/') ? `${glob}**` : glob);

/** Whether one of the folders is, or is above, the other. */
function isSameOrAbove(folder: string, base: string): boolean {
  return base === '' || `${base}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${base}/`);
}

/** Why the text is not a glob of a view; undefined if it is one. */
export function brokenGlobRule(written: string): string | undefined {
  const glob = written.replace(/^!/, '');
  if (glob === '') return 'it names nothing';
  if (/^\/|^[A-Za-z]:/.test(glob)) return 'it is absolute; a glob is relative to the vault';
  if (glob.includes('\\')) return 'folders are separated by `/`';
  const segments = glob.replace(/\/$/, '').split('/');
  if (segments.includes('..')) return 'it leads out of the vault';
  if (segments.includes('.') || segments.includes('')) return 'it has an empty or `.` segment';
  return undefined;
}
