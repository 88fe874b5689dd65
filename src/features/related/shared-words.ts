// What two notes both say: the sentence of each that holds most of it, and the words. Knows nothing of how notes are ranked.
import { tellingSentence } from '../../markdown/excerpt/best-sentence.ts';
import { termOf } from '../../markdown/excerpt/terms.ts';
import { type ComparedNote, formsIn } from './compared-note.ts';
import type { RelatedNote } from './related-notes.ts';
import { EVIDENCE_CHARS, type Evidence } from './related-view.ts';

/** Terms shown, and looked for in sentences. */
const SHOWN_TERMS = 8;

/** For the related notes of one; the sentence of the other first. */
export function createSharedWords(asked: ComparedNote): (related: RelatedNote) => Evidence[] {
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
  const sentence = tellingSentence(text, sought, EVIDENCE_CHARS);
  return sentence === undefined ? [] : [{ kind: 'text', path, ...sentence }];
}
