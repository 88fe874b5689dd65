// Watches a vault's folder with the native watcher and reports hints, gaps and the end of the watch. Reads no file itself.
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Serial } from '../../../base/async/serial.ts';
import { untilAborted } from '../../../base/async/waits.ts';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { toVaultgraphError, VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf } from '../../../base/note.ts';
import { ownRules } from '../../../base/system/system-rules.ts';
import type { OpenWatch, VaultEvent } from '../../../contracts/vault.ts';
import type { PathQuery, PathState } from '../file-task.ts';
import type { FileThreads } from '../file-threads.ts';
import { runTask } from '../folder-vault.ts';
import { createExclusion, type Exclusion, nameBehindStub } from '../path-rules.ts';
import { createView, type ViewGlobs } from '../view-globs.ts';
import { type NativeEvent, type NativeWatch, watchNatively } from './native-watcher.ts';
import { fileStamp, identityOf, NO_FILE } from './survey.ts';

export interface WatchedFolder extends ViewGlobs {
  readonly root: string;
  readonly exclude: readonly string[];
  readonly threads: FileThreads;
  /** A thread that runs one task and is then closed, with everything the task opened. */
  readonly openExtraThread: () => FileThreads;
  /** Those that listings were made with since the last look at the settings. */
  readonly settingsStamps: Set<string>;
}

/** Long enough for a tree of folders to be created completely. */
const REWATCH_DELAY_MS = 300;
/** Opening is retried when files come and go during it. */
const MAX_TRIES = 3;
const TRANSIENT_ERRNOS: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'ENOTDIR']);
/** Polled, because an unmount under a watcher produces no event. */
const ROOT_CHECK_MS = 5_000;
/** A file system that takes longer to answer counts as hanging. */
const ROOT_PATIENCE_MS = 5_000;
/** Where the native watcher misses what a folder contains when it arrives, it also keeps the old paths of what a moved one contains. */
const MISSES_NEW_FOLDERS = ownRules().missesNewFolders;

/** @throws VAULT_UNAVAILABLE, the signal's reason */
export async function watchFolder(
  folder: WatchedFolder,
  onEvent: (sign: VaultEvent) => void,
  signal: AbortSignal,
): Promise<OpenWatch> {
  const watch = new FolderWatch(folder, onEvent);
  try {
    await watch.open(signal);
  } catch (thrown) {
    await watch.close();
    throw thrown;
  }
  return Object.freeze({ close: () => watch.close() });
}

class FolderWatch {
  readonly #folder: WatchedFolder;
  readonly #onEvent: (sign: VaultEvent) => void;
  readonly #exclusion: Exclusion;
  readonly #closing = new AbortController();
  readonly #rootTimer: NodeJS.Timeout;
  #native: NativeWatch | undefined;
  #known: KnownFolders | undefined;
  #rootIdentity = '';
  #settingsPath: string | undefined;
  readonly #steps = new Serial();
  #rewatchTimer: NodeJS.Timeout | undefined;
  /** The folders that the next opening of the watcher is for. */
  readonly #unannounced: string[] = [];

  constructor(folder: WatchedFolder, onEvent: (sign: VaultEvent) => void) {
    this.#folder = folder;
    this.#onEvent = onEvent;
    this.#exclusion = createExclusion(folder.exclude, createView(folder));
    this.#rootTimer = setInterval(() => this.#enqueue(() => this.#checkRoot()), ROOT_CHECK_MS);
    this.#rootTimer.unref();
  }

  async open(signal: AbortSignal): Promise<void> {
    const reason = await this.#start(signal);
    if (reason !== undefined) this.#end(reason);
    signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#steps.idle();
    await this.#native?.close();
  }

  #stop(): void {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(this.#rewatchTimer);
    clearInterval(this.#rootTimer);
  }

  #end(reason: string): void {
    if (this.#closing.signal.aborted) return;
    this.#stop();
    this.#onEvent({ kind: 'ended', reason });
    void this.#native?.close();
  }

  /** Runs the steps one after the other; an error ends the watch. */
  #enqueue(step: () => Promise<void>): void {
    this.#steps
      .run(() => (this.#closing.signal.aborted ? undefined : step()))
      .catch((thrown) => this.#end(reasonOf(thrown)));
  }

  /** @returns why the watcher could not start */
  async #start(signal: AbortSignal, tries = MAX_TRIES): Promise<string | undefined> {
    const reason = await this.#tryStart(signal);
    const isWorthRetrying = reason !== undefined && TRANSIENT_ERRNOS.has(reason) && tries > 1;
    return isWorthRetrying ? this.#start(signal, tries - 1) : reason;
  }

  async #tryStart(signal: AbortSignal): Promise<string | undefined> {
    const thread = this.#folder.openExtraThread();
    const { survey } = await runTask(thread, { kind: 'survey' }, signal).finally(() => thread.close());
    if (survey.fault !== undefined) return survey.fault;
    this.#known = new KnownFolders(survey.folders);
    this.#rootIdentity = survey.root;
    this.#settingsPath = survey.settings?.path;
    const { settingsStamps } = this.#folder;
    if (survey.settings !== undefined && settingsStamps.size === 0) settingsStamps.add(survey.settings.stamp);
    const opened = await watchNatively(this.#folder.root, survey, {
      onEnd: (reason) => this.#end(reason),
      onEvents: (events) => this.#onEvents(events),
    });
    if (typeof opened === 'string') return opened;
    this.#native = opened;
    return undefined;
  }

  #onEvents(events: readonly NativeEvent[]): void {
    if (events.some(({ path, isGone }) => path === '' && isGone)) this.#end('ENOENT');
    const inside = events.filter(({ path }) => path !== '' && !this.#exclusion.hidesAny(vaultPathOf(path)));
    if (inside.length > 0) this.#enqueue(() => this.#inspect(inside));
  }

  async #inspect(events: readonly NativeEvent[]): Promise<void> {
    if (this.#known === undefined) return;
    const task = { kind: 'inspect', paths: this.#known.queriesFor(events) } as const;
    const { states } = await runTask(this.#folder.threads, task, this.#closing.signal);
    const { files, folders, unannounced } = this.#known.update(events, states);
    const changed = states.filter(({ identity, below }) => identity === undefined || below !== undefined);
    const onDisk = [...changed.map(({ path }) => path), ...files];
    const paths = [...new Set(onDisk.map(vaultPathOf))].filter((path) => !this.#exclusion.hides(path));
    const stamps = new Map(states.map((state) => [vaultPathOf(state.path), state.identity ?? state.stamp ?? 'gone']));
    const hints = { paths, folders: folders.map(vaultPathOf), stamps };
    if (paths.length + folders.length > 0) this.#onEvent({ kind: 'hints', ...hints });
    if (unannounced.length > 0 && MISSES_NEW_FOLDERS) this.#rewatchSoon(unannounced.map(vaultPathOf));
  }

  #rewatchSoon(folders: readonly string[]): void {
    this.#unannounced.push(...folders);
    this.#onEvent({ kind: 'stalled', folders: [...this.#unannounced] });
    clearTimeout(this.#rewatchTimer);
    this.#rewatchTimer = setTimeout(() => this.#enqueue(() => this.#rewatch()), REWATCH_DELAY_MS);
    this.#rewatchTimer.unref();
  }

  async #rewatch(): Promise<void> {
    await this.#native?.close();
    this.#native = undefined;
    const reason = await this.#start(this.#closing.signal);
    if (reason !== undefined) this.#end(reason);
    else this.#onEvent({ kind: 'lost', reason: 'folders_arrived', folders: this.#unannounced.splice(0) });
  }

  /** One small question to the system, for which no file thread has to run while the server is idle. */
  async #checkRoot(): Promise<void> {
    // Where opening takes longer than this period, there is nothing to compare with yet.
    if (this.#known === undefined) return;
    const asked = stat(this.#folder.root).then(identityOf, (thrown) => this.#end(errnoOrRethrow(thrown)));
    const identity = await untilAborted(Promise.race([asked, silence(ROOT_PATIENCE_MS)]), this.#closing.signal);
    if (identity === SILENT) this.#end('ETIMEDOUT');
    else if (identity !== this.#rootIdentity) this.#end('ESTALE');
    else await this.#checkSettings();
  }

  /**
   * Which files are excluded may have changed: the folder of the settings is hidden, so no event says it. They may also be again as
   * they were at the last look, but not at a listing since.
   */
  async #checkSettings(): Promise<void> {
    const path = this.#settingsPath;
    if (path === undefined) return;
    const asked = lstat(join(this.#folder.root, path)).then(fileStamp, () => NO_FILE);
    const stamp = await untilAborted(Promise.race([asked, silence(ROOT_PATIENCE_MS)]), this.#closing.signal);
    const { settingsStamps } = this.#folder;
    if (stamp === SILENT || (settingsStamps.size === 1 && settingsStamps.has(stamp))) return;
    settingsStamps.clear();
    settingsStamps.add(stamp);
    this.#onEvent({ kind: 'hints', paths: [], folders: [''], stamps: new Map() });
  }
}

const SILENT = Symbol('no answer');

/** Ends after what has arrived meanwhile, because the main thread may have been busy or the process suspended. */
async function silence(ms: number): Promise<typeof SILENT> {
  await pause(ms, undefined, { ref: false });
  await nextTurn();
  return SILENT;
}

/** The path under which a listing reports a path on disk; that of a stub is the path of the file it is a placeholder for. */
function vaultPathOf(onDisk: string): string {
  const at = onDisk.lastIndexOf('/') + 1;
  const real = nameBehindStub(onDisk.slice(at));
  return (real === undefined ? onDisk : `${onDisk.slice(0, at)}${real}`).normalize('NFC');
}

function reasonOf(thrown: unknown): string {
  const { code, details } = toVaultgraphError(thrown);
  return 'errno' in details ? String(details.errno) : code;
}

/** What an inspection after some events found, as paths on disk. */
interface FolderChanges {
  /** Below new folders: files, and folders that are named like notes. */
  readonly files: readonly string[];
  /** Folders that are gone, or are other folders now. */
  readonly folders: readonly string[];
  /** New folders that were found without an event: events inside them may be missing, too. */
  readonly unannounced: readonly string[];
}

class KnownFolders {
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
    const unannounced: string[] = [];
    for (const { path, identity, below } of states) {
      const isKnown = below !== undefined && this.#identities.get(path) === identity;
      if (isKnown) continue;
      if (this.#identities.has(path)) folders.push(path);
      if (identity === undefined || below !== undefined) this.#forget(path);
      for (const [folder, folderIdentity] of below?.folders ?? []) {
        this.#identities.set(folder, folderIdentity);
        if (!announced.has(folder)) unannounced.push(folder);
        if (fileKindOf(folder) !== 'attachment') files.push(folder);
      }
      files.push(...(below?.files ?? []));
    }
    return { files, folders, unannounced };
  }

  #forget(folder: string): void {
    for (const path of this.#identities.keys())
      if (path === folder || path.startsWith(`${folder}/`)) this.#identities.delete(path);
  }
}
