// Works out which files a move takes where: one note, or all files of a folder.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { FileState } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { folderOf } from '../notes/filters.ts';
import { newPathOf, plainPath, type RequestedNote, writableNote } from './editable-note.ts';
import type { Refuse, WriteSources } from './run-write.ts';
import { noteExists } from './write-conflict.ts';
import type { EditableNote } from './write-plan.ts';

export interface MoveRequest {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** The path of the note or folder before and after. */
  readonly from: string;
  readonly to: string;
  readonly note?: EditableNote;
}

interface RequestedMove extends RequestedNote {
  readonly to: string;
}

/** @param states every file of the vault @throws NOTE_EXISTS, and the errors of `writableNote` and `newPathOf` */
export async function moveRequest(
  requested: RequestedMove,
  states: readonly FileState[],
  granted: WriteSources,
  call: CallContext,
  refuse: Refuse,
): Promise<MoveRequest> {
  const { note = '' } = requested;
  const folder = folderNamed(note, states);
  if (note.endsWith('/')) return folderMove(requested, folder ?? missingFolder(note), states, refuse);
  const [outcome] = await Promise.allSettled([writableNote(requested, granted, call, refuse)]);
  if (outcome.status === 'fulfilled') {
    const request = noteMove(requested, outcome.value, folder, states, refuse);
    const existing = states.find(({ path }) => path !== request.from && foldName(path) === foldName(request.to));
    if (existing !== undefined) throw await noteExists(existing.path, granted.vault, call.signal);
    return request;
  }
  const isMissing = toVaultgraphError(outcome.reason).code === 'NOTE_NOT_FOUND';
  if (isMissing && folder !== undefined) return folderMove(requested, folder, states, refuse);
  throw outcome.reason;
}

/** The folder of that path, if it exists. */
function folderNamed(name: string, states: readonly FileState[]): string | undefined {
  const isPlain = name.endsWith('/') || !/[#|[\]\\]/.test(name);
  const folder = isPlain ? folderOf(name) : undefined;
  return folder !== undefined && states.some(({ path }) => path.startsWith(`${folder}/`)) ? folder : undefined;
}

function missingFolder(ref: string): never {
  throw new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions: [], unresolved_link: false });
}

function noteMove(
  { note: reference = '', to: requested }: RequestedMove,
  note: EditableNote,
  folder: string | undefined,
  states: readonly FileState[],
  refuse: Refuse,
): MoveRequest {
  const { path: from } = note;
  if (folder !== undefined && from !== folder) throw noteOrFolder(reference, from, folder);
  const name = from.slice(from.lastIndexOf('/') + 1);
  const extension = fileKindOf(from) === 'attachment' ? '' : name.slice(name.lastIndexOf('.')).toLowerCase();
  const target = destination(requested, name);
  if (!target.toLowerCase().endsWith(extension) && folderNamed(target, states) !== undefined)
    throw refuse(
      'to',
      `names a folder: end it with \`/\` to move into it, or with \`${extension}\` to rename the note`,
    );
  const to = newPathOf(target, extension);
  if (to === from) throw refuse('to', 'is the current path');
  return { moved: new Map([[from, to]]), from, to, note };
}

function noteOrFolder(ref: string, note: string, folder: string): VaultgraphError {
  const items = [{ value: note, path: note }, { value: `${folder}/` }];
  const choices = { items, total: items.length, retryWith: 'note' };
  return new VaultgraphError('NOTE_AMBIGUOUS', { ref, ref_kind: 'folder' }, { choices });
}

function folderMove(
  { if_match, to: requested }: RequestedMove,
  from: string,
  states: readonly FileState[],
  refuse: Refuse,
): MoveRequest {
  if (if_match !== undefined) throw refuse('if_match', 'applies to notes only; a folder has no etag');
  const to = destination(requested, from.slice(from.lastIndexOf('/') + 1)).replace(/\/+$/, '');
  if (to === from) throw refuse('to', 'is the current path');
  if (to.startsWith(`${from}/`)) throw refuse('to', 'is inside the folder to move');
  const inFolder = states.filter(({ path }) => path.startsWith(`${from}/`));
  const moved = new Map(inFolder.map(({ path }) => [path, `${to}${path.slice(from.length)}` as NotePath]));
  const taken = `${foldName(to)}/`;
  if (states.some(({ path }) => !moved.has(path) && foldName(path).startsWith(taken)))
    throw new VaultgraphError('NOTE_EXISTS', { path: to });
  return { moved, from, to };
}

/** A path that ends with a slash is a folder to move into; `/` and `.` are the vault's root. */
function destination(requested: string, name: string): string {
  if (requested === '/' || requested === '.' || requested === './') return name;
  const path = plainPath(requested);
  return path.endsWith('/') ? `${path}${name}` : path;
}
