// Tool: notes with similar words (TF-IDF).
import * as z from 'zod';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Similarity } from '../../graph/relatedness.ts';
import { type SentenceFinder, sentenceFinder } from '../../markdown/excerpt/best-sentence.ts';
import { termOf } from '../../markdown/excerpt/terms.ts';
import { datesOf, filterShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readTexts } from '../notes/note-content.ts';
import { RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { sharedWords, wordAround } from './evidence-words.ts';
import { type ComparedNote, comparedNote, relatedNotes } from './related-notes.ts';
import { EVIDENCE_CHARS, type Evidence, linkedNotes, relatedView, sharedLinksAndTags } from './related-view.ts';

const input = z.strictObject({
  note: z.string().min(1),
  unlinked_only: z.boolean().default(false),
  ...filterShape,
  ...pageShape,
});
const paging = createPaging('find_related', input.shape);

export const findRelated = defineTool({
  name: 'find_related',
  title: 'Notes sharing words',
  summary: 'Notes sharing distinctive words with a note (TF-IDF, not meaning), with evidence.',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'],
  input,
  run: async (args, granted, call) => {
    const { store } = granted;
    const page = paging.pageOf(args);
    const filter = await vaultFilter(args, store, call);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    if (fileKindOf(path) !== 'note') throw noNote(path);
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
      method: 'tf-idf, lexical: cosine of words, links left out; says nothing of meaning',
      ...periodView(filter),
      ...paging.next(args, page, { shown: shown.length, total: related.length }),
    };
  },
});

function noNote(path: NotePath) {
  const issue = { path: 'note', rule: `${path} is not a note: only notes are compared` };
  return inputRefusal('find_related', Object.keys(input.shape), issue);
}

/** By path; a note that cannot be read is not shown. */
async function textsOf(paths: readonly NotePath[], vault: Vault, call: CallContext) {
  const texts = await readTexts(paths, vault, call.signal);
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
