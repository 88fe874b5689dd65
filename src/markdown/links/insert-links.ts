// Turns words of a note into links, checked by parsing the changed text.
import { sentenceAround } from '../excerpt/sentence.ts';
import { parseNote } from '../parse/parse-note.ts';
import { hasTextFirst } from '../parse/wikilink.ts';
import { type Mention, mentionsIn } from './mentions.ts';

/** A note to link to. */
export interface LinkTarget {
  readonly path: string;
  /** The name by which a link reaches it; undefined if no link can. */
  readonly spelling: string | undefined;
  /** The words that become the link, at their place or wherever the text has them. */
  readonly words: Mention | string;
}

export interface LinksToInsert {
  readonly text: string;
  /** Offsets of the part whose words may become links. */
  readonly from: number;
  readonly to: number;
  readonly targets: readonly LinkTarget[];
  readonly maxSentence: number;
}

export interface InsertedLink extends WrittenLink {
  /** The index of the target. */
  readonly target: number;
  /** The position of the words that become the link. */
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly text: string;
  readonly sentence: string;
}

/** A longer text is not made a link. */
const MAX_WORDS_LENGTH = 120;

/**
 * `inserted`: in the given order; at most one for each path and each place.
 * `invented`: the number of targets whose words are not in the running text.
 * `unwritable`: the number of targets that no link leads to.
 */
export function insertLinks(note: LinksToInsert) {
  const inserted: InsertedLink[] = [];
  const paths = new Set<string>();
  let [invented, unwritable] = [0, 0];
  for (const [at, target] of note.targets.entries()) {
    if (paths.has(target.path)) continue;
    const places = placesOf(target.words, note);
    if (places.length === 0) invented += 1;
    const free = places.filter((place) => !inserted.some((taken) => touches(place, taken)));
    const link = firstWritable(at, target, free, note);
    if (link !== undefined) {
      inserted.push(link);
      paths.add(target.path);
    } else if (free.length > 0) unwritable += 1;
  }
  return { inserted, invented, unwritable };
}

/** The exact occurrences in running text of the part. */
function placesOf(words: Mention | string, { text, from, to }: LinksToInsert): readonly Mention[] {
  if (typeof words !== 'string') return [words];
  const spaced = words.trim().replace(/\s+/g, ' ');
  if (!/[\p{L}\p{N}]/u.test(spaced) || spaced.length > MAX_WORDS_LENGTH) return [];
  const places = mentionsIn(text.slice(0, to), [spaced]);
  return places.filter((place) => place.offset >= from && place.text === spaced);
}

function firstWritable(
  target: number,
  { spelling }: LinkTarget,
  places: readonly Mention[],
  { text: whole, maxSentence }: LinksToInsert,
): InsertedLink | undefined {
  if (spelling === undefined) return undefined;
  for (const { line, column, offset, end, text } of places) {
    const link = linkAt(whole, { from: offset, to: end }, spelling);
    if (link === undefined) continue;
    const sentence = sentenceAround(whole, offset, end, maxSentence);
    return { target, line, column, offset, text, sentence, ...link };
  }
  return undefined;
}

function touches({ offset, end }: Mention, taken: InsertedLink): boolean {
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

/** Undefined if the new text would not be parsed as exactly that link. @param spelling of the target, as the link has to name it */
export function linkAt(text: string, place: Place, spelling: string): WrittenLink | undefined {
  const words = text.slice(place.from, place.to);
  const [one, other] = hasTextFirst() ? [words, spelling] : [spelling, words];
  const forms = spelling === words ? [`[[${words}]]`] : [`[[${one}|${other}]]`, `[[${one}\\|${other}]]`];
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
  const after = parseNote(text.slice(0, from) + form + text.slice(to), before);
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
