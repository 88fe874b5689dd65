// Adds to the words of a query their inflected forms that occur in notes, so that `directed` also finds `director` less strongly.
import { stem } from 'porter2';
import type { Store } from '../../contracts/store.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { foldedWords } from '../notes/name-words.ts';
import type { Language } from './function-words.ts';

/** Words with this beginning are compared. Shorter stems have too many words that only begin alike. */
const MIN_STEM = 3;
const MAX_COMPARED_WORDS = 1_000;
/** The most frequent forms; few words have more. */
const MAX_FORMS = 12;
const ENGLISH = /^[a-z]{3,}$/;

/** Only words of an `any` query have forms, and only where they are spelled as in English. Quoted words stay exact. */
export async function withForms(
  query: TextQuery,
  language: Language,
  store: Store,
  context: ReadContext,
): Promise<TextQuery> {
  if (query.match === 'all' || language !== 'en') return query;
  const known = await context.storeCache.get(noForms, store, context.signal);
  const withItsForms = async (term: TextTerm): Promise<TextTerm> => {
    const [word = '', another] = foldedWords(term.text);
    if (term.kind !== 'word' || term.negated || another !== undefined || !ENGLISH.test(word)) return term;
    const forms = known.get(word) ?? (await formsOf(word, store, context.signal));
    known.set(word, forms);
    return forms.length === 0 ? term : { ...term, forms };
  };
  return { ...query, terms: await Promise.all(query.terms.map(withItsForms)) };
}

/** Emptied with every change of the index. */
const noForms = async () => new Map<string, readonly string[]>();

async function formsOf(word: string, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  const stemmed = stem(word);
  // `happi` is the stem of `happy`.
  const start = stemmed.replace(/i$/, '');
  if (start.length < MIN_STEM) return [];
  const alike = await store.wordsFrom(start, MAX_COMPARED_WORDS, signal);
  return alike
    .filter(({ word: other }) => other !== word && ENGLISH.test(other) && stem(other) === stemmed)
    .sort((one, other) => other.docFrequency - one.docFrequency)
    .slice(0, MAX_FORMS)
    .map(({ word: form }) => form);
}
