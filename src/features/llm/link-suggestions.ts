// Turns the links that a model chose into checked edits of the note.
import type { NotePath } from '../../base/note.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import { spellingsOf } from '../../markdown/links/path-spelling.ts';
import { type CandidatesFor, resolveLink } from '../../markdown/links/resolve-link.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';
import { type Mention, mentionsIn } from '../links/mentions.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import type { FoundBy } from './link-candidates.ts';
import { type LinkAnswer, MAX_SENTENCE_LENGTH, type Offer, type Offers } from './offered-links.ts';

export interface SuggestedLink extends WrittenLink {
  /** The note to link to. */
  readonly path: string;
  readonly title: string;
  readonly found_by: readonly FoundBy[];
  /** The position of the words that become the link. */
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly text: string;
  readonly sentence: string;
}

export interface CheckedLinks {
  /** In the model's order, mentions first; at most one for each note and each place. */
  readonly suggestions: readonly SuggestedLink[];
  /** The number of links whose words are not in the note's running text. */
  readonly invented: number;
  /** The number of links for which no spelling leads to the note. */
  readonly unwritable: number;
}

/** A longer text is not made a link. */
const MAX_WORDS_LENGTH = 120;

interface Choice {
  readonly offer: Offer;
  /** Possible places of the link; the first one that can be written is used. */
  readonly places: readonly Mention[];
}

export function checkedLinks(
  answer: LinkAnswer,
  note: RequestedNote,
  { mentions, related }: Offers,
  files: CandidatesFor,
): CheckedLinks {
  const fromMentions = (answer.mentions ?? []).flatMap((number): Choice[] => {
    const offer = mentions[number - 1];
    return offer?.place === undefined ? [] : [{ offer, places: [offer.place] }];
  });
  const fromRelated = (answer.related ?? []).flatMap(({ note: number, words }): Choice[] => {
    const offer = related[number - 1 - mentions.length];
    return offer === undefined ? [] : [{ offer, places: placesOf(words, note) }];
  });
  const suggestions: SuggestedLink[] = [];
  let [invented, unwritable] = [0, 0];
  for (const { offer, places } of [...fromMentions, ...fromRelated]) {
    if (suggestions.some(({ path }) => path === offer.path)) continue;
    if (places.length === 0) invented += 1;
    const free = places.filter((place) => !suggestions.some((taken) => touches(place, taken)));
    const suggestion = firstWritable(offer, free, note, files);
    if (suggestion !== undefined) suggestions.push(suggestion);
    else if (free.length > 0) unwritable += 1;
  }
  return { suggestions, invented, unwritable };
}

/** The exact occurrences in running text of the requested part. */
function placesOf(words: string, { text, from, to }: RequestedNote): readonly Mention[] {
  const wanted = words.trim().replace(/\s+/g, ' ');
  if (!/[\p{L}\p{N}]/u.test(wanted) || wanted.length > MAX_WORDS_LENGTH) return [];
  const places = mentionsIn(text.slice(0, to), [wanted]);
  return places.filter((place) => place.offset >= from && place.text === wanted);
}

function firstWritable(
  { path, title, by }: Offer,
  places: readonly Mention[],
  note: RequestedNote,
  files: CandidatesFor,
): SuggestedLink | undefined {
  for (const { line, column, offset, end, text } of places) {
    const written = linkAt(note.path, note.text, { from: offset, to: end }, path, files);
    if (written === undefined) continue;
    const sentence = sentenceAround(note.text, offset, end, MAX_SENTENCE_LENGTH);
    return { path, title, found_by: by, line, column, offset, text, sentence, ...written };
  }
  return undefined;
}

function touches({ offset, end }: Mention, taken: SuggestedLink): boolean {
  return offset < taken.offset + taken.text.length && end > taken.offset;
}

/** Offsets in the text. */
interface Place {
  readonly from: number;
  readonly to: number;
}

interface WrittenLink {
  /** The text that replaces the words. */
  readonly link: string;
  readonly edit: { readonly op: 'replace_text'; readonly target: string; readonly text: string; readonly count: 1 };
}

/** The number of characters by which a target grows at both ends until it occurs only once. */
const STEP = 12;
const MIN_STYLE_LENGTH = { by: 'name', extension: false, dotted: false, segments: 1 } as const;

/**
 * Undefined if no spelling leads to the target, or if the new text would not be parsed as exactly that link.
 * @param files finds files of the vault by name
 */
export function linkAt(
  source: NotePath,
  text: string,
  place: Place,
  target: NotePath,
  files: CandidatesFor,
): WrittenLink | undefined {
  const words = text.slice(place.from, place.to);
  const spelling = spellingsOf(target, source, MIN_STYLE_LENGTH, '').find((path) => {
    const found = resolveLink(path, source, files);
    return found.path === target && found.match !== 'ambiguous';
  });
  if (spelling === undefined) return undefined;
  const forms = spelling === words ? [`[[${words}]]`] : [`[[${spelling}|${words}]]`, `[[${spelling}\\|${words}]]`];
  const link = formsFor(text, place, forms).find((form) => isReadAs(form, spelling, text, place));
  return link === undefined ? undefined : { link, edit: editAt(text, place, link) };
}

/** In a table the escaped form comes first, since a bar would end the cell. */
function formsFor(text: string, { from }: Place, forms: readonly string[]): readonly string[] {
  const start = Math.max(text.lastIndexOf('\n', from - 1), text.lastIndexOf('\r', from - 1)) + 1;
  const end = text.slice(from).search(/[\r\n]|$/) + from;
  return text.slice(start, end).includes('|') ? forms.toReversed() : forms;
}

function isReadAs(form: string, spelling: string, text: string, { from, to }: Place): boolean {
  const before = parseNote(text);
  const after = parseNote(text.slice(0, from) + form + text.slice(to));
  const link = after.links.find(({ offset, end }) => offset === from && end === from + form.length);
  const isWhole = link?.link === spelling && link.display === text.slice(from, to);
  return isWhole && after.links.length === before.links.length + 1 && after.tags.length === before.tags.length;
}

/** Extends the target until it occurs only once in the note. */
function editAt(text: string, { from, to }: Place, link: string): WrittenLink['edit'] {
  let [start, end] = [from, to];
  while (!occursOnce(text, text.slice(start, end))) {
    start = characterBoundary(text, Math.max(0, start - STEP), -1);
    end = characterBoundary(text, Math.min(text.length, end + STEP), 1);
  }
  const target = text.slice(start, end);
  return { op: 'replace_text', target, text: text.slice(start, from) + link + text.slice(to, end), count: 1 };
}

function occursOnce(text: string, words: string): boolean {
  return text.indexOf(words, text.indexOf(words) + 1) === -1;
}

/** Moves an offset out of the middle of a surrogate pair or a CRLF. */
function characterBoundary(text: string, offset: number, step: 1 | -1): number {
  const isSplit = (text.codePointAt(offset - 1) ?? 0) > 0xffff || text.startsWith('\r\n', offset - 1);
  return offset > 0 && isSplit ? offset + step : offset;
}
