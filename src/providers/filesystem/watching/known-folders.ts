// Which folders a vault had when a watcher last looked, and what the next look says about them. Touches no disk.

import { fileKindOf } from '../../../base/note.ts';
import type { Looked, LookedFor } from '../file-task.ts';
import type { NativeEvent } from './native-watcher.ts';

/** What the look behind some events found out, on disk. */
export interface Finding {
  /** What lies below new folders as a file, or is only named like one. */
  readonly files: readonly string[];
  /** Folders that are not there any more, or may be read differently. */
  readonly folders: readonly string[];
  /** Whether there are folders that no event told of: what happens in them may stay untold, too. */
  readonly isAnyUntold: boolean;
}

export interface KnownFolders {
  lookFor(events: readonly NativeEvent[]): readonly LookedFor[];
  learn(events: readonly NativeEvent[], looked: readonly Looked[]): Finding;
}

export function createKnownFolders(first: ReadonlyMap<string, string>): KnownFolders {
  const known = new Map(first);

  function forget(folder: string): void {
    for (const path of known.keys()) if (path === folder || path.startsWith(`${folder}/`)) known.delete(path);
  }

  function learn(events: readonly NativeEvent[], looked: readonly Looked[]): Finding {
    const told = new Set(events.filter(({ isGone }) => !isGone).map(({ path }) => path));
    const files: string[] = [];
    const folders: string[] = [];
    let isAnyUntold = false;
    for (const { path, mark, below } of looked) {
      const isLearnt = below !== undefined && known.get(path) === mark;
      if (isLearnt) continue;
      if (known.has(path)) folders.push(path);
      if (mark === undefined || below !== undefined) forget(path);
      for (const [folder, itsMark] of below?.folders ?? []) {
        known.set(folder, itsMark);
        isAnyUntold ||= !told.has(folder);
        if (fileKindOf(folder) !== 'attachment') files.push(folder);
      }
      files.push(...(below?.files ?? []));
    }
    return { files, folders, isAnyUntold };
  }

  return {
    learn,
    lookFor: (events) =>
      events.map(({ path }) => {
        const mark = known.get(path);
        return mark === undefined ? { path } : { path, mark };
      }),
  };
}
