// Tells whether notes changed without reading them: by what the index holds, whoever wrote it.
import type { NotePath } from '../../base/note.ts';
import type { NoteSigns } from '../../contracts/note-signs.ts';
import type { NoteRecord, Store } from '../../contracts/store.ts';

/** The store's own mark moves with every sign of life of who leads; the index's revision only with what is in it. */
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

/** The same bytes under another time stamp are no change; where no content is indexed, the time stamp is all there is. */
function fingerprintOf({ hash, sizeBytes, modifiedMs, evicted }: NoteRecord): string {
  return `${hash ?? `${sizeBytes}@${modifiedMs}`}${evicted ? ' evicted' : ''}`;
}
