// What an answer says of the index it was made from. Knows no tool; decides nothing about waiting.
import type { IndexState } from '../contracts/indexer.ts';
import type { Warning } from '../contracts/tool.ts';

export interface IndexView {
  readonly meta: {
    /** When the last whole scan ended; absent before the first. */
    readonly as_of?: string;
    readonly indexed: number;
    readonly total: number;
    readonly pending: number;
    readonly quarantined: number;
    readonly stale?: true | 'unknown';
  };
  readonly warnings: readonly Warning[];
  /** Set while the first index is being built: `120/2000 notes are indexed so far`. */
  readonly part: string | undefined;
}

/** Warnings are the state itself, so they stand on every answer until the state changes. */
export function viewOf(state: IndexState): IndexView {
  const { asOf, indexed, total, pending, quarantined, complete, freshness } = state;
  const known = freshness === 'fresh';
  return {
    meta: {
      ...(asOf === null ? {} : { as_of: asOf }),
      indexed,
      total,
      pending,
      quarantined,
      ...(known && pending === 0 ? {} : { stale: known ? true : 'unknown' }),
    },
    warnings: [...pendingWarning(state), ...unknownWarning(state), ...quarantineWarning(state)],
    part: complete ? undefined : `${indexed}/${total} notes are indexed so far`,
  };
}

function pendingWarning({ complete, pending, total }: IndexState): Warning[] {
  if (complete && pending === 0) return [];
  const message = complete
    ? `${counted(pending, 'changed note')} not indexed yet`
    : `the first index is being built: ${pending} of ${total} notes are missing`;
  return [{ code: 'INDEX_PENDING', message, count: pending }];
}

/** Before the first scan ended, INDEX_PENDING says it all. */
function unknownWarning({ complete, freshness }: IndexState): Warning[] {
  if (!complete || freshness === 'fresh') return [];
  const message = 'the vault has not been compared with the index since the server started; changes may be missing';
  return [{ code: 'STALE_UNKNOWN', message }];
}

function quarantineWarning({ quarantined }: IndexState): Warning[] {
  if (quarantined === 0) return [];
  const message = `${counted(quarantined, 'note')} not fully indexed; status names them`;
  return [{ code: 'QUARANTINED', message, count: quarantined }];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
