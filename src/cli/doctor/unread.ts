// Counts what a vault has and no rule reads: files that are no notes, and marks of other systems in notes.
import { unreadMarks } from '../../app/closed-vault.ts';
import { NEVER } from '../../base/async/waits.ts';
import { extensionOf } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type Finding, ok } from './finding.ts';

/** Names that a finding lists at most. */
const MAX_EXTENSIONS = 20;
const MAX_NOTES = 2_000;

/** Files that are no notes, canvases or bases: links can lead to them, and no word of theirs is found. */
export async function unreadFinding(vault: Vault): Promise<Finding> {
  const { files } = await vault.list(NEVER);
  const others = files.filter(({ kind }) => kind === 'attachment').map(({ path }) => extensionOf(path).toLowerCase());
  const counts = [...Map.groupBy(others, (extension) => extension)].map(([name, { length }]) => ({ name, length }));
  counts.sort((one, other) => other.length - one.length || (one.name < other.name ? -1 : 1));
  const shown = counts
    .slice(0, MAX_EXTENSIONS)
    .map(({ name, length }) => `${length} ${name === '' ? 'without extension' : `.${name}`}`);
  const rest = counts.slice(MAX_EXTENSIONS).reduce((sum, { length }) => sum + length, 0);
  const listed = [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(', ');
  const summary =
    counts.length === 0
      ? 'every file is a note, canvas or base'
      : `${others.length} files, to which links can lead: ${listed}`;
  const notes = files.filter(({ kind }) => kind === 'note').map(({ path }) => path);
  const marks = await unreadMarks(vault, notes.slice(0, MAX_NOTES));
  if (marks.length === 0) return ok(summary);
  const within = notes.length > MAX_NOTES ? `the first ${MAX_NOTES} notes` : 'the notes';
  return ok(`${summary}; in ${within}, read as plain text: ${marks.join(', ')}`);
}
