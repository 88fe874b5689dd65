// Runs the writer's tasks in a file thread, under the locks of change log and vault, so that processes change the vault in turn.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Recovered, WriteRequest } from '../../../contracts/writer.ts';
import type { FileAnswer, LateWrite, WriteTask } from '../file-task.ts';
import type { Exclusion } from '../path-rules.ts';
import { isShown } from '../view-checks.ts';
import type { View } from '../view-globs.ts';
import { applyChange, discardChange, planChange } from './apply-change.ts';
import { isPending } from './apply-file.ts';
import { ChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import { withFreeSpace } from './disk-space.ts';
import { withFolderLocks } from './folder-lock.ts';
import { inverseOf, listChanges, within } from './inverse-change.ts';
import { CHANGE_LOG_NAME, type Damage, damagedChange, type Intent, isCompleted, type Stage } from './logged-change.ts';
import { ReplacedFiles } from './replaced-files.ts';
import { cleanUp, cleanUpFiles, removeEmptyFolders, rollBack, rollForward } from './roll-change.ts';
import { isConflict, type Slot } from './slot.ts';
import { openVaultRoot } from './vault-root.ts';
import { preferVaultUnavailable, slotContext, type WriteContext, wrapFsError, wrapLogError } from './write-context.ts';

type RecoverTask = Extract<WriteTask, { kind: 'recover' }>;
type ApplyTask = Extract<WriteTask, { kind: 'apply' }>;

export interface WriteEnvironment {
  /** The vault's real path as it is now. @throws VAULT_UNAVAILABLE */
  readonly realRoot: () => string;
  readonly exclusion: Exclusion;
  /** Reports progress; throws when the caller has gone. */
  readonly checkStop: () => void;
  /** Reports progress. */
  readonly heartbeat: () => void;
  /** Called before a change is committed, from where it is finished even if the caller goes; throws when the caller has gone before. */
  readonly commit: () => void;
}

/** Longer than another probe has the lock. */
const PROBE_WAIT_MS = 100;
/** The next look tries again. */
const LOOK_WAIT_MS = 300;

/** What the changes of this thread have replaced in the last seconds. */
const replaced = new ReplacedFiles(realDisk);

/** Changes that this thread recovered but has not reported, because the step after the recovery failed. */
const unreported: Recovered[] = [];

/** @throws as the methods of `Writer` */
export function performWrite(task: WriteTask, environment: WriteEnvironment): FileAnswer {
  return wrapLogError(task.log, () => {
    if (task.kind === 'lock') return tryLock(environment);
    const log = new ChangeLog(realDisk, task.log);
    const { view } = environment.exclusion;
    if (task.kind === 'changes') return { kind: 'changes', changes: listChanges(within(log, view), task.limit) };
    if (task.kind === 'inverse') return { kind: 'inverse', ...inverseOf(log, task.id, view) };
    const context = createContext(log, environment);
    if (task.kind === 'look' && !replaced.hasChanged()) return looked([]);
    if (task.kind === 'check') return preferVaultUnavailable(context, () => check(task.request, context));
    log.create();
    const write = (): FileAnswer =>
      withFreeSpace(context, () =>
        task.kind === 'look' ? looked(saveLateWrites(context)) : recoverAndApply(task, context),
      );
    const maxWaitMs = task.kind === 'recover' ? task.maxWaitMs : task.kind === 'look' ? LOOK_WAIT_MS : undefined;
    return preferVaultUnavailable(context, () =>
      withFolderLocks(realDisk, [task.log, context.root], environment.checkStop, write, maxWaitMs),
    );
  });
}

function tryLock({ realRoot, checkStop }: WriteEnvironment): FileAnswer {
  return withFolderLocks(realDisk, [realRoot()], checkStop, (place) => ({ kind: 'lock', place }), PROBE_WAIT_MS);
}

function check(request: WriteRequest, context: WriteContext): FileAnswer {
  planChange(context, request);
  return { kind: 'check' };
}

function looked(late: readonly LateWrite[]): FileAnswer {
  replaced.closeOld();
  return { kind: 'look', late, watched: replaced.count };
}

const saveLateWrites = (context: WriteContext): LateWrite[] => wrapFsError(undefined, () => replaced.save(context));

function recoverAndApply(task: RecoverTask | ApplyTask, context: WriteContext): FileAnswer {
  // Before the next change replaces the file to which the text is to be added.
  const late = replaced.hasChanged() ? saveLateWrites(context) : [];
  // Before each change: another process may have been killed since this one started.
  recoverChanges(context, (recovered) => unreported.push(recovered));
  context.log.prune(Date.now());
  if (task.kind === 'recover') return { kind: 'recover', recovered: unreported.splice(0), late };
  const { isLogged, ...change } = applyChange(context, task.request);
  return { kind: 'apply', change, isLogged, recovered: unreported.splice(0), late };
}

function createContext(log: ChangeLog, environment: WriteEnvironment): WriteContext {
  const { realRoot, exclusion, heartbeat, checkStop, commit } = environment;
  const at: WriteContext['at'] = (point) => {
    if (point === 'prepared') commit();
  };
  return {
    ...openVaultRoot(realDisk, realRoot(), exclusion, heartbeat),
    log,
    checkStop,
    at,
    onReplaced: (file) => replaced.add(file),
  };
}

/**
 * Finishes or rolls back every change that a kill interrupted, oldest first.
 * @param onRecovered called for each of them
 * @throws FILE_WRITE_FAILED when the disk refuses, or with EBADMSG for a damaged change; VAULT_UNAVAILABLE; the remaining changes stay to
 * be recovered
 */
export function recoverChanges(context: WriteContext, onRecovered: (recovered: Recovered) => void): void {
  const interrupted = wrapFsError(undefined, () => context.log.entries().filter((entry) => !isCompleted(entry)));
  for (const { id, stage } of interrupted.toReversed()) {
    const damage = wrapFsError(undefined, () => context.log.damageOf(id, context.heartbeat));
    if (damage !== undefined) {
      if (stage !== 'begun') throw damagedChange(shownDamage(damage, context.exclusion.view));
      // Nothing of the vault was touched. A kill and a lost flush leave such a file.
      wrapFsError(undefined, () => context.log.setAside(id));
      onRecovered({ id, outcome: 'set_aside' });
      continue;
    }
    const intent = wrapFsError(undefined, () => context.log.intent(id));
    if (intent === undefined) continue;
    if (isShown(intent, context.exclusion.view)) onRecovered({ id, ...recoverChange(context, intent, stage) });
    else recoverUnseen(context, intent, stage);
  }
}

/** Without the paths, if one of them is outside the view. */
function shownDamage(damage: Damage, view: View): Damage {
  const isShownWhole = [...damage.damaged, ...damage.intact].every((path) => view.shows(path));
  return isShownWhole ? damage : { ...damage, damaged: [], intact: [] };
}

/** @throws as `recoverChange`, without a path of the change: it is outside the view */
function recoverUnseen(context: WriteContext, intent: Intent, stage: Stage): void {
  try {
    recoverChange(context, intent, stage);
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || thrown.code === 'VAULT_UNAVAILABLE') throw thrown;
    const { errno = thrown.code, step = 'write' } = thrown.details as {
      readonly errno?: string;
      readonly step?: string;
    };
    const details = { path: CHANGE_LOG_NAME, errno, step, original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: thrown });
  }
}

function recoverChange(context: WriteContext, intent: Intent, stage: Stage): Omit<Recovered, 'id'> {
  checkMounted(context, intent, stage);
  if (stage === 'begun') {
    discardChange(context, intent);
    return { outcome: 'forgotten' };
  }
  if (stage === 'committed' && tryFinish(context, intent)) {
    removeEmptyFolders(context, intent.emptied);
    wrapFsError(undefined, () => context.log.setStage(intent.id, 'done'));
    return { outcome: 'finished' };
  }
  const leftPaths = rollBackWhereUnchanged(context, intent);
  cleanUp(context, intent);
  const outcome = leftPaths.length === 0 ? 'taken_back' : 'partly_taken_back';
  wrapFsError(undefined, () => context.log.setStage(intent.id, outcome));
  return { outcome, ...(leftPaths.length > 0 && { kept: leftPaths }) };
}

/** @returns the notes that the change had reached and that another program has edited since: they keep both. @throws FILE_WRITE_FAILED */
function rollBackWhereUnchanged(context: WriteContext, intent: Intent): readonly string[] {
  const isReached = (slot: Slot, number: number): boolean =>
    !wrapFsError(slot.path, () => isPending(slot, slotContext(context, intent, number)));
  const reached = new Set(intent.slots.filter(isReached));
  const leftPaths: string[] = [];
  const onKept = (slot: Slot): void => {
    if (reached.has(slot)) leftPaths.push(slot.path);
  };
  const failure = rollBack(context, intent, () => true, onKept);
  if (failure !== undefined) throw failure;
  return leftPaths;
}

/** An empty root that should have files is a mount point without its drive. @throws VAULT_UNAVAILABLE */
function checkMounted(context: WriteContext, { slots }: Intent, stage: Stage): void {
  const leavesFiles = slots.some(({ before, after }) => (stage === 'begun' ? before : after) !== null);
  if (leavesFiles && wrapFsError('', () => context.disk.readdirSync(context.root)).length === 0)
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOENT' });
}

/**
 * Rolls the rest of the change forward; if all paths had been reached, later edits do not matter. Returns false if another
 * program changed a file meanwhile: its text stays, and the rest of the change is to be rolled back.
 */
function tryFinish(context: WriteContext, intent: Intent): boolean {
  const isSlotPending = (slot: Slot, number: number): boolean =>
    wrapFsError(slot.path, () => isPending(slot, slotContext(context, intent, number)));
  try {
    if (intent.slots.some(isSlotPending)) rollForward(context, intent);
    else cleanUpFiles(context, intent);
    return true;
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    return false;
  }
}
