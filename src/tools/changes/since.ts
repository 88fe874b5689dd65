// Reads from which point on changes are asked for: a position of an earlier answer, a remembered name, or a time.
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { Checkpoint, FeedState } from '../../contracts/feed.ts';
import { parseDate } from '../notes/parse-date.ts';
import { isPeriodFault, parsePeriod, UNKNOWN } from '../periods/period.ts';

/** Later than this record, or noticed at or after this time. */
export interface Since {
  readonly after: number;
  readonly sinceMs?: number;
}

const DEFAULT_SINCE = '7d';
const POSITION = /^([0-9a-f]{10})-([0-9a-z]{1,9})$/;
const MAX_SHOWN_NAMES = 10;

export const positionOf = ({ id }: FeedState, seq: number): string => `${id}-${seq.toString(36)}`;

/** @param refuse makes the error for the argument */
export function parseSince(
  text: string | undefined,
  state: FeedState | undefined,
  checkpoints: readonly Checkpoint[],
  refuse: (rule: string) => VaultgraphError,
): Since {
  if (text === undefined) return { after: 0, sinceMs: parseDate(DEFAULT_SINCE, 'since', new Date()) };
  const [, id, seq = ''] = POSITION.exec(text) ?? [];
  if (id !== undefined) return { after: seqIn(id, seq, state, refuse) };
  const checkpoint = checkpoints.find(({ name }) => name === text);
  if (checkpoint !== undefined) return { after: checkpoint.seq };
  try {
    return { after: 0, sinceMs: parseDate(text, 'since', new Date()) };
  } catch (thrown) {
    if (toVaultgraphError(thrown).code !== 'INVALID_QUERY' || !isUnknownForm(text)) throw thrown;
    const names = checkpoints.slice(0, MAX_SHOWN_NAMES).map(({ name }) => JSON.stringify(name));
    const known = names.length === 0 ? 'none is remembered' : `remembered: ${names.join(', ')}`;
    throw refuse(`is no time such as 7d or monday, no position of an answer, and no remembered name (${known})`);
  }
}

function isUnknownForm(text: string): boolean {
  const period = parsePeriod(text, 'past', new Date());
  return isPeriodFault(period) && period.reason === UNKNOWN;
}

function seqIn(
  id: string,
  written: string,
  state: FeedState | undefined,
  refuse: (rule: string) => VaultgraphError,
): number {
  const seq = Number.parseInt(written, 36);
  const last = state?.id === id ? state.last : state?.earlier?.get(id);
  if (last !== undefined && seq <= last) return seq;
  const since = state?.knownSince ?? null;
  const known = since === null ? 'no change is known yet' : `changes are known since ${new Date(since).toISOString()}`;
  throw refuse(`is a position in a feed that is no longer kept; ${known}: pass a time instead`);
}

/** Why a name cannot be remembered; undefined if it can. */
export function faultOfName(name: string): string | undefined {
  if (POSITION.test(name)) return 'has the form of a position';
  return isUnknownForm(name) ? undefined : 'has the form of a time; choose another name';
}
