// Unpacks what the files of a set of changes hold, in the thread that writes them.
import { VaultgraphError } from '../../../base/errors.ts';
import type { ChangeSet, IndexedNote } from '../../../contracts/change-set.ts';
import { unpackNotes } from '../../../markdown/parse/packed-notes.ts';

export interface UnpackedChanges extends Omit<ChangeSet, 'indexed' | 'parsed'> {
  readonly indexed: readonly IndexedNote[];
}

/** @throws INTERNAL if there are more or fewer notes than files */
export function unpackChanges({ parsed, ...changes }: ChangeSet): UnpackedChanges {
  const notes = parsed === undefined ? [] : unpackNotes(parsed);
  if (notes.length !== changes.indexed.length) throw new VaultgraphError('INTERNAL', { kind: 'unpacked_notes' });
  const indexed = changes.indexed.map((file, at) => ({ ...file, parsed: notes[at] as IndexedNote['parsed'] }));
  return { ...changes, indexed };
}

/** Whether the changes say nothing new of the vault. */
export function hasOnlySightings({ sightings, words: _words, ...lists }: UnpackedChanges): boolean {
  return sightings.length > 0 && Object.values(lists).every(({ length }) => length === 0);
}
