// Finds notes with similar words by TF-IDF over their indexed terms.
import { isNoteOrCanvas, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { TextHit, TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { type Similarity, similarityTo, type TermParts, topTerms } from '../../graph/relatedness.ts';
import { comparedPart, comparedText, isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { type Counts, countTerms, formsOf, spellingsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { VectorTerms } from '../../postings/term-vectors.ts';
import { readContent, shownFile } from '../notes/note-content.ts';

/** Notes that are compared. */
const MAX_CANDIDATES = 100;
/** Words used to find candidates. */
const MAX_QUERY_WORDS = 40;
/** For very long notes the most frequent words are enough. */
const MAX_FORMS = 2_000;

interface ComparedHit {
  readonly path: NotePath;
  readonly title: string;
  readonly parts: TermParts;
}

export interface RelatedNote {
  readonly path: NotePath;
  readonly title: string;
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
  const { text } = await readContent(path, vault, call.signal);
  const note = comparedNote(path, titles.get(path) ?? '', await shownFile(path, text, 'text', call));
  const forms = mostFrequent(note.forms);
  const { indexed: size, docFrequencies: counts } = await store.wordCounts([...forms.keys()], call.signal);
  const collection = { size, docFrequency: docFrequencies([...forms.keys()], counts) };
  const terms = countTerms([forms], (form) => (isStopWord(form) ? undefined : termOf(form)));
  const queryTerms = topTerms(terms, collection, MAX_QUERY_WORDS).flatMap(spellingsOf).map(wordOf);
  if (queryTerms.length === 0) return { note, related: [] };
  const page = { limit: MAX_CANDIDATES + without.size + 1, offset: 0 };
  const { hits } = await store.searchText({ terms: queryTerms, match: 'any' }, filter, page, call.signal);
  const others = hits.filter((hit) => hit.path !== path && !without.has(hit.path) && isNoteOrCanvas(hit.path));
  const vectorTerms = new VectorTerms([...terms.keys()]);
  const candidates = others.slice(0, MAX_CANDIDATES);
  const vectors = await store.termVectors([path, ...candidates.map((other) => other.path)], call.signal);
  const packed = vectors.get(path);
  if (packed === undefined) {
    call.warn({ code: 'EXTRA_MISSING', message: 'the note has no indexed words to compare', count: 1 });
    return { note, related: [] };
  }
  const noteTerms = vectorTerms.ownTerms(vectorTerms.unpack(packed));
  const compared = await unpacked(candidates, vectors, vectorTerms, call);
  const otherParts = compared.map((other) => other.parts);
  const similarityOf = similarityTo(noteTerms, otherParts, vectorTerms, collection);
  const related: RelatedNote[] = [];
  for (const other of compared) {
    await letOthersRun();
    const similarity = similarityOf(other.parts);
    if (similarity.cosine > 0) related.push({ path: other.path, title: other.title, similarity });
  }
  return { note, related: related.sort(bySimilarity) };
}

function bySimilarity(one: RelatedNote, other: RelatedNote): number {
  return other.similarity.cosine - one.similarity.cosine || (one.path < other.path ? -1 : 1);
}

/** Notes that other rules indexed have no vector yet. */
async function unpacked(
  hits: readonly TextHit[],
  vectors: ReadonlyMap<NotePath, Uint8Array>,
  terms: VectorTerms,
  call: CallContext,
): Promise<readonly ComparedHit[]> {
  const compared: ComparedHit[] = [];
  for (const { path, title } of hits) {
    const packed = vectors.get(path);
    if (packed !== undefined) compared.push({ path, title, parts: terms.unpack(packed) });
    await letOthersRun();
  }
  const count = hits.length - compared.length;
  if (count > 0)
    call.warn({ code: 'EXTRA_MISSING', message: `${count} notes have no indexed words to compare`, count });
  return compared;
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

export interface ComparedNote {
  readonly path: NotePath;
  readonly title: string;
  /** The front matter and as much of the text as is compared. */
  readonly part: string;
  /** What is compared. */
  readonly words: string;
  /** The word forms; those of the title count twice. */
  readonly forms: Counts;
}

export function comparedNote(path: NotePath, title: string, text: string): ComparedNote {
  const part = comparedPart(text);
  const words = comparedText(part);
  return { path, title, part, words, forms: formsOf(`${title}\n${title}\n${words}`) };
}
