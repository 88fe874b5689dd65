// The notes that say much the same as a note, by their words. Knows no embedding: it never says that meanings are near.
import * as z from 'zod';
import { fileKindOf, type NotePath } from '../base/note.ts';
import { defineTool } from '../contracts/tool.ts';
import { tellingSentence } from '../markdown/telling-sentence.ts';
import { termOf } from '../markdown/terms.ts';
import { briefFilterShape, noteFilter, warnOfEmptyFilters } from '../queries/filters.ts';
import { inputRefusal } from '../queries/input-refusal.ts';
import { REFERENCE_FAILURES, resolveNote } from '../queries/note-reference.ts';
import { createPaging, pageShape } from '../queries/page.ts';
import { type ComparedNote, type RelatedNote, relatedNotes } from '../queries/related-notes.ts';
import { EVIDENCE_CHARS, type Evidence, linkedWith, relatedView, sharedTies } from '../queries/related-view.ts';

/** Terms shown, and looked for in sentences. */
const SHOWN_TERMS = 8;

const input = z.strictObject({
  note: z.string().min(1),
  unlinked_only: z.boolean().default(false),
  ...briefFilterShape,
  ...pageShape,
});
const paging = createPaging('find_related', input.shape);

export const findRelated = defineTool({
  name: 'find_related',
  summary:
    'Notes that share telling words with a note (TF-IDF: lexical, not meaning), with sentences, links and tags as evidence.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input,
  run: async (given, granted, call) => {
    const { store } = granted;
    const page = paging.pageOf(given);
    const filter = noteFilter(given);
    const { path, match } = await resolveNote(given.note, 'note', granted, call.signal);
    if (fileKindOf(path) !== 'note') throw noNote(path);
    const linked = await linkedWith(path, store, call);
    const without = given.unlinked_only ? linked : new Set<NotePath>();
    const { asked, related } = await relatedNotes(path, filter, without, granted, call);
    await warnOfEmptyFilters(filter, store, call);
    const shown = related.slice(page.offset, page.offset + page.limit);
    const paths = shown.map((note) => note.path);
    const ties = await sharedTies(path, paths, store, call);
    return {
      path,
      match,
      related: shown.map((note) => {
        const evidence = [...wordEvidence(asked, note), ...ties(note.path)];
        return relatedView({ ...note, score: rounded(note.likeness.cosine) }, linked.has(note.path), evidence);
      }),
      method: 'tf-idf, lexical: cosine of words, links left out; says nothing of meaning',
      ...paging.next(given, page, { shown: shown.length, total: related.length }),
    };
  },
});

/** More digits would say nothing. */
function rounded(cosine: number): number {
  return Math.round(cosine * 10_000) / 10_000;
}

function noNote(path: NotePath) {
  const issue = { path: 'note', rule: `${path} is no note: only notes are compared` };
  return inputRefusal('find_related', Object.keys(input.shape), issue);
}

/** The sentence of each note that holds most of what both say, and the words. */
function wordEvidence(asked: ComparedNote, { likeness, ...other }: RelatedNote): Evidence[] {
  const shared = likeness.shared.slice(0, SHOWN_TERMS);
  const shares = new Map(shared);
  const texts = [other, asked].flatMap(({ path, text, forms }): Evidence[] => {
    const present = [...forms.keys()].filter((form) => shares.has(termOf(form)));
    const sought = present.map((form) => ({ text: form, weight: shares.get(termOf(form)) ?? 0 }));
    const sentence = tellingSentence(text, sought, EVIDENCE_CHARS);
    return sentence === undefined ? [] : [{ kind: 'text', path, ...sentence }];
  });
  return [...texts, { kind: 'terms', terms: shared.map(([term]) => shownForm(term, asked)) }];
}

/** As the asked note has it. */
function shownForm(term: string, { forms }: ComparedNote): string {
  return [...forms.keys()].find((form) => termOf(form) === term) ?? term;
}
