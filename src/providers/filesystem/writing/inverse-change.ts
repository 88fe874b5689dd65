// Which changes the log holds, what undid them, and which operations take one back. Reads the log, writes nothing.
import { VaultgraphError } from '../../../base/errors.ts';
import type { NotePath } from '../../../base/note.ts';
import type { Change, ChangedFile, FileOperation, Inverse } from '../../../contracts/writer.ts';
import type { ChangeLog } from './change-log.ts';
import { isOver } from './logged-name.ts';

const RECENT = 5;

interface Logged {
  readonly change: Change;
  /** What was made for it, the outer ones first. */
  readonly folders: readonly string[];
}

/** Newest first, each with what undid it. */
export function loggedChanges(log: ChangeLog, limit: number): readonly Change[] {
  const changes: Change[] = [];
  for (const { change } of walk(log)) {
    if (changes.length >= limit) break;
    changes.push(change);
  }
  return changes;
}

/**
 * @param id the last change that is neither undone nor an undo where it is not given
 * @throws CHANGE_NOT_FOUND
 */
export function inverseOf(log: ChangeLog, id: string | undefined): Inverse {
  const { change, folders } = find(log, id);
  const operations = change.files.map((file) => inverse(log, change.id, file));
  return { change, operations, emptied: folders.toReversed() };
}

/** @throws CHANGE_NOT_FOUND for a change that is undone, or nobody knows */
export function checkNotUndone(log: ChangeLog, id: string): void {
  find(log, id);
}

/** What is over. An undo is newer than what it undoes, so that it comes first. */
function* walk(log: ChangeLog): Iterable<Logged> {
  const undone = new Map<string, string>();
  for (const { id, stage } of log.names().filter(isOver)) {
    const intent = log.intent(id);
    if (intent === undefined) continue;
    const { slots: _slots, emptied: _emptied, folders, ...about } = intent;
    const undoneBy = undone.get(id);
    const state = stage === 'done' ? 'done' : 'taken_back';
    if (state === 'done' && about.undoes !== undefined) undone.set(about.undoes, id);
    yield { change: { ...about, state, ...(undoneBy === undefined ? {} : { undoneBy }) }, folders };
  }
}

function find(log: ChangeLog, id: string | undefined): Logged {
  const mayBeThere = id === undefined || log.names().some((name) => name.id === id);
  const recent: string[] = [];
  for (const logged of walk(log)) {
    const { change } = logged;
    if (change.state !== 'done' || change.undoneBy !== undefined) continue;
    if (id === undefined ? change.undoes === undefined : change.id === id) return logged;
    if (recent.length < RECENT) recent.push(change.id);
    else if (!mayBeThere) break;
  }
  throw new VaultgraphError('CHANGE_NOT_FOUND', { id: id ?? '', recent });
}

/** Bytes that come back are the log's; a file that came from the trash goes there again. */
function inverse(log: ChangeLog, id: string, { kind, path, to, before, after }: ChangedFile): FileOperation {
  const old = (): Uint8Array => log.image(id, before ?? '');
  switch (kind) {
    case 'create':
      return { kind: 'remove', path, before: after ?? '' };
    case 'restore':
      return { kind: 'trash', path, before: after ?? '' };
    case 'replace':
      return { kind: 'replace', path, before: after ?? '', bytes: old() };
    case 'move': {
      const back = { kind: 'move', path: (to ?? '') as NotePath, to: path, before: after ?? '' } as const;
      return before === after ? back : { ...back, bytes: old() };
    }
    case 'trash':
      return { kind: 'restore', path, bytes: old(), trashed: to ?? '' };
    case 'remove':
      return { kind: 'create', path, bytes: old() };
  }
}
