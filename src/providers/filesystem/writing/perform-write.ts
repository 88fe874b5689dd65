// What a file thread does for the writer: each task under the lock of the log, so that processes change the vault in turn.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Recovered, WriteRequest } from '../../../contracts/writer.ts';
import type { Exclusion } from '../exclusion.ts';
import type { FileAnswer, WriteTask } from '../file-task.ts';
import { applyChange, discard, planChange } from './apply-change.ts';
import { isPending } from './apply-file.ts';
import { finish, removeEmpty, takeBack, tidyAll, tidySlots } from './carry-out.ts';
import { type ChangeLog, openChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import { inverseOf, loggedChanges } from './inverse-change.ts';
import { type HeldLock, whileLocked } from './log-lock.ts';
import type { Intent } from './logged-change.ts';
import { isOver, type Stage } from './logged-name.ts';
import { isConflict, type Slot } from './slot.ts';
import { openGround } from './vault-root.ts';
import { settlingOf, typed, unlessAway, type Workshop } from './write-context.ts';

type RecoverTask = Extract<WriteTask, { kind: 'recover' }>;
type ApplyTask = Extract<WriteTask, { kind: 'apply' }>;

export interface WriteSetting {
  /** The vault's real path as it is now. @throws VAULT_UNAVAILABLE */
  readonly realRoot: () => string;
  readonly exclusion: Exclusion;
  /** A sign of life; throws when the caller has gone. */
  readonly beat: () => void;
  /** A sign of life. */
  readonly alive: () => void;
  /** Called once a change is to be finished, whoever has gone. */
  readonly onCommitted: () => void;
}

/** What was ended by this thread and not told yet, because what it was to do next failed. */
const untold: Recovered[] = [];

/** @throws as the methods of `Writer` */
export function performWrite(task: WriteTask, setting: WriteSetting): FileAnswer {
  return typed(undefined, () => {
    const log = openChangeLog(realDisk, task.log);
    if (task.kind === 'changes') return { kind: 'changes', changes: loggedChanges(log, task.limit) };
    if (task.kind === 'inverse') return { kind: 'inverse', ...inverseOf(log, task.id) };
    const shop = workshop(log, setting);
    if (task.kind === 'check') return unlessAway(shop, () => checked(task.request, shop));
    return whileLocked(realDisk, task.log, setting.beat, (lock) =>
      unlessAway(shop, () => written(task, heldBy(lock, shop))),
    );
  });
}

function checked(request: WriteRequest, shop: Workshop): FileAnswer {
  planChange(shop, request);
  return { kind: 'check' };
}

function written(task: RecoverTask | ApplyTask, shop: Workshop): FileAnswer {
  // Another process may have been killed since this one began.
  recoverChanges(shop, (recovered) => untold.push(recovered));
  shop.log.prune(Date.now());
  if (task.kind === 'recover') return { kind: 'recover', recovered: untold.splice(0) };
  return { kind: 'apply', change: applyChange(shop, task.request), recovered: untold.splice(0) };
}

function workshop(log: ChangeLog, { realRoot, exclusion, alive, beat, onCommitted }: WriteSetting): Workshop {
  const at: Workshop['at'] = (point) => {
    if (point === 'committed') onCommitted();
  };
  return { ...openGround(realDisk, realRoot(), exclusion, alive), log, beat, at };
}

/** Shows that it is held, and begins nothing once it is not. */
function heldBy(lock: HeldLock, shop: Workshop): Workshop {
  const alive = (): void => {
    lock.touch();
    shop.alive();
  };
  const beat = (): void => {
    lock.check();
    lock.touch();
    shop.beat();
  };
  return { ...shop, alive, beat };
}

/**
 * The oldest first.
 * @param tell called for each that was ended
 * @throws FILE_WRITE_FAILED when the disk refuses, VAULT_UNAVAILABLE; what was not ended stays to be
 */
export function recoverChanges(shop: Workshop, tell: (recovered: Recovered) => void): void {
  const cutOff = typed(undefined, () => shop.log.names().filter((name) => !isOver(name)));
  for (const { id, stage } of cutOff.toReversed()) {
    const intent = typed(undefined, () => shop.log.intent(id));
    if (intent !== undefined) tell({ id, outcome: end(shop, intent, stage) });
  }
}

function end(shop: Workshop, intent: Intent, stage: Stage): Recovered['outcome'] {
  checkMounted(shop, intent, stage);
  if (stage === 'begun') {
    discard(shop, intent);
    return 'forgotten';
  }
  if (stage === 'committed' && isFinished(shop, intent)) {
    removeEmpty(shop, intent.emptied);
    typed(undefined, () => shop.log.enter(intent.id, 'done'));
    return 'finished';
  }
  const blocked = takeBack(shop, intent);
  if (blocked !== undefined) throw blocked;
  tidyAll(shop, intent);
  typed(undefined, () => shop.log.enter(intent.id, 'taken_back'));
  return 'taken_back';
}

/** A folder that a drive is mounted on is empty without it. @throws VAULT_UNAVAILABLE */
function checkMounted(shop: Workshop, { slots }: Intent, stage: Stage): void {
  const leavesFiles = slots.some(({ before, after }) => (stage === 'begun' ? before : after) !== null);
  if (leavesFiles && typed('', () => shop.disk.readdirSync(shop.root)).length === 0)
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOENT' });
}

/**
 * Where nothing is left to be done it is finished, whatever somebody made of it since. Else false when somebody changed a file
 * meanwhile: their text stays, and all the rest is to be taken back.
 */
function isFinished(shop: Workshop, intent: Intent): boolean {
  const isLeft = (slot: Slot, number: number): boolean =>
    typed(slot.path, () => isPending(slot, settlingOf(shop, intent, number)));
  try {
    if (intent.slots.some(isLeft)) finish(shop, intent);
    else tidySlots(shop, intent);
    return true;
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    return false;
  }
}
