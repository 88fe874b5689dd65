// The vault's nouns: paths, files, and what a note's Markdown holds.

declare const notePath: unique symbol;
/** Vault-relative, `/` between segments, NFC, with extension, never absolute and never with `..`. */
export type NotePath = string & { readonly [notePath]: true };

/** What a folder of notes is made for. `markdown` and `text` are folders of no system, read as Obsidian reads a note. */
export const DIALECTS = [
  'obsidian',
  'markdown',
  'text',
  'hugo',
  'jekyll',
  'mkdocs',
  'docusaurus',
  'quarto',
  'logseq',
  'zettelkasten',
  'dendron',
  'wiki',
  'roam',
] as const;

export type Dialect = (typeof DIALECTS)[number];

let dialectHere: () => Dialect = () => 'obsidian';

/** Obsidian's rules where no vault of another system is open. */
export const currentDialect = (): Dialect => dialectHere();

/** For `threads/dialect.ts` alone: what runs in a browser has no threads, and no vault of another system. */
export function setDialectSource(source: () => Dialect): void {
  dialectHere = source;
}

/** `note` .md, and what else `noteExtensions` names · `canvas` .canvas · `base` .base · `attachment` every other file that a link can name. */
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
  /** The property that holds it, `name`, `name.0` or `name.0.sub`, or the inline field; of other links undefined. */
  readonly key?: string;
}

export interface Heading extends Position {
  readonly text: string;
  readonly level: number;
  /** The last line of its section; absent where the next heading of its level ends it, as in every note. */
  readonly endLine?: number;
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

/** The types of the Tasks plugin. */
export type TaskType = 'open' | 'in_progress' | 'on_hold' | 'done' | 'cancelled' | 'non_task';

/** What the settings of the Tasks plugin say of a mark. */
export interface MarkType {
  readonly type: TaskType;
  /** The mark that a task gets when it is ticked. */
  readonly next?: string;
}

export type MarkTypes = Readonly<Record<string, MarkType>>;

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

/** `key:: value` in the text of a note, as the Dataview plugin reads it. */
export interface InlineField {
  readonly name: string;
  readonly value: PropertyValue;
  readonly line: number;
}

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
  /** Only if there are any. */
  readonly fields?: readonly InlineField[];
}

/**
 * The version of the parser. Raise it with every change that makes the parser read some text differently: all notes are then parsed
 * again. Beside the note, so that the thread that writes the index loads no parser.
 */
export const PARSER_RULES = 30;

/** More than any version. */
const RULES_OF_ONE_DIALECT = 10_000;

/** The version of the rules by which the vault at hand is parsed: other ones for each system. */
export const parserRules = (): number => PARSER_RULES + RULES_OF_ONE_DIALECT * DIALECTS.indexOf(currentDialect());

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

const OBSIDIAN_NOTES: readonly string[] = ['md'];
const MARKDOWN_NOTES: readonly string[] = ['md', 'markdown', 'mdx', 'qmd', 'rmd', 'mdown', 'mkd'];
const TEXT_NOTES: readonly string[] = [...MARKDOWN_NOTES, 'txt'];
const WITH_TEXTS: readonly Dialect[] = ['text', 'zettelkasten'];

/** The extensions of the notes of the vault at hand, in lower case, first those of Obsidian. */
function noteExtensions(): readonly string[] {
  const dialect = currentDialect();
  if (dialect === 'obsidian') return OBSIDIAN_NOTES;
  return WITH_TEXTS.includes(dialect) ? TEXT_NOTES : MARKDOWN_NOTES;
}

/** The name with the extension of each kind of note. */
export const asNoteFiles = (name: string): readonly string[] =>
  noteExtensions().map((extension) => `${name}.${extension}`);

export function fileKindOf(path: string): FileKind {
  const extension = extensionOf(path).toLowerCase();
  if (extension === 'canvas' || extension === 'base') return extension;
  return noteExtensions().includes(extension) ? 'note' : 'attachment';
}

/** A path or name, without the extension of a note if it has one. */
export function withoutNoteExtension(path: string): string {
  return fileKindOf(path) === 'note' ? path.slice(0, path.lastIndexOf('.')) : path;
}

/** Whether the file has prose: bases and attachments are neither compared nor embedded. */
export const isNoteOrCanvas = (path: string): boolean => ['note', 'canvas'].includes(fileKindOf(path));

/** An attachment whose text may be indexed. */
export function isPdf(path: string): boolean {
  return extensionOf(path).toLowerCase() === 'pdf';
}

/** The file's name without its folder and, for notes, without its extension. */
export function noteName(path: string): string {
  return withoutNoteExtension(path.slice(path.lastIndexOf('/') + 1));
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
