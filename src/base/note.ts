// The vault's nouns: paths, files, and what a note's Markdown holds.

declare const notePath: unique symbol;
/** Vault-relative, `/` between segments, NFC, with extension, never absolute and never with `..`. */
export type NotePath = string & { readonly [notePath]: true };

/** `note` .md · `canvas` .canvas · `base` .base · `attachment` every other file that a link can name. */
export type FileKind = 'note' | 'canvas' | 'base' | 'attachment';

/** `line` and `column` count from 1, `offset` from 0; columns and offsets in UTF-16 units of the decoded file, a BOM left out. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export type LinkKind = 'wikilink' | 'embed' | 'markdown' | 'reference' | 'property' | 'canvas';

export interface Link extends Position {
  readonly kind: LinkKind;
  /** The target as written, percent-decoded where Markdown encodes it, before any `|`, subpath included. */
  readonly link: string;
  readonly display: string;
  /** Offset just after the last character of the link. */
  readonly end: number;
  /** The property that holds it, `name`, `name.0` or `name.0.sub`; property links only. */
  readonly key?: string;
}

export interface Heading extends Position {
  readonly text: string;
  readonly level: number;
}

/** What `^id` names: the lines from `line` to `endLine`, both included. */
export interface Block {
  readonly id: string;
  readonly line: number;
  readonly endLine: number;
}

/** A list item with a checkbox. */
export interface Task {
  readonly line: number;
  /** The character in the box: a space, `x` or any other. */
  readonly mark: string;
  /** Its first line after the box, as written. */
  readonly text: string;
  /** The days that its text names, such as `2026-11-20`. */
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
}

export interface Tag extends Position {
  /** With its `#`, spelled as written. */
  readonly tag: string;
  readonly from: 'properties' | 'body';
}

export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | readonly PropertyValue[]
  | { readonly [name: string]: PropertyValue };

export type Properties = Readonly<Record<string, PropertyValue>>;

/** The encoding of a file's bytes. `utf-16` is decoded but not indexed; `invalid` is read as UTF-8 as far as possible. */
export type Encoding = 'utf-8' | 'utf-16' | 'invalid';

/** Why front matter has no properties, and where in the file. */
export interface PropertiesFault {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** Everything that the index stores of a note's text. Lists are in document order. */
export interface ParsedNote {
  /** Empty without front matter, or if it does not parse (then `propertiesFault` says why). */
  readonly properties: Properties;
  readonly propertiesFault?: PropertiesFault;
  /** One line each on what was read otherwise than its writer may expect, such as `tags: a, b`. */
  readonly notices: readonly string[];
  readonly aliases: readonly string[];
  readonly tags: readonly Tag[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
  readonly tasks: readonly Task[];
  /** Offset at which the text after the front matter begins. */
  readonly bodyOffset: number;
}

/**
 * The version of the parser. Raise it with every change that makes the parser read some text differently: all notes are then parsed
 * again. Beside the note, so that the thread that writes the index loads no parser.
 */
export const PARSER_RULES = 10;

/** What a file holds that has no text of its own to read. */
export const EMPTY_NOTE: ParsedNote = Object.freeze({
  properties: {},
  notices: [],
  aliases: [],
  tags: [],
  headings: [],
  blocks: [],
  links: [],
  tasks: [],
  bodyOffset: 0,
});

/** How a link or a note reference found its note. `ambiguous`: several fit equally, the first was taken and the rest are named. */
export type Match = 'exact' | 'case' | 'alias' | 'title' | 'ambiguous';

/** Without its dot, as written; empty without one. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1) : '';
}

const KINDS: Readonly<Record<string, FileKind>> = { md: 'note', canvas: 'canvas', base: 'base' };

export function fileKindOf(path: string): FileKind {
  const extension = extensionOf(path).toLowerCase();
  return Object.hasOwn(KINDS, extension) ? (KINDS[extension] as FileKind) : 'attachment';
}

/** Whether the file has prose: bases and attachments are neither compared nor embedded. */
export const isNoteOrCanvas = (path: string): boolean => ['note', 'canvas'].includes(fileKindOf(path));

/** An attachment whose text may be indexed. */
export function isPdf(path: string): boolean {
  return extensionOf(path).toLowerCase() === 'pdf';
}

/** The file's name without its folder and, for notes, without `.md`. */
export function noteName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return fileKindOf(path) === 'note' ? name.slice(0, -'.md'.length) : name;
}

/** The folders that contain the path, outer ones first: `a` and `a/b` for `a/b/c.md`. */
export function foldersAbove(path: string): readonly string[] {
  const folders = path.split('/').slice(0, -1);
  return folders.map((_, at) => folders.slice(0, at + 1).join('/'));
}

/** Changes of the properties of a note. */
export interface PropertyChanges {
  /**
   * A name matches the property with the same name, else one that differs only in case. Null writes the property
   * without a value.
   */
  readonly set?: Properties | undefined;
  readonly remove?: readonly string[] | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
  readonly addAliases?: readonly string[] | undefined;
  readonly removeAliases?: readonly string[] | undefined;
}
