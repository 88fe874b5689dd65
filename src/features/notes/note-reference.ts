// Resolves a reference such as a path, name, alias or title to a note.
import { type Choice, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type Match, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NameCandidate } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { parseReference, type ReferencePart } from '../../markdown/links/reference.ts';
import { dailyNote, namesDay } from '../write/daily-note.ts';
import { nameIndex } from './name-index.ts';

const MAX_CHOICES = 10;
const MAX_SUGGESTIONS = 5;
/** More unresolved names than any vault has. */
const EVERY_NAME = { limit: 100_000, offset: 0 };

export interface LocatedNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly part: ReferencePart;
  /** False for a note in the vault that is not indexed yet. */
  readonly indexed: boolean;
}

/** The codes of `resolveNote` and `locateNote`. */
export const REFERENCE_FAILURES = [
  'NOTE_NOT_FOUND',
  'NOTE_AMBIGUOUS',
  'PATH_NOT_ALLOWED',
  'VAULT_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/**
 * Resolves by path, then name, alias and title, each first exactly and then ignoring case; `@today` and the like by the path of the daily note.
 * @param argument the tool argument with the reference, named in the choices of an ambiguous reference
 * @throws NOTE_NOT_FOUND, NOTE_AMBIGUOUS, PATH_NOT_ALLOWED, VAULT_UNAVAILABLE
 */
export async function resolveNote(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<LocatedNote> {
  const located = await locateNote(reference, argument, sources, context);
  if (!located.indexed) throw await noteNotFound(reference, sources, context);
  return located;
}

/** As `resolveNote`, but a path also finds a note that is not indexed yet. */
export async function locateNote(
  reference: string,
  argument: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<LocatedNote> {
  const { known, path, part } = await findIndexed(reference, argument, sources, context);
  if (known !== undefined) return known;
  const { succeeded, failed } = await sources.vault.read([path], context.signal);
  for (const { error } of failed) if (error.code === 'PATH_NOT_ALLOWED') throw error;
  if (succeeded.length === 0) throw await noteNotFound(reference, sources, context);
  return { path, match: 'exact', part, indexed: false };
}

export interface IndexedReference {
  readonly known?: LocatedNote;
  /** The path of the note if the reference is a path. */
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
  { store, vault }: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<IndexedReference> {
  const parsed = parseReference(reference);
  if ('refused' in parsed) throw new VaultgraphError('PATH_NOT_ALLOWED', { path: reference, rule: parsed.refused });
  const { name, part, whole } = parsed;
  if (namesDay(name)) return findDailyNote(name, part, { store, vault }, context.signal);
  const named = bestCandidate(await store.candidates(name, context.signal), reference, argument, part);
  const unparted = named !== undefined || whole === name ? [] : await store.candidates(whole, context.signal);
  const known = named ?? bestCandidate(unparted, reference, argument, { kind: 'whole' });
  return { ...(known === undefined ? {} : { known }), path: pathOf(name), name, part };
}

/** Only the file at the path of the daily note counts, not other notes with the same name. */
async function findDailyNote(
  name: string,
  part: ReferencePart,
  { store, vault }: Granted<'store' | 'vault'>,
  signal: AbortSignal,
): Promise<IndexedReference> {
  const { path } = await dailyNote(name, vault, signal, new Date());
  const known = (await store.candidates(path, signal)).find((candidate) => candidate.by === 'path');
  if (known === undefined) return { path, name, part };
  return { known: { path: known.path, match: matchOf(known), part, indexed: true }, path, name, part };
}

/** Only the extension of notes may be left out. */
function pathOf(name: string): NotePath {
  const path = fileKindOf(name) === 'attachment' ? `${name}.md` : name;
  return path.normalize('NFC') as NotePath;
}

function bestCandidate(
  candidates: readonly NameCandidate[],
  reference: string,
  argument: string,
  part: ReferencePart,
): LocatedNote | undefined {
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

/** The error for a reference that matches nothing, with similar names. */
export async function noteNotFound(
  reference: string,
  { store, vault }: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<VaultgraphError> {
  const parsed = parseReference(reference);
  const ref = 'refused' in parsed ? reference : parsed.name;
  if (namesDay(ref)) {
    const { path } = await dailyNote(ref, vault, context.signal, new Date());
    return new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions: [path], unresolved_link: false });
  }
  const suggestions = (await nameIndex(store, context)).similarNotes(ref, MAX_SUGGESTIONS);
  const { groups } = await store.unresolved({}, 0, EVERY_NAME, context.signal);
  const wanted = foldName(ref);
  const unresolved_link = groups.some((group) => foldName(group.name) === wanted);
  return new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions, unresolved_link });
}
