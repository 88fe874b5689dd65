// Keeps the folders that a watcher knows of, and finds out from each inspection which files and folders changed.
import { fileKindOf } from '../../../base/note.ts';
import type { PathQuery, PathState } from '../file-task.ts';
import type { NativeEvent } from './native-watcher.ts';

/** What an inspection after some events found, as paths on disk. */
export interface FolderChanges {
  /** Below new folders: files, and folders that are named like notes. */
  readonly files: readonly string[];
  /** Folders that are gone, or are other folders now. */
  readonly folders: readonly string[];
  /** Whether a new folder was found without an event: events inside it may be missing, too. */
  readonly hasUnannounced: boolean;
}

export class KnownFolders {
  readonly #identities: Map<string, string>;

  /** @param identities of the folders on disk, by path */
  constructor(identities: ReadonlyMap<string, string>) {
    this.#identities = new Map(identities);
  }

  queriesFor(events: readonly NativeEvent[]): readonly PathQuery[] {
    return events.map(({ path }) => {
      const identity = this.#identities.get(path);
      return identity === undefined ? { path } : { path, identity };
    });
  }

  update(events: readonly NativeEvent[], states: readonly PathState[]): FolderChanges {
    const announced = new Set(events.filter(({ isGone }) => !isGone).map(({ path }) => path));
    const files: string[] = [];
    const folders: string[] = [];
    let hasUnannounced = false;
    for (const { path, identity, below } of states) {
      const isKnown = below !== undefined && this.#identities.get(path) === identity;
      if (isKnown) continue;
      if (this.#identities.has(path)) folders.push(path);
      if (identity === undefined || below !== undefined) this.#forget(path);
      for (const [folder, folderIdentity] of below?.folders ?? []) {
        this.#identities.set(folder, folderIdentity);
        hasUnannounced ||= !announced.has(folder);
        if (fileKindOf(folder) !== 'attachment') files.push(folder);
      }
      files.push(...(below?.files ?? []));
    }
    return { files, folders, hasUnannounced };
  }

  #forget(folder: string): void {
    for (const path of this.#identities.keys())
      if (path === folder || path.startsWith(`${folder}/`)) this.#identities.delete(path);
  }
}
