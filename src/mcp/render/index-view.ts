// Describes the index that an answer was made from.
import { grouped, plural } from '../../base/errors.ts';
import type { IndexState } from '../../contracts/indexer.ts';
import type { Warning } from '../../contracts/tool.ts';

export type IndexView = ReturnType<typeof viewOf>;

/** What the call of a view is about. */
export interface ViewedCall {
  /** How many changes of the vault are not finished. */
  readonly unfinished?: number | undefined;
  /** Says which change of a server with another state folder is not finished. */
  readonly foreign?: string | undefined;
  /** Whether the tool takes `require_fresh`. */
  readonly takesFresh?: boolean;
  /** How many of the quarantined notes the call is about; all by default. */
  readonly quarantined?: number;
}

/** There is nothing to say of an index that is complete and fresh. Warnings describe the state, so they are on every answer until it changes. */
export function viewOf(state: IndexState, call: ViewedCall = {}) {
  const { unfinished = 0, foreign, takesFresh = true } = call;
  const { asOf, indexed, total, quarantined, complete, role, holder } = state;
  const pending = pendingIn(state);
  const hasCounts = isKnown(state);
  return {
    meta: {
      ...(hasCounts && pending === 0 && complete
        ? {}
        : {
            // When the last whole scan ended.
            ...(asOf === null ? {} : { as_of: asOf }),
            indexed,
            ...(total === indexed ? {} : { total }),
            ...(pending === 0 ? {} : { pending }),
            stale: hasCounts || ('unknown' as const),
          }),
      ...(quarantined === 0 ? {} : { quarantined }),
      // Another process keeps the index up to date.
      ...(role === 'follower' && holder !== undefined && { writer: 'other' as const }),
    },
    warnings: [
      ...unfinishedWarning(unfinished),
      ...foreignWarning(foreign),
      ...pendingWarning(state),
      ...unknownWarning(state, takesFresh),
      ...quarantineWarning(call.quarantined ?? quarantined),
    ],
    // Set while the first index is being built.
    part: complete ? undefined : partText(state),
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

function unfinishedWarning(count: number): Warning[] {
  if (count === 0) return [];
  const what = count === 1 ? '1 change of the vault is' : `${count} changes of the vault are`;
  const message = `${what} being completed; until then answers may mix the notes before and after it`;
  return [{ code: 'CHANGE_UNFINISHED', message, count }];
}

/** This server cannot complete it: what it is to do is in the log of the other one. */
function foreignWarning(foreign: string | undefined): Warning[] {
  if (foreign === undefined) return [];
  const message = `${foreign}: it is being written, or was interrupted, and answers may mix the notes before and after it; \`vaultgraph doctor\` lists the files`;
  return [{ code: 'CHANGE_UNFINISHED', message }];
}

function pendingWarning(state: IndexState): Warning[] {
  const { complete, pending } = state;
  const count = complete ? pendingIn(state) : pending;
  if (complete && count === 0) return [];
  const message = complete ? `${counted(count, 'changed note')} not indexed yet` : firstIndexText(state);
  return [{ code: 'INDEX_PENDING', message, ...(count > 0 && { count }) }];
}

function partText({ indexed, total }: IndexState): string {
  return total === 0 ? 'no notes indexed yet' : `${grouped(indexed)}/${grouped(total)} notes indexed`;
}

/** Before the notes are listed, their number is not known. */
function firstIndexText(state: IndexState): string {
  const { pending, total, role, running, holder, lastError } = state;
  const left = `${pending} of ${total} notes are not indexed yet`;
  if (running === undefined && lastError !== undefined)
    return `the first index could not be completed: [${lastError.code}]${pending === 0 ? '' : `; ${left}`}`;
  const isBeingBuilt = running !== undefined || role === 'leader' || holder !== undefined;
  if (isBeingBuilt) return `the first index is being built: ${total === 0 ? 'the notes are being listed' : left}`;
  return `${total === 0 ? 'no notes are indexed yet' : left}, and no process is indexing them`;
}

/** Before the first scan ended, INDEX_PENDING says it all. */
function unknownWarning(state: IndexState, takesFresh: boolean): Warning[] {
  if (!state.complete || isKnown(state)) return [];
  // A server that may not write the index cannot bring it up to date either.
  const canCompare = takesFresh && state.lastError?.code !== 'STORE_READONLY';
  const remedy = canCompare ? ' (require_fresh: true compares them first)' : '';
  return [{ code: 'STALE_UNKNOWN', message: `${whyUnknown(state)}; changes may be missing${remedy}` }];
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

function quarantineWarning(count: number): Warning[] {
  if (count === 0) return [];
  return [
    {
      code: 'QUARANTINED',
      message: `${plural(count, 'file')} not read completely: status says which, and why`,
      count,
    },
  ];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
