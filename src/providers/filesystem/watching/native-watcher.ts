// The watcher library, loaded when first needed, with its failures as an errno or one of two words. The only file that knows it.
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { SubscribeCallback } from '@parcel/watcher';

export interface NativeEvent {
  /** On disk, relative to the watched folder, `/` between folders; empty for the folder itself. */
  readonly path: string;
  readonly isGone: boolean;
}

export interface NativeWatch {
  close(): Promise<void>;
}

export interface NativeListener {
  /** @param reason no event follows */
  readonly onEnd: (reason: string) => void;
  readonly onEvents: (events: readonly NativeEvent[]) => void;
}

/** How often a folder of this path was left half watched: the library then knows its old subfolders for ever. */
const spoilt = new Map<string, number>();

/**
 * @param ignored folders on disk, relative to `root`
 * @returns the reason where it cannot watch
 */
export async function watchNatively(
  root: string,
  ignored: readonly string[],
  { onEnd, onEvents }: NativeListener,
): Promise<NativeWatch | string> {
  const folder = unspoiltName(root);
  const listener: SubscribeCallback = (error, events) => {
    if (error !== null) onEnd(reasonOf(error));
    else onEvents(events.map(({ path, type }) => ({ path: within(folder, path), isGone: type === 'delete' })));
  };
  try {
    const { subscribe } = await import('@parcel/watcher');
    // Under its documented name the library takes a path with a bracket in it for a glob.
    const options = { ignorePaths: ignored.map((path) => join(folder, path)) } as object;
    const subscription = await subscribe(folder, listener, options);
    const spoil = (): void => void spoilt.set(root, (spoilt.get(root) ?? 0) + 1);
    return { close: () => subscription.unsubscribe().catch(spoil) };
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** The same folder by a path the library has not met; only Linux leaves anything behind, and only Linux has such paths. */
function unspoiltName(root: string): string {
  return `${'/proc/self/root'.repeat(spoilt.get(root) ?? 0)}${root}`;
}

function within(folder: string, path: string): string {
  const inside = path.slice(folder.length + 1);
  return process.platform === 'win32' ? inside.replaceAll('\\', '/') : inside;
}

const LOADING_FAILED = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']);

/** The library throws plain errors that hold the system's own words for the errno. */
function reasonOf(thrown: unknown): string {
  const { code, message = '' }: { readonly code?: unknown; readonly message?: string } = Object(thrown);
  if (LOADING_FAILED.has(String(code)) || message.startsWith('No prebuild')) return 'watcher_missing';
  const words = message.toLowerCase();
  const errnos = [...getSystemErrorMap().values()];
  return errnos.find(([, meaning]) => words.includes(meaning))?.[0] ?? 'watcher_failed';
}
