// Wraps the native watcher library: loads it when first needed and reports its failures as an errno or a short code.
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Options, SubscribeCallback } from '@parcel/watcher';
import { errnoOf, errnoOrRethrow } from '../../../base/errno.ts';
import { ownRules, withSlashes } from '../../../base/system/system-rules.ts';
import { keepingDialect } from '../../../base/threads/dialect.ts';
import type { Survey } from '../file-task.ts';

/** By default the library first runs the program watchman in a shell, and keeps a pipe to it open each time it begins to watch. */
const BACKENDS: Readonly<Partial<Record<NodeJS.Platform, Options>>> = {
  linux: { backend: 'inotify' },
  win32: { backend: 'windows' },
};

/** How many times unsubscribing from a path failed: the library then remembers its old subfolders forever. */
const failedCloses = new Map<string, number>();

/**
 * With the library, or with Node alone where that does not load.
 * @param survey its paths are on disk, relative to `root`
 * @returns why it cannot watch, as a string
 */
export async function watchNatively(
  root: string,
  { folders, ignored }: Pick<Survey, 'folders' | 'ignored'>,
  { onEnd, onEvents }: NativeListener,
): Promise<NativeWatch | string> {
  const folder = freshPath(root);
  const listener: SubscribeCallback = keepingDialect((error, events) => {
    if (error !== null) onEnd(reasonOf(error));
    else onEvents(events.map(({ path, type }) => ({ path: within(folder, path), isGone: type === 'delete' })));
  });
  try {
    const { subscribe } = await import('@parcel/watcher');
    // The documented option `ignore` would treat a path with a bracket as a glob.
    const ignorePaths = ignored.map((path) => join(folder, path));
    const options = { ignorePaths, ...BACKENDS[process.platform] } as object;
    const subscription = await subscribe(folder, listener, options);
    const countFailure = (): void => void failedCloses.set(root, (failedCloses.get(root) ?? 0) + 1);
    return { close: () => subscription.unsubscribe().catch(countFailure) };
  } catch (thrown) {
    const reason = reasonOf(thrown);
    return reason === MISSING ? watchWithNode(root, folders.keys(), { onEnd, onEvents }) : reason;
  }
}

/** The same folder by a path that is new to the library. Only Linux has the problem, and only Linux has such paths. */
function freshPath(root: string): string {
  return `${'/proc/self/root'.repeat(failedCloses.get(root) ?? 0)}${root}`;
}

function within(folder: string, path: string): string {
  return withSlashes(path.slice(folder.length + 1));
}

const MISSING = 'watcher_missing';
const LOADING_FAILED = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_DLOPEN_FAILED',
  'ERR_DLOPEN_DISABLED',
]);

/** The library throws plain errors whose message contains the system's text for the errno. */
function reasonOf(thrown: unknown): string {
  const { code, message = '' }: { readonly code?: unknown; readonly message?: string } = Object(thrown);
  if (LOADING_FAILED.has(String(code)) || message.startsWith('No prebuild')) return MISSING;
  const words = message.toLowerCase();
  const errnos = [...getSystemErrorMap().values()];
  return errnos.find(([, meaning]) => words.includes(meaning))?.[0] ?? 'watcher_failed';
}

// Watches with Node alone, where the native watcher library does not load: one watch for all folders if the system has it, else one for each.

/** Many changes at once are reported together. */
const COLLECTED_MS = 50;

/**
 * @param folders those to watch, on disk, relative to `root`, which is one of them as an empty path
 * @returns why it cannot watch, as a string
 */
function watchWithNode(root: string, folders: Iterable<string>, listener: NativeListener): NativeWatch | string {
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

// What a watcher of the system reports, with the library or with Node alone.

export interface NativeEvent {
  /** On disk, relative to the watched folder, `/` between folders; empty for the folder itself. */
  readonly path: string;
  /** Or it arrived, and is not watched if it is a folder. */
  readonly isGone: boolean;
}

export interface NativeWatch {
  close(): Promise<void>;
}

interface NativeListener {
  /** No event follows. */
  readonly onEnd: (reason: string) => void;
  readonly onEvents: (events: readonly NativeEvent[]) => void;
}
