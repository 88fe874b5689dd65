// How a change is named in the log: its id, how much it keeps and how far it came, so that one look at the log tells.
import { randomBytes } from 'node:crypto';

/**
 * `begun`: nothing of the vault was touched but for temporary files · `committed`: it is to be finished · `aborting`: it is to be
 * taken back · `done` and `taken_back`: it is over.
 */
export type Stage = 'begun' | 'committed' | 'aborting' | 'taken_back' | 'done';

export interface LoggedName {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** What it takes up on disk, about. */
  readonly bytes: number;
  readonly stage: Stage;
}

const PREFIX = 'chg_';
const NAME = /^(chg_([0-9a-z]{9})_[0-9a-f]{6})\.(\d+)\.(begun|committed|aborting|taken_back|done)$/;

/** Sorts behind every id of an earlier time, and apart from another of the same millisecond. */
export function newId(began: number): string {
  return `${PREFIX}${began.toString(36).padStart(9, '0')}_${randomBytes(3).toString('hex')}`;
}

export const nameOf = ({ id, bytes, stage }: Omit<LoggedName, 'began'>): string => `${id}.${bytes}.${stage}`;

/** Undefined for what is no change. */
export function readName(name: string): LoggedName | undefined {
  const [, id, began, bytes, stage] = NAME.exec(name) ?? [];
  if (id === undefined || began === undefined) return undefined;
  return { id, began: Number.parseInt(began, 36), bytes: Number(bytes), stage: stage as Stage };
}

export const isOver = ({ stage }: LoggedName): boolean => stage === 'done' || stage === 'taken_back';

/** A change that was being written down when a kill came. */
export const isRemains = (name: string): boolean => name.startsWith(PREFIX) && readName(name) === undefined;
