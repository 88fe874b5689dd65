// The messages between the process and the thread of the history.
import type { SerializedError } from '../../../base/errors/serialized-error.ts';
import type { NotePath } from '../../../base/note.ts';
import type { HistoryState, NewestText, ReadText } from '../../../contracts/feed.ts';
import type { Moment } from '../../../contracts/vault.ts';

export type HistoryRequest =
  | ({ readonly op: 'keep'; readonly texts: readonly ReadText[] } & Step)
  | ({ readonly op: 'leave'; readonly paths: readonly NotePath[] } & Step)
  | { readonly op: 'compare'; readonly newest: readonly NewestText[]; readonly touched: ReadonlySet<string> }
  | { readonly op: 'prune' }
  | { readonly op: 'earlier'; readonly path: NotePath; readonly at: Moment }
  | { readonly op: 'state' }
  | { readonly op: 'faults' }
  | { readonly op: 'close' };

interface Step {
  readonly isInStep: boolean;
  /** When this process left it in step last; 0 if it did not. */
  readonly leftAt: number;
}

export interface Stepped {
  readonly leftAt: number;
  /** It is an older copy of the file that the process left. */
  readonly isOlder: boolean;
}

/** What was found of an earlier text. */
export type EarlierAnswer =
  | {
      readonly path: NotePath;
      readonly bytes: Uint8Array;
      readonly hash: string;
      readonly since: number;
      /** Whether no later text of the note is kept. */
      readonly isNewest: boolean;
    }
  | { readonly reason: 'deleted'; readonly deletedMs: number }
  /** Nothing is kept of the time before; absent without a history. */
  | { readonly reason: 'not_kept'; readonly keptSince?: number }
  | { readonly reason: 'damaged' };

export interface HistoryResults {
  readonly keep: Stepped;
  readonly leave: Stepped;
  readonly compare: readonly NotePath[];
  readonly prune: undefined;
  readonly earlier: EarlierAnswer;
  readonly state: HistoryState | undefined;
  readonly faults: readonly string[];
  readonly close: undefined;
}

export type HistoryReply = { readonly result: unknown } | { readonly refusal: SerializedError };
