// Finds notes with similar words by TF-IDF over their current texts.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { TextTerm } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { type Similarity, similarityTo, type TermParts, topTerms } from '../../graph/relatedness.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { type Counts, countTerms, formsOf, spellingsOf, termOf, withoutLinks } from '../../markdown/excerpt/terms.ts';
import { bodyStart, textAfterProperties } from '../../markdown/frontmatter/front-matter.ts';
import { blankDataUris } from '../../markdown/parse/data-uris.ts';
import { decodeText, splitLines } from '../../markdown/parse/lines.ts';
import { readContent } from '../notes/note-content.ts';
import { type KnownTerms, knownTerms } from './known-terms.ts';
import { keptTerms } from './term-numbers.ts';

/** Notes whose texts are read and compared. */
const MAX_CANDIDATES = 100;
const NOTES_PER_TURN = 10;
const COMPARED_PER_TURN = 30;
/** Words used to find candidates. */
const MAX_QUERY_WORDS = 40;
/** For very long notes the most frequent words are enough. */
const MAX_FORMS = 2_000;

export interface RelatedNote extends ComparedNote {
  readonly similarity: Similarity;
}

/**
 * `related`: most similar first, ties by path; each shares a term with the note.
 * @throws FILE_UNREADABLE, LIMIT_EXCEEDED, PATH_NOT_ALLOWED, VAULT_UNAVAILABLE
 */
export async function relatedNotes(
  path: NotePath,
  filter: NoteFilter,
  without: ReadonlySet<NotePath>,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
) {
  const titles = await store.titles([path], call.signal);
  const known = await knownTerms(store, call);
  const { bytes } = await readContent(path, vault, call.signal);
  const note = comparedNote({ path, title: titles.get(path) ?? '' }, bytes, known);
  const forms = mostFrequent(formsIn(note));
  const { indexed: size, docFrequencies: counts } = await store.wordCounts([...forms.keys()], call.signal);
  const collection = { size, docFrequency: docFrequencies([...forms.keys()], counts) };
  const terms = countTerms([forms], (form) => (isStopWord(form) ? undefined : termOf(form)));
  const queryTerms = topTerms(terms, collection, MAX_QUERY_WORDS).flatMap(spellingsOf).map(wordOf);
  if (queryTerms.length === 0) return { note, related: [] };
  await yieldToOthers();
  const page = { limit: MAX_CANDIDATES + without.size + 1, offset: 0 };
  const { hits } = await store.searchText({ terms: queryTerms, match: 'any' }, filter, page, call.signal);
  const others = hits.filter((hit) => hit.path !== path && !without.has(hit.path) && fileKindOf(hit.path) === 'note');
  const read = await readNotes(others.slice(0, MAX_CANDIDATES), known, vault, call);
  const otherParts = read.map(({ parts }) => parts);
  const kept = keptTerms(note.parts, (term) => terms.has(known.numbers.texts[term] as string));
  await yieldToOthers();
  const similarityOf = similarityTo(kept, otherParts, known.numbers, collection);
  const related: RelatedNote[] = [];
  for (const [at, other] of read.entries()) {
    if (at % COMPARED_PER_TURN === 0) await yieldToOthers();
    const similarity = similarityOf(other.parts);
    if (similarity.cosine > 0) related.push({ ...other, similarity });
  }
  return { note, related: related.sort(bySimilarity) };
}

function bySimilarity(one: RelatedNote, other: RelatedNote): number {
  return other.similarity.cosine - one.similarity.cosine || (one.path < other.path ? -1 : 1);
}

async function readNotes(
  hits: readonly { readonly path: NotePath; readonly title: string }[],
  known: KnownTerms,
  vault: Granted<'vault'>['vault'],
  call: CallContext,
): Promise<ComparedNote[]> {
  const paths = hits.map(({ path }) => path);
  const { succeeded } = await vault.read(paths, call.signal);
  const contents = new Map(succeeded.map(({ id, result }) => [id, result.bytes]));
  const count = hits.length - contents.size;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message: `${count} notes could not be read to compare`, count });
  const read: ComparedNote[] = [];
  for (const hit of hits) {
    const bytes = contents.get(hit.path);
    if (bytes !== undefined) read.push(comparedNote(hit, bytes, known));
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

/** Characters that are compared. Of very long notes only the beginning, so that 100 of them fit in the time of a call. */
const MAX_CHARACTERS = 40_000;
/** More than the longest front matter. */
const MAX_HEAD = 70_000;

export interface ComparedNote {
  readonly path: NotePath;
  readonly title: string;
  readonly parts: TermParts;
  /** Made when it is called, because most notes are compared only. */
  text(): string;
}

function comparedNote(
  { path, title }: { readonly path: NotePath; readonly title: string },
  bytes: Uint8Array,
  known: KnownTerms,
): ComparedNote {
  const text = (): string => blankDataUris(decodeText(bytes).text);
  return { path, title, text, parts: known.partsOf(title, bytes, () => comparedText(text())) };
}

/** The word forms of the note; those of the title count twice. */
export function formsIn({ title, text }: Pick<ComparedNote, 'title' | 'text'>): Counts {
  return formsOf(`${title}\n${title}\n${comparedText(text())}`);
}

/** What of a note is compared. */
export function comparedText(text: string): string {
  return withoutLinks(textAfterProperties(comparedPart(text)));
}

/** The front matter and as much of the text as is compared. */
export function comparedPart(text: string): string {
  const head = text.slice(0, MAX_HEAD + MAX_CHARACTERS);
  return head.slice(0, bodyStart(head, splitLines(head)).bodyOffset + MAX_CHARACTERS);
}
