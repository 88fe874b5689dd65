// The notes that say much the same as a note, by their words.
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
  summary: 'Notes sharing telling words with a note (TF-IDF: lexical, not meaning), with evidence.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input,
  run: async (given, granted, call) => {
    const { store } = granted;
    const page = paging.pageOf(given);
    const filter = noteFilter(given);
    const { path, match } = await resolveNote(given.note, 'note', granted, call);
    if (fileKindOf(path) !== 'note') throw noNote(path);
    const linked = await linkedNotes(path, store, call);
    const without = given.unlinked_only ? linked : new Set<NotePath>();
    const { asked, related } = await relatedNotes(path, filter, without, granted, call);
    await warnOfEmptyFilters(filter, store, call);
    const shown = related.slice(page.offset, page.offset + page.limit);
    const paths = shown.map((note) => note.path);
    const sharedWords = createSharedWords(asked);
    const ties = await sharedLinksAndTags(path, paths, store, call);
    const dates = await datesOf(shown, filter, store, call.signal);
    return {
      path,
      match,
      related: shown.map((note) => {
        const evidence = [...sharedWords(note), ...ties(note.path)];
        const view = relatedView({ ...note, score: note.likeness.cosine }, linked.has(note.path), evidence);
        return { ...view, ...dates.get(note.path) };
      }),
      method: 'tf-idf, lexical: cosine of words, links left out; says nothing of meaning',
      ...paging.next(given, page, { shown: shown.length, total: related.length }),
    };
  },
});

function noNote(path: NotePath) {
  const issue = { path: 'note', rule: `${path} is no note: only notes are compared` };
  return inputRefusal('find_related', Object.keys(input.shape), issue);
}

/** Terms shown, and looked for in sentences. */
const SHOWN_TERMS = 8;

/** For the related notes of one; the sentence of the other first. */
function createSharedWords(asked: ComparedNote): (related: RelatedNote) => Evidence[] {
  const askedForms = spelledIn(asked);
  return ({ likeness, ...other }) => {
    const shared = new Map(likeness.shared.slice(0, SHOWN_TERMS));
    const sentences = [sentenceIn(other, spelledIn(other), shared), sentenceIn(asked, askedForms, shared)].flat();
    return [
      ...sentences,
      { kind: 'terms', terms: [...shared.keys()].map((term) => askedForms.get(term)?.[0] ?? term) },
    ];
  };
}

/** The forms in which a note has each term. */
function spelledIn(note: ComparedNote): ReadonlyMap<string, readonly string[]> {
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
