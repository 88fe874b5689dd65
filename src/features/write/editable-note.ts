// The one note that a write is about, as it stands in the vault at this moment, if it may be written. Writes nothing.
import { contentHash } from '../../base/content-hash.ts';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote, REFERENCE_FAILURES } from '../notes/note-reference.ts';
import { rememberText } from '../notes/text-cache.ts';
import { writeConflict } from './write-conflict.ts';

export interface EditableNote {
  readonly path: NotePath;
  /** Without its byte order mark. */
  readonly text: string;
  readonly etag: string;
  /** The bytes of a text in its place. */
  readonly encode: (text: string) => Uint8Array;
}

/** The codes of a write to a note that is there, by itself or by its plan, beside those of the writer. */
export const NOTE_FAILURES = [
  ...REFERENCE_FAILURES,
  'INVALID_INPUT',
  'LIMIT_EXCEEDED',
  'WRITE_CONFLICT',
  'CHANGE_NOT_FOUND',
] as const satisfies readonly ErrorCode[];

export interface AskedNote {
  readonly tool: string;
  /** The names of the tool's arguments. */
  readonly accepted: readonly string[];
  readonly note: string;
  readonly if_match?: string | undefined;
}

const MARK = '\uFEFF';

/** A note, canvas or base, whatever its bytes. @throws NOTE_FAILURES, FILE_UNREADABLE */
export async function writableNote(
  asked: AskedNote,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<EditableNote & { readonly isText: boolean }> {
  const { vault } = granted;
  const { path, part } = await locateNote(asked.note, 'note', granted, call);
  if (part.kind !== 'whole') {
    const rule = 'names a part of a note; a whole note is meant here';
    throw inputRefusal(asked.tool, asked.accepted, { path: 'note', rule });
  }
  const { bytes, text, encoding } = await readContent(path, vault, call.signal);
  const etag = contentHash(bytes);
  if (asked.if_match !== undefined && asked.if_match !== etag) {
    throw await writeConflict(path, asked.if_match, vault, call.signal);
  }
  rememberText(vault, etag, text);
  const isText = encoding === 'utf-8';
  const encode = encoderLike(bytes);
  return { path, text, etag, encode, isText };
}

/** A note of Markdown that can be written back without loss. @throws NOTE_FAILURES, FILE_UNREADABLE */
export async function editableNote(
  asked: AskedNote,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<EditableNote> {
  const { isText, ...note } = await writableNote(asked, granted, call);
  const { path } = note;
  if (fileKindOf(path) !== 'note')
    throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'only notes are edited' });
  if (!isText) throw noText(path);
  return note;
}

/** What cannot be read as text cannot be written back as it was. */
export function noText(path: string): VaultgraphError {
  return new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EILSEQ' }, { retry: 'U' });
}

/** Writes a text with the byte order mark that the bytes have, if they have one. */
export function encoderLike(bytes: Uint8Array): (text: string) => Uint8Array {
  const mark = Buffer.from(MARK);
  const hasMark = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(3, bytes.byteLength)).equals(mark);
  return (text) => Buffer.from(hasMark ? MARK + text : text);
}

/** What the end of a name looks like that says of what kind its file is; `2.1 Tides` and `v1.2` are names. */
const EXTENSION = /\.(?=[a-z\d]*[a-z])[a-z\d]{1,8}$/i;

/**
 * NFC, with the extension.
 * @param extension what is put behind a name without one, and the only one that is taken, `.md`
 * @throws PATH_NOT_ALLOWED
 */
export function newPathOf(written: string, extension: string): NotePath {
  const path = plainPath(written);
  if (path === '' || path.endsWith('/')) throw refused(written, 'it names no file');
  if (path.toLowerCase().endsWith(extension)) return path as NotePath;
  const hasOther = fileKindOf(path) !== 'attachment' || EXTENSION.test(path);
  if (hasOther) throw refused(written, `only files that end in ${extension} are written here, and it ends in another`);
  return `${path}${extension}` as NotePath;
}

/** NFC, without `./` at its start. */
export function plainPath(written: string): string {
  return written.normalize('NFC').replace(/^(?:\.\/)+/, '');
}

function refused(path: string, rule: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
}
