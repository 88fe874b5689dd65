// Lists the logged changes with what undid them, and builds the operations that undo one. Writes nothing.

import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { NotePath } from '../../../base/note.ts';
import type { Change, ChangedFile, FileOperation, Inverse, PastChange } from '../../../contracts/writer.ts';
import type { LogFolders } from '../file-task.ts';
import { isShown } from '../view-checks.ts';
import { type View, WHOLE_VAULT } from '../view-globs.ts';
import { ChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import {
  beganAt,
  type Damage,
  type Intent,
  isCompleted,
  isDamagedChange,
  type LogEntry,
  logNameAt,
} from './logged-change.ts';

const MAX_RECENT = 5;

/** What is needed to list changes. */
interface ReadableLog extends Pick<ChangeLog, 'entries' | 'intent'> {
  /** Only changes wholly in it exist for a client; by default all of them. */
  readonly view?: View;
}

interface ListedChange {
  readonly change: Change;
  /** Folders that it created, outer ones first. */
  readonly folders: readonly string[];
}

/**
 * Newest first, each with the change that undid it.
 * @param isListed by default, whether the change is completed
 */
export function listChanges(log: ReadableLog, limit: number, isListed = isCompleted): readonly Change[] {
  const changes: Change[] = [];
  for (const { change } of changesOf(log, isListed)) {
    if (changes.length >= limit) break;
    changes.push(change);
  }
  return changes;
}

/**
 * @param id by default, the latest change that is not undone and not itself an undo
 * @throws CHANGE_NOT_FOUND; FILE_WRITE_FAILED with EBADMSG if anything that is kept of the change is damaged
 */
export function inverseOf(log: ChangeLog, id: string | undefined, view?: View): Inverse {
  const { change, folders } = findUndoable(within(log, view), id);
  log.verify(change.id);
  const operations = change.files.map((file) => inverseOperation(log, change.id, file));
  return { change, operations, emptied: folders.toReversed() };
}

/** @throws CHANGE_NOT_FOUND for a change that is undone or unknown */
export function checkNotUndone(log: ChangeLog, id: string, view?: View): void {
  findUndoable(within(log, view), id);
}

/** Newest first, so that an undo precedes the change it undoes. */
function* changesOf(log: ReadableLog, isListed: (entry: LogEntry) => boolean): Iterable<ListedChange> {
  const undoneById = new Map<string, string>();
  for (const entry of log.entries().filter(isListed)) {
    const { id, stage } = entry;
    const intent = intentOrDamage(log, id);
    // Nothing is known of its paths, so that it is in no view.
    if (intent === 'damaged' && (log.view ?? WHOLE_VAULT) === WHOLE_VAULT)
      yield { change: damagedRow(id), folders: [] };
    if (intent === undefined || intent === 'damaged' || (log.view !== undefined && !isShown(intent, log.view)))
      continue;
    const { slots: _slots, emptied: _emptied, folders, ...about } = intent;
    const undoneBy = undoneById.get(id);
    const state = isCompleted(entry) ? (stage as Change['state']) : 'unfinished';
    if (state === 'done' && about.undoes !== undefined) undoneById.set(about.undoes, id);
    yield { change: { ...about, state, ...(undoneBy === undefined ? {} : { undoneBy }) }, folders };
  }
}

/** Other changes are listed and undone as before. */
function intentOrDamage(log: ReadableLog, id: string): Intent | 'damaged' | undefined {
  try {
    return log.intent(id);
  } catch (thrown) {
    if (!isDamagedChange(thrown)) throw thrown;
    return 'damaged';
  }
}

function damagedRow(id: string): Change {
  return { id, time: new Date(beganAt(id)).toISOString(), tool: '', client: '', files: [], state: 'damaged' };
}

export function within(log: ChangeLog, view: View | undefined): ReadableLog {
  return { entries: () => log.entries(), intent: (id) => log.intent(id), ...(view && { view }) };
}

function findUndoable(log: ReadableLog, id: string | undefined): ListedChange {
  const mayExist = id === undefined || log.entries().some((entry) => entry.id === id);
  const recent: string[] = [];
  for (const listed of changesOf(log, isCompleted)) {
    const { change } = listed;
    // Without an id it may be the one that is meant.
    if (change.state === 'damaged' && (id === undefined || change.id === id)) log.intent(change.id);
    if (change.state !== 'done' || change.undoneBy !== undefined) continue;
    if (id === undefined ? change.undoes === undefined : change.id === id) return listed;
    if (recent.length < MAX_RECENT) recent.push(change.id);
    else if (!mayExist) break;
  }
  throw new VaultgraphError('CHANGE_NOT_FOUND', { id: id ?? '', recent });
}

/** Old bytes come from the log; a file that was restored from the trash goes back there. */
function inverseOperation(log: ChangeLog, id: string, { kind, path, to, before, after }: ChangedFile): FileOperation {
  const oldBytes = (): Uint8Array => {
    const bytes = log.findImage(id, before ?? '');
    if (bytes === undefined) throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: [] });
    return bytes;
  };
  switch (kind) {
    case 'create':
      return { kind: 'remove', path, before: after ?? '' };
    case 'restore':
      return { kind: 'trash', path, before: after ?? '' };
    case 'replace':
      return { kind: 'replace', path, before: after ?? '', bytes: oldBytes() };
    case 'move': {
      const back = { kind: 'move', path: (to ?? '') as NotePath, to: path, before: after ?? '' } as const;
      return before === after ? back : { ...back, bytes: oldBytes() };
    }
    case 'trash':
      return { kind: 'restore', path, bytes: oldBytes(), trashed: to ?? '' };
    case 'remove':
      return { kind: 'create', path, bytes: oldBytes() };
  }
}

/**
 * Newest first, those of the view.
 * @throws FILE_UNREADABLE for a log that cannot be read
 */
export function pastChanges({ log: folder }: LogFolders, limit: number, view?: View): readonly PastChange[] {
  const log = new ChangeLog(realDisk, folder);
  const readable: ReadableLog = {
    entries: () => orUnreadable(folder, () => log.entries()),
    intent: (id) => orUnreadable(folder, () => log.intent(id)),
    ...(view && { view }),
  };
  return listChanges(readable, limit, hasTouchedVault).map((change) => ({
    change,
    contentOf: (hash) => orUnreadable(folder, () => log.findImage(change.id, hash)),
  }));
}

const hasTouchedVault = ({ stage }: LogEntry): boolean => stage !== 'begun';

/** A damaged change is named by its own error. */
function orUnreadable<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (isDamagedChange(thrown)) throw thrown;
    const details = { path: logNameAt(folder), errno: errnoOrRethrow(thrown) };
    throw new VaultgraphError('FILE_UNREADABLE', details, { cause: thrown });
  }
}

/** What `doctor` finds in the log: how many changes are as they were written, and what is not. */
export interface LogCheck {
  readonly intact: number;
  readonly damages: readonly Damage[];
}

/** Reads every kept text of every change. Changes nothing. @throws FILE_UNREADABLE */
export function checkLog({ log: folder }: LogFolders): LogCheck {
  const log = new ChangeLog(realDisk, folder);
  return orUnreadable(folder, () => {
    const entries = log.entries();
    const damages = entries.flatMap(({ id }) => log.damageOf(id) ?? []);
    return { intact: entries.length - damages.length, damages };
  });
}

/** Takes the damaged changes that were interrupted out of the log, so that tools can write again. @throws FILE_UNREADABLE */
export function setAsideDamaged(folders: LogFolders): readonly Damage[] {
  const unfinished = checkLog(folders).damages.filter((damage) => damage.unfinished);
  const log = new ChangeLog(realDisk, folders.log);
  return unfinished.map((damage) => ({
    ...damage,
    file: orUnreadable(folders.log, () => log.setAside(damage.change)),
  }));
}
