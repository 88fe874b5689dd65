// Tool: notes with similar words (TF-IDF).
import * as z from 'zod';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { defineTool } from '../../contracts/tool.ts';
import { bestSentence } from '../../markdown/excerpt/best-sentence.ts';
import { termOf } from '../../markdown/excerpt/terms.ts';
import { briefFilterShape, datesOf, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { type ComparedNote, formsIn, type RelatedNote, relatedNotes } from './related-notes.ts';
import { EVIDENCE_CHARS, type Evidence, linkedNotes, relatedView, sharedLinksAndTags } from './related-view.ts';

const input = z.strictObject({
  note: z.string().min(1),
  unlinked_only: z.boolean().default(false),
  ...briefFilterShape,
  ...pageShape,
});
const paging = createPaging('find_related', input.shape);

export const findRelated = defineTool({
  name: 'find_related',
  summary: 'Notes that share distinctive words with a note (TF-IDF, not meaning), with evidence.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input,
  run: async (args, granted, call) => {
    const { store } = granted;
    const page = paging.pageOf(args);
    const filter = noteFilter(args);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    if (fileKindOf(path) !== 'note') throw noNote(path);
    const linked = await linkedNotes(path, store, call);
    const without = args.unlinked_only ? linked : new Set<NotePath>();
    const { note: compared, related } = await relatedNotes(path, filter, without, granted, call);
    await warnOfEmptyFilters(filter, store, call);
    const shown = related.slice(page.offset, page.offset + page.limit);
    const paths = shown.map((note) => note.path);
    const sharedWords = sharedWordsWith(compared);
    const ties = await sharedLinksAndTags(path, paths, store, call);
    const dates = await datesOf(shown, filter, store, call.signal);
    return {
      path,
      match,
      related: shown.map((note) => {
        const evidence = [...sharedWords(note), ...ties(note.path)];
        const view = relatedView({ ...note, score: note.similarity.cosine }, linked.has(note.path), evidence);
        return { ...view, ...dates.get(note.path) };
      }),
      method: 'tf-idf, lexical: cosine of words, links left out; says nothing of meaning',
      ...paging.next(args, page, { shown: shown.length, total: related.length }),
    };
  },
});

function noNote(path: NotePath) {
  const issue = { path: 'note', rule: `${path} is not a note: only notes are compared` };
  return inputRefusal('find_related', Object.keys(input.shape), issue);
}

/** Shared terms that are shown and used to pick a sentence. */
const SHOWN_TERMS = 8;

/** The evidence in words for each related note; the sentence of the related note comes first. */
function sharedWordsWith(note: ComparedNote): (related: RelatedNote) => Evidence[] {
  const noteForms = formsByTerm(note);
  return ({ similarity, ...other }) => {
    const shared = new Map(similarity.shared.slice(0, SHOWN_TERMS));
    const sentences = [sentenceIn(other, formsByTerm(other), shared), sentenceIn(note, noteForms, shared)].flat();
    return [...sentences, { kind: 'terms', terms: [...shared.keys()].map((term) => noteForms.get(term)?.[0] ?? term) }];
  };
}

/** The word forms of each term in a note. */
function formsByTerm(note: ComparedNote): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(formsIn(note).keys(), termOf);
}

function sentenceIn(
  { path, text }: ComparedNote,
  spelled: ReadonlyMap<string, readonly string[]>,
  shared: ReadonlyMap<string, number>,
): Evidence[] {
  const sought = [...shared].flatMap(([term, weight]) =>
    (spelled.get(term) ?? []).map((form) => ({ text: form, weight })),
  );
  const sentence = bestSentence(text, sought, EVIDENCE_CHARS);
  return sentence === undefined ? [] : [{ kind: 'text', path, ...sentence }];
}
