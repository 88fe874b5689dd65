// Finds notes with similar words by TF-IDF over their current texts.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
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
const MAX_CANDIDATES = 100;
const NOTES_PER_TURN = 10;
/** Words used to find candidates. */
const MAX_QUERY_WORDS = 40;
/** For very long notes the most frequent words are enough. */
const MAX_FORMS = 2_000;

export interface RelatedNote extends ComparedNote {
  readonly similarity: Similarity;
}

export interface RelatedResult {
  readonly note: ComparedNote;
  /** Most similar first, ties by path; each shares a term with the note. */
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
  const note = comparedNote({ path, title: record?.title ?? '' }, text, toTerm);
  const forms = mostFrequent(formsIn(note));
  const { indexed: size, docFrequencies: counts } = await store.wordCounts([...forms.keys()], call.signal);
  const collection = { size, docFrequency: docFrequencies([...forms.keys()], counts) };
  const terms = countTerms([forms], toTerm);
  const queryTerms = topTerms(terms, collection, MAX_QUERY_WORDS).flatMap(spellingsOf).map(wordOf);
  if (queryTerms.length === 0) return { note, related: [] };
  const page = { limit: MAX_CANDIDATES + without.size + 1, offset: 0 };
  const { hits } = await store.searchText({ terms: queryTerms, match: 'any' }, filter, page, call.signal);
  const others = hits.filter((hit) => hit.path !== path && !without.has(hit.path) && fileKindOf(hit.path) === 'note');
  const read = await readNotes(others.slice(0, MAX_CANDIDATES), toTerm, vault, call);
  const found = similarities(
    keptIn(note.parts, terms),
    read.map(({ parts }) => parts),
    collection,
  );
  const related = read.map((other, at) => ({ ...other, similarity: found[at] as Similarity }));
  return { note, related: related.filter(({ similarity }) => similarity.cosine > 0).sort(bySimilarity) };
}

function bySimilarity(one: RelatedNote, other: RelatedNote): number {
  return other.similarity.cosine - one.similarity.cosine || (one.path < other.path ? -1 : 1);
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
    if (read.length % NOTES_PER_TURN === 0) await yieldToOthers();
  }
  return read;
}

function mostFrequent(forms: Counts): Counts {
  if (forms.size <= MAX_FORMS) return forms;
  const sorted = [...forms].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  return new Map(sorted.slice(0, MAX_FORMS));
}

/** The document frequency of a term is that of its most frequent form. */
function docFrequencies(forms: readonly string[], counts: readonly number[]): Counts {
  const docFrequency = new Map<string, number>();
  for (const [at, form] of forms.entries()) {
    const term = termOf(form);
    docFrequency.set(term, Math.max(docFrequency.get(term) ?? 0, counts[at] ?? 0));
  }
  return docFrequency;
}

/** A phrase, because the index splits scripts without spaces into several words that must be adjacent. */
function wordOf(text: string): TextTerm {
  return { text, kind: 'phrase', negated: false };
}

/** Words per part without the title: one or two paragraphs. */
const PART_WORDS = 100;
/** Characters that are compared. Of very long notes only the beginning, so that 100 of them fit in the time of a call. */
const MAX_CHARACTERS = 40_000;

export interface ComparedNote {
  readonly path: NotePath;
  readonly title: string;
  readonly text: string;
  /** The terms of its parts; each part includes the terms of the title. */
  readonly parts: readonly Counts[];
}

function comparedNote(
  { path, title }: { readonly path: NotePath; readonly title: string },
  text: string,
  toTerm: ToTerm,
): ComparedNote {
  const named = formsOf(title);
  const parts = formParts(comparedText(text), PART_WORDS).map((part) => countTerms([named, part], toTerm));
  return { path, title, text, parts };
}

type ToTerm = (form: string) => string | undefined;

/** Maps a word form to its term; undefined for stop words. Cached, because most forms occur in many parts. */
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

/** The word forms of the note; those of the title count twice. */
export function formsIn({ title, text }: Pick<ComparedNote, 'title' | 'text'>): Counts {
  return formsOf(`${title}\n${title}\n${comparedText(text)}`);
}

function comparedText(text: string): string {
  const { bodyOffset } = bodyStart(text, splitLines(text));
  return withoutLinks(text.slice(bodyOffset, bodyOffset + MAX_CHARACTERS));
}
