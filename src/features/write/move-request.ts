// Which files a move takes where: one note, or all that lies in a folder. Moves nothing and knows no links.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { FileState } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { folderOf } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type AskedNote, type EditableNote, newPathOf, plainPath, writableNote } from './editable-note.ts';
import type { WriteSources } from './run-write.ts';
import { noteExists } from './write-conflict.ts';

export interface MoveRequest {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** The note or the folder, as it is called before and afterwards. */
  readonly from: string;
  readonly to: string;
  readonly note?: EditableNote;
}

export interface AskedMove extends AskedNote {
  readonly to: string;
}

type Refuse = (path: string, rule: string) => VaultgraphError;

/** @param states every file of the vault @throws NOTE_EXISTS for a folder that is there already; as `writableNote` and `newPathOf` */
export async function moveRequest(
  asked: AskedMove,
  states: readonly FileState[],
  granted: WriteSources,
  call: CallContext,
): Promise<MoveRequest> {
  const refuse: Refuse = (path, rule) => inputRefusal(asked.tool, asked.accepted, { path, rule });
  const folder = folderNamed(asked.note, states);
  if (asked.note.endsWith('/')) return folderMove(asked, folder ?? missingFolder(asked.note), states, refuse);
  const [outcome] = await Promise.allSettled([writableNote(asked, granted, call)]);
  if (outcome.status === 'fulfilled') {
    const request = noteMove(asked, outcome.value, folder, states, refuse);
    const there = states.find(({ path }) => path !== request.from && foldName(path) === foldName(request.to));
    if (there !== undefined) throw await noteExists(there.path, granted.vault, call.signal);
    return request;
  }
  const isNoNote = toVaultgraphError(outcome.reason).code === 'NOTE_NOT_FOUND';
  if (isNoNote && folder !== undefined) return folderMove(asked, folder, states, refuse);
  throw outcome.reason;
}

/** The folder of that path, if one is there. */
function folderNamed(written: string, states: readonly FileState[]): string | undefined {
  const isPlain = written.endsWith('/') || !/[#|[\]\\]/.test(written);
  const folder = isPlain ? folderOf(written) : undefined;
  return folder !== undefined && states.some(({ path }) => path.startsWith(`${folder}/`)) ? folder : undefined;
}

function missingFolder(ref: string): never {
  throw new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions: [], unresolved_link: false });
}

function noteMove(
  asked: AskedMove,
  note: EditableNote,
  folder: string | undefined,
  states: readonly FileState[],
  refuse: Refuse,
): MoveRequest {
  const { path: from } = note;
  if (folder !== undefined && from !== folder) throw noteOrFolder(asked.note, from, folder);
  const name = from.slice(from.lastIndexOf('/') + 1);
  const extension = fileKindOf(from) === 'attachment' ? '' : name.slice(name.lastIndexOf('.')).toLowerCase();
  const written = destination(asked.to, name);
  if (!written.toLowerCase().endsWith(extension) && folderNamed(written, states) !== undefined) {
    throw refuse(
      'to',
      `names a folder: end it with \`/\` to move into it, or with \`${extension}\` to name the note so`,
    );
  }
  const to = newPathOf(written, extension);
  if (to === from) throw refuse('to', 'is where it lies already');
  return { moved: new Map([[from, to]]), from, to, note };
}

function noteOrFolder(ref: string, note: string, folder: string): VaultgraphError {
  const items = [{ value: note, path: note }, { value: `${folder}/` }];
  const choices = { items, total: items.length, retryWith: 'note' };
  return new VaultgraphError('NOTE_AMBIGUOUS', { ref, ref_kind: 'folder' }, { choices });
}

function folderMove(asked: AskedMove, from: string, states: readonly FileState[], refuse: Refuse): MoveRequest {
  if (asked.if_match !== undefined) throw refuse('if_match', 'is of a note; a folder has none');
  const to = destination(asked.to, from.slice(from.lastIndexOf('/') + 1)).replace(/\/+$/, '');
  if (to === from) throw refuse('to', 'is where it lies already');
  if (to.startsWith(`${from}/`)) throw refuse('to', 'lies in the folder that is to be moved');
  const inFolder = states.filter(({ path }) => path.startsWith(`${from}/`));
  const moved = new Map(inFolder.map(({ path }) => [path, `${to}${path.slice(from.length)}` as NotePath]));
  const taken = `${foldName(to)}/`;
  if (states.some(({ path }) => !moved.has(path) && foldName(path).startsWith(taken)))
    throw new VaultgraphError('NOTE_EXISTS', { path: to });
  return { moved, from, to };
}

/** A path that ends with a slash is a folder to move into; `/` and `.` are the vault's own. */
function destination(written: string, name: string): string {
  if (written === '/' || written === '.' || written === './') return name;
  const plain = plainPath(written);
  return plain.endsWith('/') ? `${plain}${name}` : plain;
}
