// A full-text query, and what is found by it.
import type { NotePath } from '../base/note.ts';

/** A parsed full-text query. Texts are literal, without operators. Without a term that is not negated only `named` is found. */
export interface TextQuery {
  readonly terms: readonly TextTerm[];
  /** `any`: notes with more, and rarer, terms first; `all`: only notes with every term. */
  readonly match: 'any' | 'all';
  /**
   * Among the results, notes with exactly this name, alias or title (case-insensitive) come first: file names before aliases and
   * titles, and the same case before another. With `any` and several terms, the best notes whose name is in it rank higher, and so do
   * those that one of the first notes names.
   */
  readonly called?: string;
  /** Notes that pass the filter come before all others, in this order, whatever their words. */
  readonly named?: readonly NotePath[];
  /** With `any`, notes of these dates rank higher. */
  readonly dated?: readonly SoughtDate[];
}

/** A day, or a longer time. */
export interface SoughtDate {
  /** Dates of notes that begin like one of these belong to it; `_` is any digit. */
  readonly days: readonly string[];
  /** The days from three before to three after it, in the same form: these notes rank higher too. */
  readonly around: readonly string[];
  /** Titles, aliases and headings with one of these texts belong to it too. */
  readonly written: readonly string[];
  /** Whether its notes are found although no word of the query is in them; otherwise they only rank higher. */
  readonly isFound: boolean;
}

export interface TextTerm {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
  readonly negated: boolean;
  /** Inflected forms of a word. With `any` they are found too, and count less than the word itself. */
  readonly forms?: readonly string[];
}

export interface TextHit {
  readonly path: NotePath;
  readonly title: string;
  /** The score of the words of the query; higher is better. */
  readonly bm25: number;
  /** By which hits are sorted: BM25 and the shares of names. */
  readonly score: number;
  /** The share because the query contains a name of the note. */
  readonly nameInQuery?: number;
  /** The share because a better hit contains a name of the note. */
  readonly namedBy?: { readonly path: NotePath; readonly share: number };
  readonly modifiedMs: number;
  /** Only if it comes first because of `called`, whatever its score. */
  readonly named?: true;
}

export interface TextHits {
  readonly hits: readonly TextHit[];
  readonly total: number;
  /** Terms of an `any` query that were ignored because most notes contain them. */
  readonly dropped: readonly string[];
  /** Number of notes in the whole index. */
  readonly indexed: number;
  /** Number of them that contain each term, in the order of the query; inexact above half of all notes. */
  readonly docFrequencies: readonly number[];
}

/** The fields of full-text search. */
export type TextField = 'title' | 'aliases' | 'headings' | 'tags' | 'properties' | 'body';

/** The fields of one note that contain a term, and the number of all notes that do. */
export interface TermPlace {
  readonly fields: readonly TextField[];
  readonly notes: number;
}

/** A word of the index that ends with another one. */
export interface Compound {
  readonly word: string;
  /** What is before that one. */
  readonly first: string;
  readonly docFrequency: number;
}
