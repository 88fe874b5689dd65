// Finds the sentences that link the notes with others, and how the linked notes begin.
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { chunkNote } from '../../markdown/chunk/chunks.ts';
import { sentenceSpan, windowAround } from '../../markdown/excerpt/sentence.ts';
import { linkPlace } from '../links/sentences.ts';
import { readTexts } from '../notes/note-content.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import { type ContextNote, contextNote, hasOwnWords, type Piece, pieceOf, textOf } from './passages.ts';

/** Links per note and direction. */
const MAX_LINKS = 12;
/** Linked notes that are read. */
const MAX_NOTES = 40;
const MAX_SENTENCE_LENGTH = 400;
const OPENING_TOKENS = 80;
/** Links that are not in a sentence. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['property', 'canvas']);

export interface Neighborhood {
  /** First the sentences, those that link two of the notes before others; then how the linked notes begin. */
  readonly pieces: readonly Piece[];
  /** The number of links between notes, by note. */
  readonly links: ReadonlyMap<NotePath, number>;
}

/** @param about most important note first */
export async function neighborhoodOf(
  about: readonly ContextNote[],
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Neighborhood> {
  const known = new Map(about.map((note) => [note.path, note]));
  const links = new Map<NotePath, number>();
  const chosen: ResolvedLink[] = [];
  for (const { path } of about) {
    const out = (await store.links(path, 'out', EVERY_LINK, call.signal)).filter(isBetweenNotes);
    const incoming = (await store.links(path, 'in', EVERY_LINK, call.signal)).filter(isBetweenNotes);
    // A link between two of the notes counts once.
    links.set(path, out.length + incoming.filter(({ source }) => !known.has(source)).length);
    for (const list of [out, incoming]) chosen.push(...joiningFirst(list, known).slice(0, MAX_LINKS));
  }
  const others = [...new Set(chosen.flatMap(({ source, target }) => [source, target as NotePath]))];
  const wanted = others.filter((path) => !known.has(path)).slice(0, MAX_NOTES);
  for (const [path, text] of await readTexts(wanted, vault, call.signal)) {
    known.set(path as NotePath, contextNote(path as NotePath, noteName(path), text));
  }
  const sentences = joiningFirst([...new Set(chosen)], new Map(about.map((note) => [note.path, note])));
  const linking = sentences.flatMap((link) => linkPiece(link, known.get(link.source)));
  const informative = linking.filter((piece) => hasOwnWords(textOf(piece)));
  return { pieces: [...informative, ...openings(chosen, about, known)], links };
}

function isBetweenNotes({ source, target, kind }: ResolvedLink): boolean {
  if (target === null || target === source || NOT_WRITTEN.has(kind)) return false;
  return fileKindOf(source) === 'note' && fileKindOf(target) === 'note';
}

/** Stable sort: links between two of the notes come first. */
function joiningFirst(links: readonly ResolvedLink[], about: ReadonlyMap<NotePath, unknown>): ResolvedLink[] {
  const joins = ({ source, target }: ResolvedLink): boolean => about.has(source) && about.has(target as NotePath);
  return [...links.filter(joins), ...links.filter((link) => !joins(link))];
}

function linkPiece(link: ResolvedLink, source: ContextNote | undefined): Piece[] {
  const place = source === undefined ? undefined : linkPlace(link, source.text);
  if (source === undefined || place === undefined) return [];
  const sentence = sentenceSpan(source.text, place.offset, place.end);
  const window = windowAround(source.text, place.offset, place.end, MAX_SENTENCE_LENGTH);
  const span = [Math.max(sentence.from, window.from), Math.min(sentence.to, window.to)] as const;
  const piece = pieceOf(source, span, 'link', `links to ${link.target}`);
  return piece === undefined ? [] : [piece];
}

function openings(
  links: readonly ResolvedLink[],
  about: readonly ContextNote[],
  known: ReadonlyMap<NotePath, ContextNote>,
): Piece[] {
  const inside = new Set(about.map(({ path }) => path));
  const whys = new Map<NotePath, string>();
  for (const { source, target } of links) {
    if (!inside.has(target as NotePath)) whys.set(target as NotePath, `linked from ${source}`);
    else if (!inside.has(source) && !whys.has(source)) whys.set(source, `links to ${target}`);
  }
  return [...whys].flatMap(([path, why]) => {
    const note = known.get(path);
    const [first] = note === undefined ? [] : chunkNote('', note.text, OPENING_TOKENS);
    if (note === undefined || first === undefined) return [];
    const span = [note.lines.starts[first.lines[0] - 1] ?? 0, note.lines.ends[first.lines[1] - 1] ?? 0] as const;
    const piece = pieceOf(note, span, 'opening', why);
    return piece === undefined ? [] : [piece];
  });
}
