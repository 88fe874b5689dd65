// Works out which files a move takes where: one note, or all files of a folder.
import { type Choice, VaultgraphError } from '../../../base/errors.ts';
import { extensionOf, fileKindOf, type NotePath } from '../../../base/note.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { FileState } from '../../../contracts/change-set.ts';
import { foldName, nameKeyOf } from '../../../markdown/links/fold.ts';
import { noSuchFolder } from '../../notes/file-names.ts';
import { folderOf } from '../../notes/filters.ts';
import { newPathOf, plainPath, type RequestedNote, writableNote } from '../editable-note.ts';
import type { Refuse, WriteCall, WriteSources } from '../run-write.ts';
import { noteExists } from '../write-conflict.ts';
import type { EditableNote } from '../write-plan.ts';

const MAX_CHOICES = 10;

export interface MoveRequest {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** The path of the note or folder before and after. */
  readonly from: string;
  readonly to: string;
  readonly isFolder: boolean;
  /** Absent for a folder and an attachment. */
  readonly note?: EditableNote;
  /** `to` was given with a slash after the moved name, and is not a folder to move into. */
  readonly endsWithName?: true;
}

interface RequestedMove extends RequestedNote {
  readonly to: string;
}

/** @param states every file of the vault @throws NOTE_EXISTS, and the errors of `writableNote` and `newPathOf` */
export async function moveRequest(
  requested: RequestedMove,
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<MoveRequest> {
  const { note = '' } = requested;
  const folder = folderNamed(note, states);
  if (note.endsWith('/') && folder === undefined) throw await noSuchFolder(note, granted.store, call);
  if (note.endsWith('/') && folder !== undefined) return folderMove(requested, folder, states, call.refuse);
  const outcome = await outcomeOf(writableNote(requested, granted, call));
  if ('value' in outcome) {
    const request = noteMove(requested, outcome.value, folder, states, call.refuse);
    const existing = states.find(({ path }) => path !== request.from && foldName(path) === foldName(request.to));
    if (existing !== undefined) throw await noteExists(existing.path, granted.vault, call.signal);
    return request;
  }
  const { error } = outcome;
  if (error.code !== 'NOTE_NOT_FOUND') throw error;
  if (folder !== undefined) return folderMove(requested, folder, states, call.refuse);
  const { is } = (error as VaultgraphError<'NOTE_NOT_FOUND'>).details;
  if (is === 'attachment') return attachmentMove(requested, states, call.refuse);
  throw is === 'folder' ? await noSuchFolder(note, granted.store, call) : error;
}

/** @throws NOTE_AMBIGUOUS for a file name that several attachments have; NOTE_EXISTS */
function attachmentMove(
  { note = '', if_match, to: requested }: RequestedMove,
  states: readonly FileState[],
  refuse: Refuse,
): MoveRequest {
  if (if_match !== undefined) throw refuse('if_match', 'applies to notes only; an attachment has no etag');
  const from = attachmentNamed(plainPath(note), note, states);
  const name = from.slice(from.lastIndexOf('/') + 1);
  const { path: target, endsWithName } = destination(requested, name);
  if (folderNamed(target, states) !== undefined) throw refuse('to', 'names a folder: end it with `/` to move into it');
  const extension = extensionOf(from);
  const to = newPathOf(target, extension === '' ? '' : `.${extension.toLowerCase()}`);
  if (to === from) throw refuse('to', 'is the current path');
  if (states.some(({ path }) => path !== from && foldName(path) === foldName(to)))
    throw new VaultgraphError('NOTE_EXISTS', { path: to });
  return { moved: new Map([[from, to]]), from, to, isFolder: false, ...(endsWithName && { endsWithName }) };
}

function attachmentNamed(name: string, ref: string, states: readonly FileState[]): NotePath {
  const attachments = states.filter(({ kind }) => kind === 'attachment').map(({ path }) => path);
  const whole = attachments.find((path) => path === name);
  const alike = attachments.filter((path) => foldName(path) === foldName(name));
  const named = alike.length > 0 ? alike : attachments.filter((path) => nameKeyOf(path) === nameKeyOf(name));
  const [first, second] = named;
  if (whole !== undefined) return whole;
  if (first !== undefined && second === undefined) return first;
  const items = named.slice(0, MAX_CHOICES).map((path): Choice => ({ value: path, path }));
  throw new VaultgraphError(
    'NOTE_AMBIGUOUS',
    { ref, ref_kind: 'name' },
    { choices: { items, total: named.length, retryWith: 'note' } },
  );
}

/** The folder of that path, if it exists. */
function folderNamed(name: string, states: readonly FileState[]): string | undefined {
  const isPlain = name.endsWith('/') || !/[#|[\]\\]/.test(name);
  const folder = isPlain ? folderOf(name) : undefined;
  return folder !== undefined && states.some(({ path }) => path.startsWith(`${folder}/`)) ? folder : undefined;
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
  const { path: target, endsWithName } = destination(requested, name);
  if (!target.toLowerCase().endsWith(extension) && folderNamed(target, states) !== undefined)
    throw refuse(
      'to',
      `names a folder: end it with \`/\` to move into it, or with \`${extension}\` to rename the note`,
    );
  const to = newPathOf(target, extension);
  if (to === from) throw refuse('to', 'is the current path');
  return { moved: new Map([[from, to]]), from, to, note, isFolder: false, ...(endsWithName && { endsWithName }) };
}

function noteOrFolder(ref: string, note: string, folder: string): VaultgraphError {
  const items = [{ value: note, path: note }, { value: `${folder}/` }];
  const choices = { items, total: items.length, retryWith: 'note' };
  return new VaultgraphError('NOTE_AMBIGUOUS', { ref, ref_kind: 'folder' }, { choices });
}

async function folderMove(
  { if_match, to: requested }: RequestedMove,
  from: string,
  states: readonly FileState[],
  refuse: Refuse,
): Promise<MoveRequest> {
  if (if_match !== undefined) throw refuse('if_match', 'applies to notes only; a folder has no etag');
  const { path, endsWithName } = destination(requested, from.slice(from.lastIndexOf('/') + 1));
  const to = path.replace(/\/+$/, '');
  if (to === from) throw refuse('to', 'is the current path');
  if (to.startsWith(`${from}/`)) throw refuse('to', 'is inside the folder to move');
  const inFolder = states.filter(({ path }) => path.startsWith(`${from}/`));
  await letOthersRun();
  const moved = new Map(inFolder.map((file) => [file.path, `${to}${file.path.slice(from.length)}` as NotePath]));
  await letOthersRun();
  const taken = `${foldName(to)}/`;
  if (states.some(({ path }) => !moved.has(path) && foldName(path).startsWith(taken)))
    throw new VaultgraphError('NOTE_EXISTS', { path: `${to}/` });
  await letOthersRun();
  return { moved, from, to, isFolder: true, ...(endsWithName && { endsWithName }) };
}

/**
 * A path that ends with a slash is a folder to move into, unless its last segment is the moved name itself: then it is the new path.
 * `/` and `.` are the vault's root.
 */
function destination(requested: string, name: string): { readonly path: string; readonly endsWithName?: true } {
  if (requested === '/' || requested === '.' || requested === './') return { path: name };
  const path = plainPath(requested);
  const folder = path.replace(/\/+$/, '');
  if (folder === path || folder === '') return { path };
  const last = folder.slice(folder.lastIndexOf('/') + 1);
  return foldName(last) === foldName(name) ? { path: folder, endsWithName: true } : { path: `${folder}/${name}` };
}
