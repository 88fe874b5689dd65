// Wraps the native watcher library: loads it when first needed and reports its failures as an errno or a short code.
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Options, SubscribeCallback } from '@parcel/watcher';
import { withSlashes } from '../../../base/system/system-rules.ts';
import { keepingDialect } from '../../../base/threads/dialect.ts';
import type { Survey } from '../file-task.ts';
import { watchWithNode } from './node-watcher.ts';
import type { NativeListener, NativeWatch } from './watched-events.ts';

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
