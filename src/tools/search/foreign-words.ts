// Warns that a query in another script or language than the notes cannot be found by words.
import type { Store } from '../../contracts/store.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { languageOf, scriptsIn } from '../../markdown/excerpt/languages.ts';
import { wordsIn } from '../notes/name-words.ts';
import { parseQuestion } from './text-query.ts';

/** The beginning of a longer query shows its language as well. */
const MAX_WORDS = 64;
/** A script or language whose words occur in no more of the notes, such as a name or a quotation, is not theirs. */
const STRAY_SHARE = 0.01;
/** More words with the same initial are not stray. */
const MAX_STRAY_WORDS = 20;
/** Fewer notes may lack every frequent word of their own language. */
const MIN_NOTES = 10;

/**
 * For a query that no note matches by words. Nothing is said unless no word of the query occurs in any note, and
 * hardly any note has words in its script, or the frequent words of its language.
 */
export async function warnOfForeignWords(written: string, store: Store, call: CallContext): Promise<void> {
  const { query, functionWords } = parseQuestion(written, 'any');
  const terms = query.terms.filter(({ negated }) => !negated);
  const words = [...functionWords, ...terms.flatMap(({ text }) => wordsIn(text))].slice(0, MAX_WORDS);
  const { indexed, docFrequencies } = await store.wordCounts(words, call.signal);
  if (indexed === 0 || docFrequencies.some((notes) => notes > 0)) return;
  if (await hasPrefix(terms, store, call.signal)) return;
  const foreign =
    (await foreignScript(words, indexed, store, call.signal)) ??
    (await foreignLanguage(words, indexed, store, call.signal));
  if (foreign === undefined) return;
  const message = `the notes are not written in ${foreign}, so this query cannot match by words; a multilingual embedding model finds notes across languages`;
  call.warn({ code: 'WORDS_CANNOT_MATCH', message });
}

async function hasPrefix(terms: readonly TextTerm[], store: Store, signal: AbortSignal): Promise<boolean> {
  const prefixes = terms.filter(({ kind }) => kind === 'prefix').slice(0, MAX_WORDS);
  for (const { text } of prefixes) if ((await store.wordsFrom(text, 1, signal)).length > 0) return true;
  return false;
}

/** The scripts of the words, if none of them is one of the notes. */
async function foreignScript(
  words: readonly string[],
  indexed: number,
  store: Store,
  signal: AbortSignal,
): Promise<string | undefined> {
  const scripts = scriptsIn(words.join(' ')) ?? [];
  for (const { initials } of scripts) {
    for (const initial of initials) {
      const beginning = await store.wordsFrom(initial, MAX_STRAY_WORDS + 1, signal);
      const isCommon = beginning.some(({ docFrequency }) => docFrequency > STRAY_SHARE * indexed);
      if (isCommon || beginning.length > MAX_STRAY_WORDS) return undefined;
    }
  }
  return scripts.length === 0 ? undefined : `${scripts.map(({ name }) => name).join(' or ')} script`;
}

async function foreignLanguage(
  words: readonly string[],
  indexed: number,
  store: Store,
  signal: AbortSignal,
): Promise<string | undefined> {
  const language = indexed < MIN_NOTES ? undefined : languageOf(words);
  if (language === undefined) return undefined;
  const { docFrequencies } = await store.wordCounts(language.words, signal);
  return docFrequencies.every((notes) => notes <= STRAY_SHARE * indexed) ? language.name : undefined;
}
