// Watches with Node alone, where the native watcher library does not load: one watch for all folders if the system has it, else one for each.
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, errnoOrRethrow } from '../../../base/errno.ts';
import { ownRules, withSlashes } from '../../../base/system/system-rules.ts';
import { keepingDialect } from '../../../base/threads/dialect.ts';
import type { NativeEvent, NativeListener, NativeWatch } from './watched-events.ts';

/** Many changes at once are reported together. */
const COLLECTED_MS = 50;

/**
 * @param folders those to watch, on disk, relative to `root`, which is one of them as an empty path
 * @returns why it cannot watch, as a string
 */
export function watchWithNode(root: string, folders: Iterable<string>, listener: NativeListener): NativeWatch | string {
  const opened = new NodeWatch(root, listener);
  try {
    // A folder that arrives is not watched until the folders are listed again, as with the library.
    if (ownRules().missesNewFolders) for (const folder of folders) opened.add(folder, false);
    else opened.add('', true);
    return opened;
  } catch (thrown) {
    void opened.close();
    return errnoOrRethrow(thrown);
  }
}

class NodeWatch implements NativeWatch {
  readonly #root: string;
  readonly #onEnd: (reason: string) => void;
  readonly #onEvents: (events: readonly NativeEvent[]) => void;
  readonly #watchers: FSWatcher[] = [];
  readonly #changed = new Map<string, NativeEvent>();
  #timer: NodeJS.Timeout | undefined;

  constructor(root: string, { onEnd, onEvents }: NativeListener) {
    this.#root = root;
    this.#onEnd = keepingDialect(onEnd);
    this.#onEvents = keepingDialect(onEvents);
  }

  /** @throws the system's error */
  add(folder: string, recursive: boolean): void {
    const watcher = watch(join(this.#root, folder), { recursive, persistent: false });
    this.#watchers.push(watcher);
    watcher.on('change', (kind, name) => this.#collect(join(folder, String(name ?? '')), kind === 'rename'));
    watcher.on('error', (thrown) => this.#onEnd(errnoOf(thrown)));
  }

  /** A new folder is not reported as one that is watched. */
  #collect(path: string, isGone: boolean): void {
    if (path === '' || path === '.') return;
    const event = { path: withSlashes(path), isGone: isGone || this.#changed.get(path)?.isGone === true };
    this.#changed.set(path, event);
    this.#timer ??= setTimeout(() => this.#report(), COLLECTED_MS).unref();
  }

  #report(): void {
    this.#timer = undefined;
    const events = [...this.#changed.values()];
    this.#changed.clear();
    this.#onEvents(events);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }
}
