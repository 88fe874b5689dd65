// The notes whose words are most like those of a note, by TF-IDF over their present texts.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { TextTerm } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { type Similarity, similarities, topTerms } from '../../graph/relatedness.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import {
  type Counts,
  countTerms,
  formParts,
  formsOf,
  spellingsOf,
  termOf,
  withoutLinks,
} from '../../markdown/excerpt/terms.ts';
import { bodyStart } from '../../markdown/frontmatter/front-matter.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { readContent, readTexts } from '../notes/note-content.ts';

/** Notes whose texts are read and compared. */
const CANDIDATES = 100;
const NOTES_A_TURN = 10;
/** Words by which they are found. */
const LOOKED_FOR = 40;
/** Of a note that is a book the words that stand in it most often tell enough. */
const MAX_FORMS = 2_000;

export interface RelatedNote extends ComparedNote {
  readonly likeness: Similarity;
}

export interface RelatedResult {
  readonly asked: ComparedNote;
  /** Most alike first, ties by path; every one has a term in common with the asked note. */
  readonly related: readonly RelatedNote[];
}

/** @throws FILE_UNREADABLE, LIMIT_EXCEEDED, PATH_NOT_ALLOWED, VAULT_UNAVAILABLE */
export async function relatedNotes(
  path: NotePath,
  filter: NoteFilter,
  without: ReadonlySet<NotePath>,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<RelatedResult> {
  const [record] = await store.notes([path], call.signal);
  const { text } = await readContent(path, vault, call.signal);
  const toTerm = createToTerm();
  const asked = comparedNote({ path, title: record?.title ?? '' }, text, toTerm);
  const forms = commonest(formsIn(asked));
  const { indexed: size, holding: counts } = await store.wordCounts([...forms.keys()], call.signal);
  const collection = { size, docFrequency: docFrequencies([...forms.keys()], counts) };
  const terms = countTerms([forms], toTerm);
  const looked = topTerms(terms, collection, LOOKED_FOR).flatMap(spellingsOf).map(wordOf);
  if (looked.length === 0) return { asked, related: [] };
  const page = { limit: CANDIDATES + without.size + 1, offset: 0 };
  const { hits } = await store.searchText({ terms: looked, match: 'any' }, filter, page, call.signal);
  const others = hits.filter((hit) => hit.path !== path && !without.has(hit.path) && fileKindOf(hit.path) === 'note');
  const read = await readNotes(others.slice(0, CANDIDATES), toTerm, vault, call);
  const likely = similarities(
    keptIn(asked.parts, terms),
    read.map(({ parts }) => parts),
    collection,
  );
  const related = read.map((other, at) => ({ ...other, likeness: likely[at] as Similarity }));
  return { asked, related: related.filter(({ likeness }) => likeness.cosine > 0).sort(byLikeness) };
}

function byLikeness(one: RelatedNote, other: RelatedNote): number {
  return other.likeness.cosine - one.likeness.cosine || (one.path < other.path ? -1 : 1);
}

function keptIn(parts: readonly Counts[], terms: Counts): readonly Counts[] {
  return parts.map((part) => new Map([...part].filter(([term]) => terms.has(term))));
}

async function readNotes(
  hits: readonly { readonly path: NotePath; readonly title: string }[],
  toTerm: ToTerm,
  vault: Granted<'vault'>['vault'],
  call: CallContext,
): Promise<ComparedNote[]> {
  const texts = await readTexts(
    hits.map(({ path }) => path),
    vault,
    call.signal,
  );
  const count = hits.length - texts.size;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message: `${count} notes could not be read to compare`, count });
  const read: ComparedNote[] = [];
  for (const hit of hits) {
    const text = texts.get(hit.path);
    if (text !== undefined) read.push(comparedNote(hit, text, toTerm));
    if (read.length % NOTES_A_TURN === 0) await letOthersRun();
  }
  return read;
}

function commonest(forms: Counts): Counts {
  if (forms.size <= MAX_FORMS) return forms;
  const sorted = [...forms].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  return new Map(sorted.slice(0, MAX_FORMS));
}

/** A term stands in as many notes as that of its forms which stands in most. */
function docFrequencies(forms: readonly string[], counts: readonly number[]): Counts {
  const docFrequency = new Map<string, number>();
  for (const [at, form] of forms.entries()) {
    const term = termOf(form);
    docFrequency.set(term, Math.max(docFrequency.get(term) ?? 0, counts[at] ?? 0));
  }
  return docFrequency;
}

/** Characters of a script without blanks are several words to the index, and have to stand together. */
function wordOf(text: string): TextTerm {
  return { text, kind: 'phrase', negated: false };
}

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

function comparedNote(
  { path, title }: { readonly path: NotePath; readonly title: string },
  text: string,
  toTerm: ToTerm,
): ComparedNote {
  const named = formsOf(title);
  const parts = formParts(comparedText(text), PART).map((part) => countTerms([named, part], toTerm));
  return { path, title, text, parts };
}

type ToTerm = (form: string) => string | undefined;

/** The term of a form that says something; each is looked at once, for most stand in many parts. */
function createToTerm(): ToTerm {
  const known = new Map<string, string | undefined>();
  return (form) => {
    const kept = known.get(form);
    if (kept !== undefined || known.has(form)) return kept;
    const term = isStopWord(form) ? undefined : termOf(form);
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
