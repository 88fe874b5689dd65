// Parses a note reference of a tool argument into the note's name and the part of the note.
import { readWikilink, wikilinkClose } from '../parse/wikilink.ts';

export type ReferencePart =
  | { readonly kind: 'whole' }
  | { readonly kind: 'subpath'; readonly subpath: string }
  | { readonly kind: 'lines'; readonly from: number; readonly to: number };

export interface NoteReference {
  /** A path with or without `.md`, a name, an alias or a title. */
  readonly name: string;
  readonly part: ReferencePart;
  /** The whole reference, tried as a name if there is no note called `name`: titles can contain `#` and `:3`. */
  readonly whole: string;
}

export interface RefusedReference {
  /** Why the path is not allowed, for PATH_NOT_ALLOWED. */
  readonly refused: string;
}

/** Parses `Note`, `Note#Heading`, `Note#^block`, `Note:3-9` or `Note:3`, in `[[…]]` or not. */
export function parseReference(reference: string): NoteReference | RefusedReference {
  const whole = withoutBrackets(reference.trim());
  const { name, part } = splitReference(whole);
  const refused = pathRefusal(name);
  return refused === undefined ? { name, part, whole } : { refused };
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
