// Detects changed notes from the index, without reading the notes.
import type { NotePath } from '../../base/note.ts';
import type { NoteRecord, NoteSigns, Store } from '../../contracts/store.ts';

/** The store's mark also changes with every heartbeat of the leader; the index revision changes only with its content. */
export function createNoteSigns(store: Store): NoteSigns {
  let seen: { readonly mark: number; readonly revision: number } | undefined;
  return Object.freeze({
    async mark(signal: AbortSignal) {
      const mark = await store.mark(signal);
      if (seen?.mark === mark) return seen.revision;
      const { revision } = await store.progress(signal);
      seen = { mark, revision };
      return revision;
    },
    async signs(paths: readonly string[], signal: AbortSignal) {
      const records = await store.notes(paths as NotePath[], signal);
      return new Map(records.map((record) => [record.path, fingerprintOf(record)]));
    },
  });
}

/** A new time stamp alone is not a change, except for files whose content is not indexed. */
function fingerprintOf({ hash, sizeBytes, modifiedMs, evicted }: NoteRecord): string {
  return `${hash ?? `${sizeBytes}@${modifiedMs}`}${evicted ? ' evicted' : ''}`;
}
