// Opens folders of the vault without following a link, so that swapping one for a link leads no read or write out of the vault.
import fs from 'node:fs';
import { join } from 'node:path';
import { errnoOrRethrow, isErrno } from '../../base/errno.ts';
import { ownRules } from '../../base/system/system-rules.ts';

/** The system calls it makes; a test can make any of them fail. */
type FolderCalls = Pick<typeof fs, 'closeSync' | 'lstatSync' | 'openSync' | 'readlinkSync' | 'realpathSync'>;

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = fs.constants;
const FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const DESCRIPTORS = '/proc/self/fd';
const HAS_DESCRIPTOR_PATHS = ownRules().hasProc && fs.existsSync(DESCRIPTORS);

const pathOfDescriptor = (descriptor: number): string => `${DESCRIPTORS}/${descriptor}`;

/** Keeps the last folder open, so that work that goes folder by folder opens each one once. */
export class OpenFolders {
  readonly #calls: FolderCalls;
  readonly #root: string;
  readonly #byDescriptor: boolean;
  #last: { readonly folder: string; readonly descriptor: number } | undefined;

  /** @param root the vault's real path */
  constructor(root: string, calls: FolderCalls = fs) {
    this.#root = root;
    this.#calls = calls;
    this.#byDescriptor = HAS_DESCRIPTOR_PATHS && ownRules().hasProc;
  }

  /**
   * A path to this very folder until the next call, even if the folder's own path leads elsewhere by then. Where a path cannot
   * go through a descriptor, it is the folder's own path, checked at each call.
   * @param folder as spelled on disk, `` for the root
   * @returns undefined if the folder is, or is reached through, a symbolic link
   * @throws system errors
   */
  pathOf(folder: string): string | undefined {
    if (!this.#byDescriptor) return this.#isReached(folder) ? join(this.#root, folder) : undefined;
    if (this.#last?.folder !== folder) {
      this.close();
      const descriptor = this.#openAt(join(this.#root, folder)) ?? this.#openBySegments(folder);
      if (descriptor === undefined) return undefined;
      this.#last = { folder, descriptor };
    }
    return pathOfDescriptor(this.#last.descriptor);
  }

  /** Whether the file that was opened below `pathOf` of its folder is the one at `path`. */
  isConfined(path: string): boolean {
    return this.#byDescriptor || this.#isReached(path);
  }

  close(): void {
    const last = this.#last;
    this.#last = undefined;
    if (last !== undefined) this.#close(last.descriptor);
  }

  /** Nothing was written through it. It is closed even if the system says that it failed: a second close would hit another file. */
  #close(descriptor: number): void {
    try {
      this.#calls.closeSync(descriptor);
    } catch (thrown) {
      errnoOrRethrow(thrown);
    }
  }

  #isReached(path: string): boolean {
    const full = join(this.#root, path);
    return this.#calls.realpathSync.native(full).normalize('NFC') === full.normalize('NFC');
  }

  /** Undefined if the system names what it opened differently: because of a link, or of names that ignore case. */
  #openAt(path: string): number | undefined {
    const descriptor = this.#openFolder(path);
    if (descriptor === undefined) return undefined;
    let isIt = false;
    try {
      isIt = this.#calls.readlinkSync(pathOfDescriptor(descriptor)) === path;
    } finally {
      if (!isIt) this.#close(descriptor);
    }
    return isIt ? descriptor : undefined;
  }

  #openBySegments(folder: string): number | undefined {
    let descriptor = this.#openFolder(this.#root);
    for (const segment of folder.split('/').filter(Boolean)) {
      if (descriptor === undefined) return undefined;
      descriptor = this.#openInside(descriptor, segment);
    }
    return descriptor;
  }

  /** Closes the folder above. */
  #openInside(above: number, name: string): number | undefined {
    try {
      return this.#openFolder(`${pathOfDescriptor(above)}/${name}`);
    } finally {
      this.#close(above);
    }
  }

  /** Undefined for a symbolic link. */
  #openFolder(path: string): number | undefined {
    try {
      return this.#calls.openSync(path, FLAGS);
    } catch (thrown) {
      if (isErrno(thrown, 'ENOTDIR', 'ELOOP') && this.#calls.lstatSync(path).isSymbolicLink()) return undefined;
      throw thrown;
    }
  }
}

/** @param root the vault's real path */
export function withOpenFolders<T>(root: string, work: (folders: OpenFolders) => T): T {
  const folders = new OpenFolders(root);
  try {
    return work(folders);
  } finally {
    folders.close();
  }
}
