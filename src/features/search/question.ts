// What a person asks by meaning and by words at once: the text to embed, and the words to look up.
import type { TextQuery } from '../../contracts/store.ts';
import {
  calledBy,
  exceeds,
  isSearchable,
  nothingToFind,
  plainTerm,
  tellingTerms,
  type WrittenTerm,
  writtenTerms,
} from './text-query.ts';

/** More words than these say nothing more of which notes hold them; a whole paragraph may be asked for its meaning. */
const MAX_WORDS = 64;
const MAX_NEGATED = 32;
/** A sign that means something by itself, such as an emoji; punctuation does not. */
const MEANINGFUL = /[\p{L}\p{N}\p{Co}\p{So}\p{Sm}\p{Extended_Pictographic}]/u;

export interface Question {
  /** In the order they were written, without what is negated, quotes and stars. */
  readonly meaning: string;
  /** Undefined where no word can be looked up. */
  readonly query: TextQuery | undefined;
  /** Negated terms alone, to keep notes out that hold them. */
  readonly negated: TextQuery['terms'];
  /** Terms without a letter or digit. */
  readonly ignored: readonly string[];
  /** Words that count for the meaning and are not looked up, because all that they do is hold a sentence together. */
  readonly binding: readonly string[];
  /** Different words beyond those that are looked up. */
  readonly beyond: number;
}

/**
 * Reads what full-text search reads, and any length: how much of it fits is for the model to say.
 * @throws INVALID_QUERY; LIMIT_EXCEEDED for negated terms alone
 */
export function parseQuestion(text: string, match: TextQuery['match']): Question {
  const written = writtenTerms(text);
  const positive = written.filter(({ negated }) => !negated);
  const meaning = positive.map((term) => term.text).join(' ');
  if (!MEANINGFUL.test(meaning)) throw nothingToFind(written);
  const words = distinct(positive.filter(isSearchable));
  const negated = distinct(written.filter((term) => term.negated && isSearchable(term)));
  if (negated.length > MAX_NEGATED) throw exceeds('negated terms', MAX_NEGATED, negated.length);
  const { telling, binding } = match === 'any' ? tellingTerms(words) : { telling: words, binding: [] };
  const terms = [...telling.slice(0, MAX_WORDS), ...negated].map(plainTerm);
  return {
    meaning,
    query: words.length === 0 ? undefined : { terms, match, ...calledBy(written) },
    negated: negated.map(plainTerm),
    ignored: written.filter((term) => !isSearchable(term)).map((term) => term.text),
    binding,
    beyond: Math.max(0, telling.length - MAX_WORDS),
  };
}

function distinct(terms: readonly WrittenTerm[]): WrittenTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.text.toLowerCase()}`, term])).values()];
}
