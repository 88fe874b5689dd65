// Finds the sentences that link the notes with others, and how the linked notes begin.
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { chunkSpans } from '../../markdown/chunk/chunks.ts';
import { hasMoreThanHeadings, hasOwnWords } from '../../markdown/chunk/rated-spans.ts';
import { sentenceSpan, windowAround } from '../../markdown/excerpt/sentence.ts';
import type { LinkPlace } from '../../markdown/links/moved-places.ts';
import { type BlockFindings, scanBlocks } from '../../markdown/parse/blocks.ts';
import { type Lines, lineIndexAt, splitLines } from '../../markdown/parse/lines.ts';
import { bodyStart } from '../../markdown/properties/front-matter.ts';
import { linksAt, targetsOf } from '../links/outgoing-links.ts';
import { fieldLine, linkPlaces, propertyNameOf } from '../links/sentences.ts';
import { isInFolder } from '../notes/file-names.ts';
import { readTexts } from '../notes/note-content.ts';
import { excludedNotes } from '../notes/vault-filter.ts';
import { type ContextNote, contextNote, type Opening, type Piece, pieceOf, textOf } from './passages.ts';

/** Links per note and direction. */
const MAX_LINKS = 12;
/** Linked notes that are read. */
const MAX_NOTES = 40;
const MAX_SENTENCE_LENGTH = 400;
const OPENING_TOKENS = 80;
/** So much of the body is cut into passages first, then so many times more; a line may be as long as a book. */
const OPENING_CHARS = 2_000;
const OPENING_GROWTH = 7;
/** More than the longest front matter. */
const MAX_OPENING_CHARS = 100_000;
export type Neighborhood = Awaited<ReturnType<typeof neighborhoodOf>>;

/**
 * `sentences`: those that link two of the notes before others. `openings`: how the linked notes begin.
 * `links`: the number of links between notes, by note.
 * @param about most important note first
 * @param exceptFolders their notes are left out, unless they are in `about`, as are those that Obsidian's settings exclude
 */
export async function neighborhoodOf(
  about: readonly ContextNote[],
  exceptFolders: readonly string[] | undefined,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
) {
  const notes = new Map(about.map((note) => [note.path, note]));
  const links = new Map<NotePath, number>();
  const chosen: ResolvedLink[] = [];
  const excluded = await excludedNotes(store, call);
  const isLeftOut = (path: NotePath): boolean =>
    excluded.has(path) || exceptFolders?.some((folder) => isInFolder(path, folder)) === true;
  const counts = (path: NotePath | null): path is NotePath =>
    path !== null && fileKindOf(path) === 'note' && (notes.has(path) || !isLeftOut(path));
  for (const { path } of about) {
    if (fileKindOf(path) !== 'note') continue;
    const end = { path, about: notes, counts };
    const [out, incoming] = [await linksFrom(end, store, call.signal), await linksTo(end, store, call.signal)];
    links.set(path, out.total + incoming.total);
    for (const list of [out.first, incoming.first]) chosen.push(...joiningFirst(list, notes).slice(0, MAX_LINKS));
  }
  const others = [...new Set(chosen.flatMap(({ source, target }) => [source, target as NotePath]))];
  const paths = others.filter((path) => !notes.has(path)).slice(0, MAX_NOTES);
  for (const [path, text] of await readTexts(paths, vault, call, 'written')) {
    notes.set(path as NotePath, contextNote(path as NotePath, noteName(path), text));
  }
  const sentences = joiningFirst([...new Set(chosen)], new Map(about.map((note) => [note.path, note])));
  const places = await linkPlaces(sentences, (path) => notes.get(path)?.text, call);
  const linking = sentences.flatMap((link) => {
    const pieces = linkPiece(link, places.get(link), notes.get(link.source));
    // What a link in a property says is the name of the property.
    return link.key === undefined ? pieces.filter((piece) => hasOwnWords(textOf(piece))) : pieces;
  });
  return { sentences: linking, openings: openings(chosen, about, notes), links };
}

/** One of the notes, all of them, and which notes may be at the other end of a link. */
interface LinkEnd {
  readonly path: NotePath;
  readonly about: ReadonlyMap<NotePath, unknown>;
  readonly counts: (path: NotePath | null) => path is NotePath;
}

/** How many links lead to other notes, and those that come first. Only these are read: a note can have a million. */
async function linksFrom({ path, about, counts }: LinkEnd, store: Store, signal: AbortSignal) {
  const [joining, others]: [number[], number[]] = [[], []];
  let total = 0;
  let ordinal = 0;
  for await (const targets of targetsOf(path, store, signal)) {
    for (const target of targets) {
      if (target !== path && counts(target)) {
        const list = about.has(target) ? joining : others;
        if (list.length < MAX_LINKS) list.push(ordinal);
        total += 1;
      }
      ordinal += 1;
    }
  }
  const ordinals = [...joining, ...others].slice(0, MAX_LINKS).sort((one, other) => one - other);
  return { total, first: await linksAt(path, ordinals, store, signal) };
}

/** A few more links than are shown are read at once; of many, only those of the notes that come first. */
const MAX_INCOMING = 200;

/** Does what `linksFrom` does for links from other notes. A link between two of the notes is counted only by `linksFrom`. */
async function linksTo({ path, about, counts }: LinkEnd, store: Store, signal: AbortSignal) {
  const linking = await store.linkingNotes(path, signal);
  const sources = linking.filter((note) => note.path !== path && counts(note.path));
  const total = sources.reduce((sum, note) => (about.has(note.path) ? sum : sum + note.links), 0);
  if (linking.reduce((sum, note) => sum + note.links, 0) <= MAX_INCOMING) {
    const page = await store.links(path, 'in', { limit: MAX_INCOMING, offset: 0 }, signal);
    return { total, first: page.filter(({ source }) => source !== path && counts(source)) };
  }
  const byRank = [
    ...sources.filter((note) => about.has(note.path)),
    ...sources.filter((note) => !about.has(note.path)),
  ];
  const pairs = byRank.slice(0, MAX_LINKS).map((note) => ({ source: note.path, target: path }));
  return { total, first: await store.linksBetween(pairs, MAX_LINKS, signal) };
}

/** Stable sort: links between two of the notes come first. */
function joiningFirst(links: readonly ResolvedLink[], about: ReadonlyMap<NotePath, unknown>): ResolvedLink[] {
  const joins = ({ source, target }: ResolvedLink): boolean => about.has(source) && about.has(target as NotePath);
  return [...links.filter(joins), ...links.filter((link) => !joins(link))];
}

function linkPiece(link: ResolvedLink, place: LinkPlace | undefined, source: ContextNote | undefined): Piece[] {
  if (source === undefined || place === undefined) return [];
  const sentence = fieldLine(link, place, source.text) ?? sentenceSpan(source.text, place.offset, place.end);
  const window = windowAround(source.text, place.offset, place.end, MAX_SENTENCE_LENGTH);
  const span = [Math.max(sentence.from, window.from), Math.min(sentence.to, window.to)] as const;
  const property = link.key === undefined ? undefined : propertyNameOf(link.key);
  const why = `links to ${link.target}`;
  const piece = pieceOf(source, span, 'link', property === undefined ? why : `${why} as ${property}`);
  return piece === undefined ? [] : [piece];
}

function openings(
  links: readonly ResolvedLink[],
  about: readonly ContextNote[],
  notes: ReadonlyMap<NotePath, ContextNote>,
): Opening[] {
  const inside = new Set(about.map(({ path }) => path));
  const whys = new Map<NotePath, string>();
  for (const { source, target } of links) {
    if (!inside.has(target as NotePath)) whys.set(target as NotePath, `linked from ${source}`);
    else if (!inside.has(source) && !whys.has(source)) whys.set(source, `links to ${target}`);
  }
  return [...whys].flatMap(([path, why]) => {
    const note = notes.get(path);
    return note === undefined ? [] : [openingWhenAsked(note, why)];
  });
}

/** It is asked for as often as the budget is filled. */
function openingWhenAsked(note: ContextNote, why: string): Opening {
  let found: { readonly piece: Piece | undefined } | undefined;
  const piece = (): Piece | undefined => {
    found ??= { piece: openingOf(note, why) };
    return found.piece;
  };
  return { path: note.path, why, piece };
}

/** The first passage with more than headings, of a text that does not end near it. */
function openingOf(note: ContextNote, why: string): Piece | undefined {
  const text = note.text.slice(0, MAX_OPENING_CHARS);
  const lines = splitLines(text);
  const { bodyLine, bodyOffset } = bodyStart(text, lines);
  const { comments } = scanBlocks(text, lines, bodyLine);
  for (let length = OPENING_CHARS; ; length *= OPENING_GROWTH) {
    const end = afterComment(lines, comments, bodyOffset + length);
    const piece = firstPassage(note, text.slice(0, end), why);
    if (end >= text.length || (piece !== undefined && piece.to <= end - OPENING_CHARS / 2)) return piece;
  }
}

function firstPassage(note: ContextNote, text: string, why: string): Piece | undefined {
  for (const span of chunkSpans('', text, OPENING_TOKENS)) {
    const piece = pieceOf(note, span, 'opening', why);
    if (piece !== undefined && hasMoreThanHeadings(textOf(piece))) return piece;
  }
  return undefined;
}

/** The place itself, or the end of the comment that it is in: half a comment is no comment. */
function afterComment(lines: Lines, comments: BlockFindings['comments'], at: number): number {
  const line = lineIndexAt(lines, at) + 1;
  const around = comments.find((comment) => comment.line <= line && line <= comment.endLine);
  return around === undefined ? at : Math.max(at, lines.ends[around.endLine - 1] ?? at);
}
