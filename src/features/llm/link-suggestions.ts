// Turns the links that a model chose into checked edits of the note. Asks nobody.
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
  /** In the model's order, places that the note names first; one for each note and each place. */
  readonly suggestions: readonly SuggestedLink[];
  /** Those whose words the note's running text does not contain. */
  readonly invented: number;
  /** Those for which no spelling of the link leads to the note. */
  readonly unwritable: number;
}

/** Longer words make no link. */
const MAX_WORDS_LENGTH = 120;

interface Choice {
  readonly offer: Offer;
  /** Where the link may stand; the first that can be written is taken. */
  readonly places: readonly Mention[];
}

export function checkedLinks(
  answer: LinkAnswer,
  note: RequestedNote,
  { mentions, related }: Offers,
  files: CandidatesFor,
): CheckedLinks {
  const named = (answer.mentions ?? []).flatMap((number): Choice[] => {
    const offer = mentions[number - 1];
    return offer?.place === undefined ? [] : [{ offer, places: [offer.place] }];
  });
  const worded = (answer.related ?? []).flatMap(({ note: number, words }): Choice[] => {
    const offer = related[number - 1 - mentions.length];
    return offer === undefined ? [] : [{ offer, places: placesOf(words, note) }];
  });
  const suggestions: SuggestedLink[] = [];
  let [invented, unwritable] = [0, 0];
  for (const { offer, places } of [...named, ...worded]) {
    if (suggestions.some(({ path }) => path === offer.path)) continue;
    if (places.length === 0) invented += 1;
    const free = places.filter((place) => !suggestions.some((taken) => touches(place, taken)));
    const suggestion = firstWritable(offer, free, note, files);
    if (suggestion !== undefined) suggestions.push(suggestion);
    else if (free.length > 0) unwritable += 1;
  }
  return { suggestions, invented, unwritable };
}

/** In running text of the part that is meant, letter by letter. */
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
  /** What is put in place of the words. */
  readonly link: string;
  readonly edit: { readonly op: 'replace_text'; readonly target: string; readonly text: string; readonly count: 1 };
}

/** What a target grows by until no other place of the note has the same words. */
const STEP = 12;
const MIN_STYLE_LENGTH = { by: 'name', extension: false, dotted: false, segments: 1 } as const;

/**
 * Undefined where no spelling leads to the target, or what would stand there is not read as that one link: it is tried.
 * @param files of the vault, by their names
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

/** In a table a bar would end the cell. */
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

/** Of so many words round the place that they stand nowhere else in the note. */
function editAt(text: string, { from, to }: Place, link: string): WrittenLink['edit'] {
  let [start, end] = [from, to];
  while (!standsOnce(text, text.slice(start, end))) {
    start = wholeSign(text, Math.max(0, start - STEP), -1);
    end = wholeSign(text, Math.min(text.length, end + STEP), 1);
  }
  const target = text.slice(start, end);
  return { op: 'replace_text', target, text: text.slice(start, from) + link + text.slice(to, end), count: 1 };
}

function standsOnce(text: string, words: string): boolean {
  return text.indexOf(words, text.indexOf(words) + 1) === -1;
}

/** No half of a pair, and no half of a line end. */
function wholeSign(text: string, offset: number, step: 1 | -1): number {
  const isSplit = (text.codePointAt(offset - 1) ?? 0) > 0xffff || text.startsWith('\r\n', offset - 1);
  return offset > 0 && isSplit ? offset + step : offset;
}
