// Ends what a kill cut off: finishes a change that was committed, takes back one that cannot be finished, forgets one that had not begun.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Recovered } from '../../../contracts/writer.ts';
import { discard } from './apply-change.ts';
import { isPending } from './apply-file.ts';
import { finish, removeEmpty, takeBack, tidyAll, tidySlots } from './carry-out.ts';
import type { Intent } from './logged-change.ts';
import { isOver, type Stage } from './logged-name.ts';
import { isConflict, type Slot } from './slot.ts';
import { settlingOf, typed, type Workshop } from './write-context.ts';

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
