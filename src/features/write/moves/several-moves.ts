// Works out which of several notes a move takes into which folder.
import type { BatchResult } from '../../../base/batch.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { NotePath } from '../../../base/note.ts';
import type { FileState } from '../../../contracts/change-set.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { folderOf } from '../../notes/filters.ts';
import { writeRefusal } from '../../view/outside-view.ts';
import { type Choosing, chosenNotes } from '../chosen-notes.ts';
import { newPathOf, plainPath } from '../editable-note.ts';
import type { Refuse, WriteSources } from '../run-write.ts';

export interface SeveralMoves {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** The folder, with a slash at its end; `/` for the root. */
  readonly to: string;
  readonly batch: BatchResult<{ readonly path: NotePath; readonly unchanged?: true }>;
  readonly period?: object;
}

/**
 * The notes keep their names. One whose place is taken, or that may not be written, is left and listed with its error.
 * @param states every file of the vault
 * @throws as `chosenNotes`; PATH_NOT_ALLOWED for the folder
 */
export async function severalMoves(
  args: Choosing & { readonly to: string },
  states: readonly FileState[],
  granted: WriteSources,
  call: CallContext,
  refuse: Refuse,
): Promise<SeveralMoves> {
  const folder = folderOf(plainPath(args.to).replace(/\/+$/, ''));
  if (folder !== undefined && /\.(?:md|canvas|base)$/i.test(folder))
    throw refuse('to', 'must be a folder, such as `Archive/`, if several notes move');
  const { succeeded: chosen, failed, ...compared } = await chosenNotes(args, granted, call, refuse, 'every_kind');
  const places = new Map(states.map(({ path }) => [foldName(path), path]));
  const moved = new Map<NotePath, NotePath>();
  const succeeded: SeveralMoves['batch']['succeeded'][number][] = [];
  const refused = [...failed];
  for (const { id, result: path } of chosen) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const extension = name.slice(name.lastIndexOf('.')).toLowerCase();
    const to = newPathOf(folder === undefined ? name : `${folder}/${name}`, extension);
    const taken = places.get(foldName(to));
    const error =
      writeRefusal(path, granted.vault) ?? (taken === undefined || taken === path ? undefined : noteExists(taken));
    if (error !== undefined) refused.push({ id, error });
    else if (to === path) succeeded.push({ id, result: { path, unchanged: true } });
    else {
      succeeded.push({ id, result: { path: to } });
      moved.set(path, to);
      places.set(foldName(to), path);
    }
  }
  return { moved, to: folder === undefined ? '/' : `${folder}/`, batch: { succeeded, failed: refused }, ...compared };
}

function noteExists(path: string): VaultgraphError {
  return new VaultgraphError('NOTE_EXISTS', { path });
}
