// How far the copy of the index on this machine has come: a row in the copy itself, written together with what it says.
import type { Rows } from '../../sqlite/database/rows.ts';

export interface Position {
  /** The identity of the tables in PostgreSQL that it is a copy of; empty for a new copy. */
  readonly identity: string;
  /** In which `target` was the last set of changes. */
  readonly history: string;
  readonly epoch: number;
  /** In a copy without contents, the files of the sets of changes up to this number are listed. */
  readonly listed: number;
  /** The sets of changes up to these numbers are in the copy: those of files, and those of everything else. */
  readonly files: number;
  readonly rest: number;
  /** The copy is whole, and may be read, once both have come as far. */
  readonly target: number;
  /** The last set of changes when it was whole, or when it was begun from nothing. */
  readonly since: number;
}

export const NOTHING: Position = {
  identity: '',
  history: '',
  epoch: 0,
  listed: 0,
  files: 0,
  rest: 0,
  target: 1,
  since: 0,
};

export const CREATE_POSITION = `CREATE TABLE IF NOT EXISTS replica (
  one INTEGER PRIMARY KEY CHECK (one = 1), identity TEXT NOT NULL, history TEXT NOT NULL, epoch INTEGER NOT NULL,
  listed INTEGER NOT NULL, files INTEGER NOT NULL, rest INTEGER NOT NULL, target INTEGER NOT NULL, since INTEGER NOT NULL) STRICT`;

export function readPosition(rows: Rows): Position {
  return { ...NOTHING, ...rows.first<Position>('SELECT * FROM replica') };
}

/** How many files the copy has. */
export const livingIn = (rows: Rows): number => rows.value<number>('SELECT count(*) FROM files') ?? 0;

export function writePosition(rows: Rows, position: Position): void {
  const { identity, history, epoch, listed, files, rest, target, since } = position;
  const sql = `INSERT OR REPLACE INTO replica (one, identity, history, epoch, listed, files, rest, target, since)
    VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`;
  rows.run(sql, identity, history, epoch, listed, files, rest, target, since);
}

/** All files are listed before the first content, so that each link resolves at once. */
export const isListing = ({ files }: Position): boolean => files === 0;

export const isWhole = ({ files, rest, target }: Position): boolean => files >= target && rest >= target;

export const isSame = (one: Position, other: Position): boolean =>
  one.identity === other.identity &&
  one.history === other.history &&
  one.epoch === other.epoch &&
  one.listed === other.listed &&
  one.files === other.files &&
  one.rest === other.rest &&
  one.target === other.target;

/** What a copy has to match before it may answer. */
export interface Original {
  readonly identity: string;
  readonly history: string;
  readonly epoch: number;
  readonly seq: number;
}

export const wholeAt = ({ identity, history, epoch, seq }: Original): Position => ({
  identity,
  history,
  epoch,
  listed: seq,
  files: seq,
  rest: seq,
  target: seq,
  since: seq,
});

/** Whether the copy is exactly what the original was when it was asked. */
export const isAt = (position: Position, original: Original): boolean =>
  isWhole(position) && isOfHistory(position, original) && position.files === original.seq;

/** Whether the copy may be newer than the original was when it was read. The original must be read again to decide. */
export const mayBeAhead = (position: Position, original: Original): boolean =>
  isWhole(position) && !(isOfHistory(position, original) && position.files < original.seq);

/** Whether the copy is a state through which the original has come, if the original was asked later. */
export const isOnWayTo = (position: Position, later: Original): boolean =>
  isOfHistory(position, later) && position.files <= later.seq;

const isOfHistory = (position: Position, { identity, history, epoch }: Original): boolean =>
  position.identity === identity && position.history === history && position.epoch === epoch;
