// Works out how the text of a base must change when files move, so that its expressions name the same files and folders.
import { contentHash } from '../base/content-hash.ts';
import type { NotePath } from '../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../markdown/edit/splice.ts';
import { splitLink } from '../markdown/links/fold.ts';
import type { BrokenLink, LinkingFile } from '../markdown/links/follow-links.ts';
import type { MovedFiles } from '../markdown/links/link-changes.ts';
import { hasExtension, type PathStyle, spellingsOf } from '../markdown/links/path-spelling.ts';
import { resolveLink } from '../markdown/links/resolve-link.ts';
import { decodeText, encoderLike } from '../markdown/parse/lines.ts';
import { readMapping, type ScalarText } from '../markdown/properties/yaml-mapping.ts';
import { type BaseDocument, expressionsOf, readBase, type WrittenExpression } from './base-document.ts';
import { BaseFault } from './base-fault.ts';
import { SyntaxFault, type Token, tokensOf } from './expression.ts';

/** The folder that moves, if one does. */
export interface MovedFolder {
  readonly from: string;
  readonly to: string;
}

/** The folder of that path, if all these files move with it; undefined if a single file moves. */
export function movedFolder(from: string, moved: ReadonlyMap<NotePath, NotePath>): MovedFolder | undefined {
  const [[path, to] = ['', '']] = moved;
  if (!path.startsWith(`${from}/`)) return undefined;
  return { from, to: to.slice(0, to.length - (path.length - from.length)) };
}

export interface FollowedBase {
  readonly file: LinkingFile;
  readonly broken: readonly BrokenLink[];
}

/** Undefined for a base that names no moved file or folder, and for a file that is not a valid base. */
export function followedBase(
  path: NotePath,
  bytes: Uint8Array,
  files: MovedFiles,
  folder: MovedFolder | undefined,
): FollowedBase | undefined {
  const { text, encoding } = decodeText(bytes);
  const references = encoding === 'utf-8' ? validReferences(text) : [];
  const renamed = references.flatMap((reference) => {
    const name = newName(reference, path, files, folder);
    return name === undefined ? [] : [{ reference, name }];
  });
  if (renamed.length === 0) return undefined;
  const { after, lines, failed } = rewritten(text, renamed);
  const broken = failed.map(({ written: { line }, token }) => {
    return { path, line, reason: `${JSON.stringify(token.value)} cannot be rewritten in this base` };
  });
  const file = { path, etag: contentHash(bytes) };
  if (after === text) return { file, broken };
  return { file: { ...file, changed: { before: text, after, bytes: encoderLike(bytes)(after), lines } }, broken };
}

function validReferences(text: string): readonly BaseReference[] {
  try {
    return referencesIn(readBase(text));
  } catch (thrown) {
    if (thrown instanceof BaseFault) return [];
    throw thrown;
  }
}

interface RenamedReference {
  readonly reference: BaseReference;
  /** Null if the file can no longer be named. */
  readonly name: string | null;
}

/** What the text of a reference must be after the move; undefined if it stays. */
function newName(
  { kind, token: { value } }: BaseReference,
  path: NotePath,
  files: MovedFiles,
  folder: MovedFolder | undefined,
): string | null | undefined {
  if (kind === 'folder') return newFolder(value, folder);
  if (kind === 'link') return newLink(value, path, files);
  const moved = files.pathAfter(value as NotePath);
  return moved === value ? undefined : moved;
}

function newFolder(value: string, folder: MovedFolder | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const [, start = '', name = '', end = ''] = /^(\/*)(.*?)(\/*)$/s.exec(value) ?? [];
  if (`${name}/`.startsWith(`${folder.from}/`)) return `${start}${folder.to}${name.slice(folder.from.length)}${end}`;
  return undefined;
}

function newLink(value: string, path: NotePath, files: MovedFiles): string | null | undefined {
  const inner = value.startsWith('[[') ? (value.slice(2, -2).split('|')[0] ?? '') : value;
  const linkPath = splitLink(inner).path;
  if (linkPath === '' || linkPath.includes('://')) return undefined;
  const before = resolveLink(linkPath, path, files.before);
  if (before.path === null) return undefined;
  const [source, wanted] = [files.pathAfter(path), files.pathAfter(before.path)];
  const leads = (spelled: string): boolean => {
    const resolved = resolveLink(spelled, source, files.after);
    return resolved.path === wanted && (resolved.match !== 'ambiguous' || before.match === 'ambiguous');
  };
  if (leads(linkPath)) return undefined;
  const spelled = spellingsOf(wanted, source, styleOf(linkPath, before.path), linkPath).find(leads);
  return spelled === undefined ? null : value.replace(linkPath, () => spelled);
}

function styleOf(written: string, target: NotePath): PathStyle {
  const segments = written.split('/').length;
  const style = { extension: hasExtension(written, target), dotted: written.startsWith('./') };
  if (written.startsWith('/')) return { ...style, by: 'root', segments };
  if (/^\.\.?\//.test(written)) return { ...style, by: 'relative', segments };
  return { ...style, by: segments > 1 ? 'path' : 'name', segments: Number.POSITIVE_INFINITY };
}

/** All references are rewritten, or none if the base would then not read as meant. */
function rewritten(text: string, renamed: readonly RenamedReference[]) {
  const failed = renamed.filter(({ name }) => name === null).map(({ reference }) => reference);
  const named = renamed.flatMap(({ reference, name }) => (name === null ? [] : [{ reference, name }]));
  const after = replaced(text, named);
  if (after === undefined) return { after: text, lines: [], failed: renamed.map(({ reference }) => reference) };
  return { after, lines: named.map(({ reference }) => reference.written.line), failed };
}

interface NewName {
  readonly reference: BaseReference;
  readonly name: string;
}

/** Undefined if a reference cannot be replaced, or if any other value would change. */
function replaced(text: string, named: readonly NewName[]): string | undefined {
  const before = readMapping(text);
  if (before.fault !== undefined) return undefined;
  const splices = named.map(({ reference, name }) => spliceOf(text, before.texts, reference, name));
  if (!splices.every((splice) => splice !== undefined)) return undefined;
  const after = applySplices(text, sortSplices(splices));
  const now = readMapping(after);
  if (now.fault !== undefined || now.texts.size !== before.texts.size) return undefined;
  const byPlace = Map.groupBy(named, ({ reference }) => reference.written.place);
  const isMeant = [...before.texts].every(([place, { text: was }]) => {
    return now.texts.get(place)?.text === expressionAfter(was, byPlace.get(place) ?? []);
  });
  return isMeant ? after : undefined;
}

function expressionAfter(expression: string, named: readonly NewName[]): string {
  const splices = named.map(({ reference: { token }, name }) => {
    return { from: token.at + 1, to: token.to - 1, text: literal(name, expression.charAt(token.at)) };
  });
  return applySplices(expression, sortSplices(splices));
}

/** The text between the quotes of an expression. */
function literal(name: string, quote: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
}

/** The place of the token in the file is that of the same occurrence of its text. */
function spliceOf(
  text: string,
  texts: ReadonlyMap<string, ScalarText>,
  { written, token }: BaseReference,
  name: string,
): Splice | undefined {
  const scalar = texts.get(written.place);
  if (scalar === undefined) return undefined;
  const { text: expression, from, to, quote } = scalar;
  const nth = expression.slice(0, token.at + 1).split(token.raw).length - 1;
  const before = escaped(token.raw, quote);
  const at = occurrence(text.slice(from, to), before, nth);
  const inFile = escaped(literal(name, expression.charAt(token.at)), quote);
  return at === -1 ? undefined : { from: from + at, to: from + at + before.length, text: inFile };
}

function occurrence(source: string, text: string, nth: number): number {
  let at = source.indexOf(text);
  for (let count = 0; count < nth && at !== -1; count += 1) at = source.indexOf(text, at + text.length);
  return at;
}

function escaped(inner: string, quote: ScalarText['quote']): string {
  if (quote === "'") return inner.replaceAll("'", "''");
  return quote === '"' ? JSON.stringify(inner).slice(1, -1) : inner;
}

type TextToken = Extract<Token, { type: 'text' }>;

interface BaseReference {
  readonly written: WrittenExpression;
  /** In the text of the expression. */
  readonly token: TextToken;
  /** `link`: as in a link, resolved from the base · `path` and `folder`: from the root of the vault. */
  readonly kind: 'link' | 'path' | 'folder';
}

const LINK_FUNCTIONS: readonly string[] = ['link', 'file', 'image', 'hasLink', 'linksTo'];

/** `link("x")`, `file.hasLink("x")`, `"[[x]]"`, `file.inFolder("x")`, `file.folder == "x"` and `file.path == "x"`. */
function referencesIn(document: BaseDocument): readonly BaseReference[] {
  return expressionsOf(document).flatMap((written) => {
    const tokens = tokensIn(written.text);
    return tokens.flatMap((token, at) => {
      const kind = token.type === 'text' ? kindOf(token, tokens, at) : undefined;
      return kind === undefined ? [] : [{ written, token: token as TextToken, kind }];
    });
  });
}

/** None of a text that is not an expression: the view that uses it does not work before a move either. */
function tokensIn(text: string): readonly Token[] {
  try {
    return tokensOf(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) return [];
    throw thrown;
  }
}

function kindOf({ value }: TextToken, tokens: readonly Token[], at: number): BaseReference['kind'] | undefined {
  if (/^\[\[[^[\]]+\]\]$/.test(value)) return 'link';
  const [sign, name] = [wordAt(tokens, at - 1), wordAt(tokens, at - 2)];
  if (sign === '(' && name === 'inFolder') return 'folder';
  if (sign === '(') return LINK_FUNCTIONS.includes(name) ? 'link' : undefined;
  const isCompared = sign === '==' || sign === '!=';
  return isCompared && (name === 'folder' || name === 'path') && wordAt(tokens, at - 3) === '.' ? name : undefined;
}

function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.type === 'name' || token?.type === 'sign' ? token.value : '';
}
