// A note as it is compared with others by its words: title and text without links, in parts.
import type { NotePath } from '../../base/note.ts';
import { isEmptyWord } from '../../markdown/excerpt/stop-words.ts';
import { type Counts, countTerms, formParts, formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { bodyStart } from '../../markdown/frontmatter/front-matter.ts';
import { withoutLinks } from '../../markdown/links/without-links.ts';
import { splitLines } from '../../markdown/parse/lines.ts';

/** Words of a part, its title apart: about a paragraph or two. */
const PART = 100;
/** Characters of a note that are compared: of a book the beginning, so that a hundred books cost no more than a call may. */
const MAX_CHARACTERS = 40_000;

export interface ComparedNote {
  readonly path: NotePath;
  readonly title: string;
  readonly text: string;
  /** The terms of its parts, each with those of the title. */
  readonly parts: readonly Counts[];
}

export function comparedNote(
  { path, title }: { readonly path: NotePath; readonly title: string },
  text: string,
  toTerm: ToTerm,
): ComparedNote {
  const named = formsOf(title);
  const parts = formParts(comparedText(text), PART).map((part) => countTerms([named, part], toTerm));
  return { path, title, text, parts };
}

export type ToTerm = (form: string) => string | undefined;

/** The term of a form that says something; each is looked at once, for most stand in many parts. */
export function createToTerm(): ToTerm {
  const known = new Map<string, string | undefined>();
  return (form) => {
    const kept = known.get(form);
    if (kept !== undefined || known.has(form)) return kept;
    const term = isEmptyWord(form) ? undefined : termOf(form);
    known.set(form, term);
    return term;
  };
}

/** The forms of words in the note's title, which counts twice, and in what is compared of its text. */
export function formsIn({ title, text }: Pick<ComparedNote, 'title' | 'text'>): Counts {
  return formsOf(`${title}\n${title}\n${comparedText(text)}`);
}

function comparedText(text: string): string {
  const { bodyOffset } = bodyStart(text, splitLines(text));
  return withoutLinks(text.slice(bodyOffset, bodyOffset + MAX_CHARACTERS));
}
