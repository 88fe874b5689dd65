// Watches a vault's folder by the native watcher and says in the contract's words what it hints at. Touches no file itself.
import { toVaultgraphError, VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf } from '../../../base/note.ts';
import type { OpenWatch, VaultSign } from '../../../contracts/vault.ts';
import { nameBehindStub } from '../cloud-stub.ts';
import { createExclusion, type Exclusion } from '../exclusion.ts';
import type { Looked, LookedFor } from '../file-task.ts';
import type { FileThreads } from '../file-threads.ts';
import { ask } from '../folder-vault.ts';
import { type NativeEvent, type NativeWatch, watchNatively } from './native-watcher.ts';

export interface WatchedFolder {
  readonly root: string;
  readonly exclude: readonly string[];
  readonly threads: FileThreads;
  /** A thread for one task that ends behind it: what the task has opened ends with it. */
  readonly openAside: () => FileThreads;
}

/** Until a tree of folders that is being made stands. */
const REWATCH_QUIET_MS = 300;
/** A folder in which files come and go while it is opened is opened again. */
const TRIES = 3;
const PASSING: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'ENOTDIR']);
/** A mount that goes away under a watcher tells nobody. */
const ROOT_CHECK_MS = 5_000;
/** Only there does the native watcher miss what is in a folder when it arrives, and keep the old paths of what it holds. */
const FORGETS_BELOW = process.platform === 'linux';

/** @throws VAULT_UNAVAILABLE, the signal's reason */
export async function watchFolder(
  folder: WatchedFolder,
  onSign: (sign: VaultSign) => void,
  signal: AbortSignal,
): Promise<OpenWatch> {
  const closing = new AbortController();
  const exclusion = createExclusion(folder.exclude);
  let native: NativeWatch | undefined;
  let known: KnownFolders | undefined;
  let rootMark = '';
  let work: Promise<unknown> = Promise.resolve();
  let rewatchTimer: NodeJS.Timeout | undefined;

  function stop(): void {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(rewatchTimer);
    clearInterval(rootTimer);
  }

  function end(reason: string): void {
    if (closing.signal.aborted) return;
    stop();
    onSign({ kind: 'ended', reason });
    void native?.close();
  }

  /** One after the other; what fails ends the watch. */
  function next(step: () => Promise<void>): void {
    work = work.then(() => (closing.signal.aborted ? undefined : step())).catch((thrown) => end(whyOf(thrown)));
  }

  async function open(stopped: AbortSignal): Promise<string | undefined> {
    const { survey } = await surveyed(folder, stopped);
    if (survey.fault !== undefined) return survey.fault;
    known = createKnownFolders(survey.folders);
    rootMark = survey.root;
    const opened = await watchNatively(folder.root, survey.ignored, { onEnd: end, onEvents });
    if (typeof opened === 'string') return opened;
    native = opened;
    return undefined;
  }

  async function openPatiently(stopped: AbortSignal, tries = TRIES): Promise<string | undefined> {
    const reason = await open(stopped);
    return reason !== undefined && PASSING.has(reason) && tries > 1 ? openPatiently(stopped, tries - 1) : reason;
  }

  function onEvents(events: readonly NativeEvent[]): void {
    if (events.some(({ path, isGone }) => path === '' && isGone)) end('ENOENT');
    const inside = events.filter(({ path }) => path !== '' && isVisible(path, exclusion));
    if (inside.length > 0) next(() => look(inside));
  }

  async function look(events: readonly NativeEvent[]): Promise<void> {
    if (known === undefined) return;
    const { looked } = await ask(folder.threads, { kind: 'look', paths: known.lookFor(events) }, closing.signal);
    const { files, folders, isAnyUntold } = known.learn(events, looked);
    const own = looked.filter(({ mark, below }) => mark === undefined || below !== undefined);
    const onDisk = [...own.map(({ path }) => path), ...files.filter((path) => isVisible(path, exclusion))];
    const paths = [...new Set(onDisk.map(pathOf))];
    if (paths.length + folders.length > 0) onSign({ kind: 'hints', paths, folders: folders.map(pathOf) });
    if (isAnyUntold && FORGETS_BELOW) rewatchSoon();
  }

  function rewatchSoon(): void {
    onSign({ kind: 'deaf' });
    clearTimeout(rewatchTimer);
    rewatchTimer = setTimeout(() => next(rewatch), REWATCH_QUIET_MS);
    rewatchTimer.unref();
  }

  async function rewatch(): Promise<void> {
    await native?.close();
    native = undefined;
    const reason = await openPatiently(closing.signal);
    if (reason !== undefined) end(reason);
    else onSign({ kind: 'lost', reason: 'folders_arrived' });
  }

  async function checkRoot(): Promise<void> {
    const { mark } = await ask(folder.threads, { kind: 'root' }, closing.signal);
    if (mark !== rootMark) end('ESTALE');
  }

  const rootTimer = setInterval(() => next(checkRoot), ROOT_CHECK_MS);
  rootTimer.unref();

  async function close(): Promise<void> {
    stop();
    await work;
    await native?.close();
  }

  try {
    const reason = await openPatiently(signal);
    if (reason !== undefined) end(reason);
    signal.throwIfAborted();
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return Object.freeze({ close });
}

async function surveyed({ openAside }: WatchedFolder, signal: AbortSignal) {
  const threads = openAside();
  return ask(threads, { kind: 'survey' }, signal).finally(threads.close);
}

/** Left out are hidden names, but not the stub that stands for a file. */
function isVisible(onDisk: string, exclusion: Exclusion): boolean {
  return !exclusion.hides(pathOf(onDisk));
}

/** The path a listing has for what lies there. */
function pathOf(onDisk: string): string {
  const at = onDisk.lastIndexOf('/') + 1;
  const real = nameBehindStub(onDisk.slice(at));
  return (real === undefined ? onDisk : `${onDisk.slice(0, at)}${real}`).normalize('NFC');
}

function whyOf(thrown: unknown): string {
  const { code, details } = toVaultgraphError(thrown);
  return 'errno' in details ? String(details.errno) : code;
}

/** What the look behind some events found out, on disk. */
interface Finding {
  /** What lies below new folders as a file, or is only named like one. */
  readonly files: readonly string[];
  /** Folders that are not there any more, or may be read differently. */
  readonly folders: readonly string[];
  /** Whether there are folders that no event told of: what happens in them may stay untold, too. */
  readonly isAnyUntold: boolean;
}

interface KnownFolders {
  lookFor(events: readonly NativeEvent[]): readonly LookedFor[];
  learn(events: readonly NativeEvent[], looked: readonly Looked[]): Finding;
}

function createKnownFolders(first: ReadonlyMap<string, string>): KnownFolders {
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
