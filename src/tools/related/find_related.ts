// Tool: notes with similar words (TF-IDF).
import * as z from 'zod';
import { isNoteOrCanvas, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Similarity } from '../../graph/relatedness.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { type SentenceFinder, sentenceFinder } from '../../markdown/excerpt/sentence.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { termOf } from '../../markdown/excerpt/terms.ts';
import { briefFilterShape, datesOf, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readTexts } from '../notes/note-content.ts';
import { noteArgument, RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { type ComparedNote, comparedNote, relatedNotes } from './related-notes.ts';
import {
  briefRelated,
  EVIDENCE_CHARS,
  type Evidence,
  linkedNotes,
  relatedView,
  sharedLinksAndTags,
} from './related-view.ts';

const input = z.strictObject({
  note: noteArgument,
  unlinked_only: z.boolean().default(false).describe('leave out linked notes'),
  ...briefFilterShape,
  ...pageShape,
});
const paging = createPaging('find_related', input.shape);

export const findRelated = defineTool({
  name: 'find_related',
  title: 'Notes sharing words',
  summary:
    'Finds notes that share distinctive words with a note (TF-IDF, not meaning). Returns each with score and sentences as evidence.',
  others: { find_similar: 'meaning', get_neighbors: 'linked notes' },
  example: { note: 'Harbour', unlinked_only: true },
  words: 'similar, see also',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'],
  input,
  brief: briefRelated,
  run: async (args, granted, call) => {
    const { store } = granted;
    const page = paging.pageOf(args);
    const filter = await vaultFilter(args, store, call);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    if (!isNoteOrCanvas(path)) throw noNote(path);
    const linked = await linkedNotes(path, store, call);
    const without = args.unlinked_only ? linked : new Set<NotePath>();
    const { note: compared, related } = await relatedNotes(path, filter, without, granted, call);
    await warnOfFilters(filter, store, call);
    const shown = related.slice(page.offset, page.offset + page.limit);
    const paths = shown.map((note) => note.path);
    const texts = await textsOf(paths, granted.vault, call);
    const sharedWords = sharedWordsWith(compared);
    const ties = await sharedLinksAndTags(path, paths, store, call);
    const dates = await datesOf(shown, filter, store, call.signal);
    const views: object[] = [];
    for (const note of shown) {
      const text = texts.get(note.path);
      if (text === undefined) continue;
      const other = comparedNote(note.path, note.title, text);
      const evidence = [...sharedWords(other, note.similarity), ...ties(note.path)];
      const view = relatedView({ ...note, score: note.similarity.cosine }, linked.has(note.path), evidence);
      views.push({ ...view, ...dates.get(note.path) });
      await letOthersRun();
    }
    return {
      path,
      match,
      related: views,
      method: 'tf-idf, lexical: shared words, not meaning',
      ...periodView(filter),
      ...paging.next(args, page, { shown: shown.length, total: related.length }),
    };
  },
});

function noNote(path: NotePath) {
  const issue = { path: 'note', rule: `${path} is not a note or canvas: only these are compared` };
  return inputRefusal('find_related', Object.keys(input.shape), issue);
}

/** By path; a note that cannot be read is not shown. */
async function textsOf(paths: readonly NotePath[], vault: Vault, call: CallContext) {
  const texts = await readTexts(paths, vault, call);
  const count = paths.length - texts.size;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message: `${count} notes could not be read to compare`, count });
  return texts;
}

/** Shared terms that pick a sentence. */
const MAX_SENTENCE_TERMS = 8;
/** Pairs of letters that are looked up for the words that contain them. */
const MAX_EVIDENCE_TERMS = 40;

/** The evidence in words for each related note; the sentence of the related note comes first. */
function sharedWordsWith(note: ComparedNote): (other: ComparedNote, similarity: Similarity) => Evidence[] {
  const noteForms = formsByTerm(note);
  const wordOf = wordAround(note.words);
  const sentenceOf = sentenceFinder(note.part);
  return (other, similarity) => {
    const otherForms = formsByTerm(other);
    // What the index compared may have changed in the file since, and different terms may have one hash.
    const both = similarity.shared().filter(([term]) => otherForms.has(term));
    const shared = both.slice(0, MAX_SENTENCE_TERMS);
    const sentences = [
      ...textEvidence(other.path, sentenceFinder(other.part), otherForms, shared),
      ...textEvidence(note.path, sentenceOf, noteForms, shared),
    ];
    const terms = both.slice(0, MAX_EVIDENCE_TERMS).map(([term]) => term);
    const words = sharedWords(terms, (term) => noteForms.get(term)?.[0] ?? term, wordOf, other.words);
    return words.length === 0 ? sentences : [...sentences, { kind: 'terms', terms: words }];
  };
}

/** The word forms of each term in a note. */
function formsByTerm({ forms }: ComparedNote): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(forms.keys(), termOf);
}

function textEvidence(
  path: NotePath,
  sentenceOf: SentenceFinder,
  spelled: ReadonlyMap<string, readonly string[]>,
  shared: readonly (readonly [term: string, weight: number])[],
): Evidence[] {
  const sought = shared.flatMap(([term, weight]) => (spelled.get(term) ?? []).map((form) => ({ text: form, weight })));
  const sentence = sentenceOf(sought, EVIDENCE_CHARS);
  return sentence === undefined ? [] : [{ kind: 'text', path, ...sentence }];
}

/** Letters before and after a pair that show where its word begins and ends. */
const AROUND = 16;
/** Made when needed, because that takes milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The word of a note that contains a term of a script without spaces; undefined if the term is the end of one word and the
 * start of another. Remembers what it found: each related note asks for much the same terms.
 */
function wordAround(text: string): (term: string) => string | undefined {
  const folded = foldText(text);
  const titles = new Map<string, string | undefined>();
  return (term) => {
    if (!titles.has(term)) titles.set(term, wordWith(folded, term));
    return titles.get(term);
  };
}

function wordWith(folded: string, term: string): string | undefined {
  const at = folded.indexOf(term);
  if (at === -1) return undefined;
  const from = Math.max(0, at - AROUND);
  const window = folded.slice(from, at + term.length + AROUND);
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const { segment, index, isWordLike } = segmenter.segment(window).containing(at - from) ?? {};
  if (segment === undefined || index === undefined || isWordLike !== true) return undefined;
  return from + index + segment.length >= at + term.length ? segment : undefined;
}

/** The words for the terms that both texts share, in their order, each once. */
function sharedWords(
  terms: Iterable<string>,
  spelled: (term: string) => string,
  wordOf: (term: string) => string | undefined,
  other: string,
): string[] {
  const words = new Set<string>();
  for (const term of terms) {
    const word = hasUnspacedScript(term) ? inBoth(term, wordOf(term), other) : spelled(term);
    if (word !== undefined) words.add(word);
    if (words.size === MAX_WORDS) break;
  }
  return [...words];
}

const MAX_WORDS = 8;
const HANGUL = /\p{sc=Hangul}/u;

/** Korean words end in particles, so their common beginning counts. */
function inBoth(term: string, word: string | undefined, other: string): string | undefined {
  if (word === undefined || other.includes(word)) return word;
  if (!word.startsWith(term) || !HANGUL.test(term)) return undefined;
  const beginnings = Array.from({ length: word.length - term.length }, (_, cut) => word.slice(0, -1 - cut));
  return beginnings.find((beginning) => other.includes(beginning));
}
