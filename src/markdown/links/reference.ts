// Parses a note reference of a tool argument into the note's name and the part of the note.
import { decodePath, encodedPathOf } from '../../base/note-uri.ts';
import { readWikilink, wikilinkClose } from '../parse/wikilink.ts';

export type ReferencePart =
  | { readonly kind: 'whole' }
  | { readonly kind: 'subpath'; readonly subpath: string }
  | { readonly kind: 'lines'; readonly from: number; readonly to: number };

export interface NoteReference {
  /** A path with or without `.md`, a name, an alias or a title. */
  readonly name: string;
  readonly part: ReferencePart;
  /** The whole reference: names can contain `#` and `:3`. */
  readonly whole: string;
  /** Why `name` is not allowed, for PATH_NOT_ALLOWED. */
  readonly refused?: string;
}

/** Parses `Note`, `Note#Heading`, `Note#^block`, `Note:3-9` or `Note:3`, in `[[…]]`, as a `note:///` URI, or neither. */
export function parseReference(reference: string): NoteReference {
  const text = withoutBrackets(reference.trim());
  const encodedPath = encodedPathOf(text);
  const { name, part } = splitReference(encodedPath ?? text);
  if (encodedPath === undefined) return withRefusal({ name, part, whole: text });
  const decoded = part.kind === 'subpath' ? { ...part, subpath: decodePath(part.subpath) } : part;
  return withRefusal({ name: decodePath(name), part: decoded, whole: decodePath(encodedPath) });
}

function withRefusal(parsed: NoteReference): NoteReference {
  const refused = parsed.name === '' && parsed.whole !== '' ? 'it names no note' : pathRefusal(parsed.name);
  return refused === undefined ? parsed : { ...parsed, refused };
}

function withoutBrackets(reference: string): string {
  const close = reference.startsWith('[[') ? wikilinkClose(reference, 0) : -1;
  if (close === -1 || close + 2 !== reference.length) return reference;
  return readWikilink(reference.slice(2, close))?.link ?? '';
}

function splitReference(whole: string): { name: string; part: ReferencePart } {
  const cut = whole.indexOf('#');
  if (cut !== -1) return { name: whole.slice(0, cut).trim(), part: { kind: 'subpath', subpath: whole.slice(cut) } };
  const lines = /^(.*):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(whole);
  const from = Number(lines?.[2]);
  const to = Number(lines?.[3] ?? lines?.[2]);
  if (lines === null || from < 1 || to < from) return { name: whole, part: { kind: 'whole' } };
  return { name: (lines[1] ?? '').trim(), part: { kind: 'lines', from, to } };
}

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'it is empty'],
  [/\0/, 'it contains a NUL character'],
  [/^[a-z]:[\\/]/i, 'it names a drive'],
  [/\\/, 'folders are separated by `/`, not by a backslash'],
  [/^\//, 'it must be relative to the vault'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'it may not lead upwards with `..`'],
];

/** Why `path` is not allowed as a path in the vault, or undefined if it is. */
function pathRefusal(path: string): string | undefined {
  if (!path.isWellFormed()) return 'it contains a lone surrogate';
  return REFUSALS.find(([pattern]) => pattern.test(path))?.[1];
}
