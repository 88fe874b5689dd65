// The rows of the history: from when until when a note had which text.
import type { NotePath } from '../../../base/note.ts';
import { isIntact, rowChecksum } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';

export interface Version {
  readonly path: NotePath;
  /** Milliseconds since 1970, as the others. */
  readonly since: number;
  /** Null for the newest. */
  readonly until: number | null;
  /** 1 if the note was gone then. */
  readonly gone: number;
  readonly hash: string;
}

interface VersionRow extends Version {
  readonly sum: number;
}

const valuesOf = ({ path, since, until, gone, hash }: Version) => [path, since, until, gone, hash] as const;

export function putVersion(history: Rows, version: Version): void {
  const values = valuesOf(version);
  history.run('INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?)', ...values, rowChecksum(...values));
}

/** Ascending. @throws DamagedRow */
export const versionsOf = (history: Rows, path: string): Version[] =>
  history.checked<VersionRow>('SELECT * FROM versions WHERE path = ? ORDER BY since', path);

/** A damaged one is removed: what it said is not known. */
export function lastVersion(history: Rows, path: string): Version | undefined {
  for (;;) {
    const last = history.first<VersionRow>('SELECT * FROM versions WHERE path = ? ORDER BY since DESC LIMIT 1', path);
    if (last === undefined || isIntact([...valuesOf(last), last.sum])) return last;
    history.run('DELETE FROM versions WHERE path = ? AND since = ?', path, last.since);
  }
}

/** A version lasts at least a moment, also if the clock was set back. */
export const endOf = (version: Version, at: number): number => Math.max(at, version.since + 1);
