// Shows what a past change did, as a unified diff of the contents that the change log kept.
import type { NotePath } from '../../base/note.ts';
import type { ChangedFile, PastChange } from '../../contracts/writer.ts';
import { type FileDifference, fileDiff, textOf } from '../../markdown/edit/unified-diff.ts';

/** Empty for files without a text that only move. */
export function pastDiff(past: PastChange): string {
  return past.change.files.map((file) => fileDiff(differenceOf(file, past))).join('');
}

function differenceOf({ kind, path, to, before, after }: ChangedFile, past: PastChange): FileDifference {
  const textAt = (hash: string, at: string): string | undefined => {
    const bytes = past.contentOf(hash);
    return bytes && textOf(bytes, at as NotePath);
  };
  const isSame = before === after;
  const [old, now] = [before, after].map((hash) => (isSame || hash === null ? undefined : textAt(hash, path)));
  return {
    from: kind === 'create' || kind === 'restore' ? null : path,
    to: kind === 'trash' || kind === 'remove' ? null : (to ?? path),
    ...(old !== undefined && { before: old }),
    ...(now !== undefined && { after: now }),
  };
}
