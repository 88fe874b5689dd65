// Describes the index that an answer was made from.
import type { IndexState } from '../../contracts/indexer.ts';
import type { Warning } from '../../contracts/tool.ts';

export interface IndexView {
  readonly meta: {
    /** When the last whole scan ended; absent before the first. */
    readonly as_of?: string;
    readonly indexed: number;
    readonly total: number;
    readonly pending: number;
    readonly quarantined: number;
    readonly stale?: true | 'unknown';
    /** Another process keeps the index up to date. */
    readonly writer?: 'other';
  };
  readonly warnings: readonly Warning[];
  /** Set while the first index is being built: `120/2000 notes are indexed so far`. */
  readonly part: string | undefined;
}

/** Warnings describe the state, so they are on every answer until it changes. */
export function viewOf(state: IndexState): IndexView {
  const { asOf, indexed, total, quarantined, complete, role, holder } = state;
  const pending = pendingIn(state);
  const known = isKnown(state);
  return {
    meta: {
      ...(asOf === null ? {} : { as_of: asOf }),
      indexed,
      total,
      pending,
      quarantined,
      ...(known && pending === 0 ? {} : { stale: known ? true : 'unknown' }),
      ...(role === 'follower' && holder !== undefined && { writer: 'other' as const }),
    },
    warnings: [...pendingWarning(state), ...unknownWarning(state), ...quarantineWarning(state)],
    part: complete ? undefined : `${indexed}/${total} notes are indexed so far`,
  };
}

/** Notes that are known to have changed and are not indexed, with the paths at which one may have. */
export function pendingIn({ pending, watching }: IndexState): number {
  return pending + watching.pending;
}

/** Without a watcher there may be changes that are not known, even after a complete scan. */
function isKnown({ freshness, watching }: IndexState): boolean {
  return freshness === 'fresh' && watching.mode !== 'polling';
}

function pendingWarning(state: IndexState): Warning[] {
  const { complete, pending, total } = state;
  const count = complete ? pendingIn(state) : pending;
  if (complete && count === 0) return [];
  const message = complete
    ? `${counted(count, 'changed note')} not indexed yet`
    : `the first index is being built: ${pending} of ${total} notes are not indexed yet`;
  return [{ code: 'INDEX_PENDING', message, count }];
}

/** Before the first scan ended, INDEX_PENDING says it all. */
function unknownWarning(state: IndexState): Warning[] {
  if (!state.complete || isKnown(state)) return [];
  return [
    {
      code: 'STALE_UNKNOWN',
      message: `${whyUnknown(state)}; changes may be missing (require_fresh: true compares them first)`,
    },
  ];
}

function whyUnknown({ freshness, watching, lastError }: IndexState): string {
  const { mode, reason } = watching;
  if (freshness === 'fresh') {
    const why = reason === undefined ? '' : ` (${reason})`;
    return `the vault is not watched for changes${why} and is only compared with the index from time to time`;
  }
  if (lastError !== undefined) return `the vault could not be compared with the index: [${lastError.code}]`;
  return mode === 'off' || watching.lastScanAt === undefined
    ? 'the vault has not been compared with the index since the server started'
    : 'the vault is being compared with the index';
}

function quarantineWarning({ quarantined }: IndexState): Warning[] {
  if (quarantined === 0) return [];
  const message = `${counted(quarantined, 'note')} not fully indexed; status names them`;
  return [{ code: 'QUARANTINED', message, count: quarantined }];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
