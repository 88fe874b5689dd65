// A link written into a note in place of words that stand there, as an edit that can be made as it is. Writes nothing.
import type { NotePath } from '../../base/note.ts';
import { spellingsOf } from '../../markdown/links/path-spelling.ts';
import { type CandidatesFor, resolveLink } from '../../markdown/links/resolve-link.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';

/** Offsets in the text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface WrittenLink {
  /** What is put in place of the words. */
  readonly link: string;
  readonly edit: { readonly op: 'replace_text'; readonly target: string; readonly text: string; readonly count: 1 };
}

/** What a target grows by until no other place of the note has the same words. */
const STEP = 12;
const SHORTEST_STYLE = { by: 'name', extension: false, dotted: false, segments: 1 } as const;

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
  const spelling = spellingsOf(target, source, SHORTEST_STYLE, '').find((path) => {
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
