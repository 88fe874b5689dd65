// Resolves a reference such as a path, name, alias or title to a note.
import * as z from 'zod';
import { type Choice, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { EMPTY_NOTE, fileKindOf, type Match, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NameCandidate } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { locatePart } from '../../markdown/links/locate-part.ts';
import { parseReference, type ReferencePart } from '../../markdown/links/reference.ts';
import type { LineSpan } from '../../markdown/links/section.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import { namesPeriod, periodicNote } from '../periods/periodic-note.ts';
import { noSuchFolder, otherThanNote } from './file-names.ts';
import { nameIndex } from './name-index.ts';
import { type OutlineContext, readContent, shownFile } from './note-content.ts';

/** An argument that names one note. */
export const noteArgument = z.string().min(1).describe('path or name');

const WHOLE: ReferencePart = { kind: 'whole' };
const MAX_CHOICES = 10;
const MAX_SUGGESTIONS = 5;

export interface LocatedNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly part: ReferencePart;
  /** False for a note in the vault that is not indexed yet. */
  readonly indexed: boolean;
}

/** The codes of `locateNote`. */
export const REFERENCE_FAILURES = [
  'NOTE_NOT_FOUND',
  'NOTE_AMBIGUOUS',
  'PATH_NOT_ALLOWED',
  'VAULT_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** The codes of `resolveNote`. */
export const RESOLVE_FAILURES = [
  ...REFERENCE_FAILURES,
  'NOTE_PART_NOT_FOUND',
  'NOTE_PART_AMBIGUOUS',
  'FILE_UNREADABLE',
  'LIMIT_EXCEEDED',
] as const satisfies readonly ErrorCode[];

export interface ResolvedNote extends LocatedNote {
  /** The lines of a part; absent for a whole note. */
  readonly lines?: LineSpan;
}

/**
 * Finds an indexed note, and the part of it that the reference names.
 * @param argument the tool argument with the reference, named in the choices of an ambiguous reference
 * @throws RESOLVE_FAILURES
 */
export async function resolveNote(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext & OutlineContext,
): Promise<ResolvedNote> {
  const located = await locateNote(reference, argument, sources, context);
  const { path, part, indexed } = located;
  if (!indexed) throw notIndexed(reference, path);
  if (part.kind === 'whole') return located;
  return { ...located, lines: await readPart(path, part, argument, sources.vault, context) };
}

function notIndexed(ref: string, path: NotePath): VaultgraphError {
  const details = { ref, suggestions: [], unresolved_link: false, is: 'not_indexed', path } as const;
  return new VaultgraphError('NOTE_NOT_FOUND', details, { retry: 'D' });
}

/**
 * Finds a note in the index by path, then name, alias and title, each first exactly and then ignoring case; `@today` and the like by
 * the path of the periodic note. A path also finds a note that is not indexed yet. The part is not looked up.
 * @throws REFERENCE_FAILURES
 */
export async function locateNote(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<LocatedNote> {
  const { located, path, name, part } = await findIndexed(reference, argument, sources, context);
  if (located !== undefined) return located;
  if (name.endsWith('/') || fileKindOf(path) === 'attachment') throw await noteNotFound(reference, sources, context);
  const { succeeded, failed } = await sources.vault.read([path], context.signal);
  for (const { error } of failed) if (error.code === 'PATH_NOT_ALLOWED') throw error;
  // It exists, whether or not the index knows it yet.
  if (failed.some(isNotDownloaded)) return { path, match: 'exact', part, indexed: false };
  if (succeeded.length === 0) throw await noteNotFound(reference, sources, context);
  return { path, match: 'exact', part, indexed: false };
}

function isNotDownloaded({ error: { code, details } }: { readonly error: VaultgraphError }): boolean {
  return code === 'FILE_UNREADABLE' && 'errno' in details && details.errno === 'EVICTED';
}

export interface IndexedReference {
  readonly located?: LocatedNote;
  /** The path of the note if the reference is a path; or of an attachment. */
  readonly path: NotePath;
  readonly name: string;
  readonly part: ReferencePart;
}

/**
 * Finds the note in the index only, and parses the reference.
 * @throws NOTE_AMBIGUOUS, PATH_NOT_ALLOWED, VAULT_UNAVAILABLE
 */
export async function findIndexed(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<IndexedReference> {
  const { store } = sources;
  const { name, part, whole, refused } = parseReference(reference);
  if (namesPeriod(name)) {
    const called = (await store.candidates(name, context.signal)).filter(isFileName);
    const candidate = bestCandidate(called, reference, argument, part);
    return candidate === undefined
      ? findPeriodicNote(name, part, sources, context)
      : { located: candidate, path: candidate.path, name, part };
  }
  const isPlain = part.kind === 'whole' && refused === undefined && whole === reference;
  const called = isPlain ? undefined : await findWhole(reference, argument, sources, context);
  if (called !== undefined) return called;
  if (refused !== undefined) throw notAllowed(reference, refused);
  const named = bestCandidate(await store.candidates(name, context.signal), reference, argument, part);
  const unparted = named !== undefined || whole === name ? [] : await store.candidates(whole, context.signal);
  const best = named ?? bestCandidate(unparted, reference, argument, WHOLE);
  return { ...(best === undefined ? {} : { located: best }), path: pathOf(name), name, part };
}

function notAllowed(path: string, rule: string): VaultgraphError {
  const instead = 'Write the note before the part: `Note#Heading`. A tag goes into `tags` of a search or list.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule, ...(path.trim().startsWith('#') ? { instead } : {}) });
}

/**
 * Finds the note whose path or file name is the whole reference, before any `#`, `:`, bracket or blank in it is given a meaning; or
 * the attachment at this path.
 * @throws NOTE_AMBIGUOUS
 */
async function findWhole(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<IndexedReference | undefined> {
  const { whole, part, refused } = parseReference(reference);
  for (const name of new Set([reference, whole])) {
    const candidates = await sources.store.candidates(name, context.signal);
    const files = candidates.filter(isFileName);
    const candidate = bestCandidate(files, reference, argument, WHOLE);
    if (candidate !== undefined) return { located: candidate, path: candidate.path, name, part: WHOLE };
  }
  if (part.kind === 'whole' && refused === undefined) return undefined;
  const [file] = await sources.store.notes([whole.normalize('NFC') as NotePath], context.signal);
  if (file !== undefined) return { path: file.path, name: whole, part: WHOLE };
  const path = pathOf(whole);
  const { succeeded } = await sources.vault.read([path], context.signal);
  return succeeded.length === 0 ? undefined : { path, name: whole, part: WHOLE };
}

const isFileName = ({ by, exact }: NameCandidate): boolean => exact && (by === 'path' || by === 'name');

/** Only the file at the path of the note counts, not other notes with the same name. */
async function findPeriodicNote(
  name: string,
  part: ReferencePart,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<IndexedReference> {
  const { path } = await periodicNote(name, sources, context, new Date());
  const indexed = (await sources.store.candidates(path, context.signal)).find((candidate) => candidate.by === 'path');
  if (indexed === undefined) return { path, name, part };
  return { located: { path: indexed.path, match: matchOf(indexed), part, indexed: true }, path, name, part };
}

/** Only the extension of notes may be left out. */
function pathOf(name: string): NotePath {
  const path = fileKindOf(name) === 'attachment' ? `${name}.md` : name;
  return path.normalize('NFC') as NotePath;
}

function bestCandidate(candidates: readonly NameCandidate[], reference: string, argument: string, part: ReferencePart) {
  const [first] = candidates;
  if (first === undefined) return undefined;
  const equals = candidates.filter(({ by, exact }) => by === first.by && exact === first.exact);
  if (equals.length > 1) throw ambiguous(equals, first.by, reference, argument, part);
  return { path: first.path, match: matchOf(first), part, indexed: true };
}

function matchOf({ by, exact }: NameCandidate): Match {
  if (by === 'alias' || by === 'title') return by;
  return exact ? 'exact' : 'case';
}

function ambiguous(
  equals: readonly NameCandidate[],
  kind: NameCandidate['by'],
  ref: string,
  retryWith: string,
  part: ReferencePart,
): VaultgraphError {
  const items = equals.slice(0, MAX_CHOICES).map(({ path }): Choice => ({ value: `${path}${partSuffix(part)}`, path }));
  const choices = { items, total: equals.length, retryWith };
  return new VaultgraphError('NOTE_AMBIGUOUS', { ref, ref_kind: kind }, { choices });
}

function partSuffix(part: ReferencePart): string {
  if (part.kind === 'whole') return '';
  return part.kind === 'subpath' ? part.subpath : `:${part.from}-${part.to}`;
}

/** The error for a reference that matches nothing: what else has the name, or similar names. */
export async function noteNotFound(
  reference: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<VaultgraphError<'NOTE_NOT_FOUND'>> {
  const { store } = sources;
  const { name, whole } = parseReference(reference);
  const nothing = { ref: name === '' ? whole : name, suggestions: [], unresolved_link: false };
  if (namesPeriod(name)) {
    const { path } = await periodicNote(name, sources, context, new Date());
    return new VaultgraphError('NOTE_NOT_FOUND', { ...nothing, is: 'day', path });
  }
  const notANote = (await otherThanNote(whole, store, context)) ?? (await otherThanNote(name, store, context));
  if (notANote !== undefined) return new VaultgraphError('NOTE_NOT_FOUND', { ...nothing, ref: whole, ...notANote });
  if (name.endsWith('/')) return noSuchFolder(name, store, context);
  const suggestions = (await nameIndex(store, context)).similarNotes(nothing.ref, MAX_SUGGESTIONS);
  const unresolved_link = (await store.unresolvedNamed(nothing.ref, context.signal)) > 0;
  return new VaultgraphError('NOTE_NOT_FOUND', { ...nothing, suggestions, unresolved_link });
}

// Finds the lines of the part of a note that a reference names in its current text.

/**
 * The lines of the part; all lines for the whole note.
 * @param lines the text whose lines references count, where it is known
 * @param argument the tool argument with the reference, named in the choices of an ambiguous part
 * @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS
 */
export async function partOfText(
  path: NotePath,
  text: string,
  part: ReferencePart,
  argument: string,
  context: OutlineContext,
  lines?: string,
): Promise<LineSpan> {
  const { compute, signal } = context;
  if (part.kind === 'subpath') return compute.run(jobs.locate, { path, text, part, argument }, signal);
  const lineCount = lineCountOf(lines ?? (await shownFile(path, text, 'lines', context)));
  return locatePart({ path, outline: EMPTY_NOTE, lineCount }, part, argument);
}

/** The same of the text on disk. @throws also FILE_UNREADABLE, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function readPart(
  path: NotePath,
  part: ReferencePart,
  argument: string,
  vault: Vault,
  context: OutlineContext,
): Promise<LineSpan> {
  const { text } = await readContent(path, vault, context.signal);
  return partOfText(path, text, part, argument, context);
}
