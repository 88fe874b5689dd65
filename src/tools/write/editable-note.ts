// Reads the note that a write changes, and builds the path of a note that it creates.
import { contentHash, isEtagOf } from '../../base/content-hash.ts';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { extensionOf, type FileKind, fileKindOf, type NotePath } from '../../base/note.ts';
import { pathOfUri } from '../../base/note-uri.ts';
import type { Granted } from '../../contracts/capability.ts';
import { encoderLike } from '../../markdown/parse/lines.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote, REFERENCE_FAILURES } from '../notes/note-reference.ts';
import type { WriteCall } from './run-write.ts';
import { writeConflict } from './write-conflict.ts';
import type { EditableNote } from './write-plan.ts';

/** The error codes of a write to an existing note, besides those of the writer. */
export const NOTE_FAILURES = [
  ...REFERENCE_FAILURES,
  'INVALID_INPUT',
  'LIMIT_EXCEEDED',
  'WRITE_CONFLICT',
  'CHANGE_NOT_FOUND',
] as const satisfies readonly ErrorCode[];

export interface RequestedNote {
  readonly note?: string | undefined;
  readonly if_match?: string | undefined;
}

/** Any note, canvas or base. @throws NOTE_FAILURES, FILE_UNREADABLE */
export async function writableNote(
  { note = '', if_match }: RequestedNote,
  granted: Granted<'store' | 'vault'>,
  call: WriteCall,
): Promise<EditableNote & { readonly isText: boolean }> {
  const { path, part } = await locateNote(note, 'note', granted, call);
  if (part.kind !== 'whole') throw call.refuse('note', 'must name a whole note, not a part of one');
  const { bytes, text, encoding } = await readContent(path, granted.vault, call.signal);
  const etag = contentHash(bytes);
  if (if_match !== undefined && !isEtagOf(if_match, etag))
    throw await writeConflict(path, if_match, granted.vault, call);
  return { path, text, etag, encode: encoderLike(bytes), isText: encoding === 'utf-8' };
}

/** A Markdown note in UTF-8. @throws NOTE_FAILURES, FILE_UNREADABLE */
export async function editableNote(
  requested: RequestedNote,
  granted: Granted<'store' | 'vault'>,
  call: WriteCall,
): Promise<EditableNote> {
  return ofText(await writableNote(requested, granted, call), ['note']);
}

/** The same, or a canvas, whose cards are edited. */
export async function editableFile(
  requested: RequestedNote,
  granted: Granted<'store' | 'vault'>,
  call: WriteCall,
): Promise<EditableNote> {
  return ofText(await writableNote(requested, granted, call), ['note', 'canvas']);
}

function ofText<Note extends EditableNote & { readonly isText: boolean }>(
  note: Note,
  kinds: readonly FileKind[],
): Note {
  const { path, isText } = note;
  if (!kinds.includes(fileKindOf(path))) throw notAnEditableNote(path);
  if (!isText) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EILSEQ' }, { retry: 'U' });
  return note;
}

export function notAnEditableNote(path: string): VaultgraphError {
  return notAllowed(path, 'only Markdown notes can be edited', 'A canvas or base can be moved or deleted.');
}

/** Matches a file extension; `2.1 Tides` and `v1.2` have none. */
const EXTENSION = /\.(?=[a-z\d]*[a-z])[a-z\d]{1,8}$/i;

/**
 * The path in NFC, with the extension.
 * @param extension `.md`; the only one accepted, and added if it is missing
 * @throws PATH_NOT_ALLOWED
 */
export function newPathOf(requested: string, extension: string): NotePath {
  const path = plainPath(requested);
  if (path === '' || path.endsWith('/'))
    throw notAllowed(requested, 'it does not name a file', 'Write the name of the note after the folder.');
  if (path.toLowerCase().endsWith(extension)) return path as NotePath;
  if (/[.\s]$/.test(path))
    throw notAllowed(requested, `a name may not end with a dot or a space, unless ${extension} follows it`);
  const hasOther = fileKindOf(path) !== 'attachment' || EXTENSION.test(path);
  if (hasOther)
    throw notAllowed(requested, `its extension must be ${extension}`, `End the path with \`${extension}\`.`);
  return `${path}${extension}` as NotePath;
}

/** The path of a new note: with `.md`, unless it has the extension of another kind of note. @throws PATH_NOT_ALLOWED */
export function newNotePathOf(requested: string): NotePath {
  const path = plainPath(requested);
  return fileKindOf(path) === 'note'
    ? newPathOf(requested, `.${extensionOf(path).toLowerCase()}`)
    : newPathOf(requested, '.md');
}

/** In NFC, without `./` at its start; of a `note:///` URI its path. */
export function plainPath(path: string): string {
  return (pathOfUri(path) ?? path).normalize('NFC').replace(/^(?:\.\/)+/, '');
}

function notAllowed(path: string, rule: string, instead?: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule, ...(instead === undefined ? {} : { instead }) });
}
