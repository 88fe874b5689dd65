// Scores notes by BM25 over weighted fields, and picks the best.
import { partitionPoint } from '../base/binary-search.ts';
import type { Tally } from './tally.ts';

const K1 = 1.2;
const B = 0.75;

/** What the scores depend on beside the terms. */
export interface Collection {
  /** The number of notes, without those that have been replaced or removed. */
  readonly live: number;
  /** The average number of words of one of them. */
  readonly averageLength: number;
  /** The number of words of every note. */
  readonly lengths: Int32Array;
}

/** How much a term counts that `count` of `live` notes contain. */
export function idf(live: number, count: number): number {
  return Math.log(1 + (live - count + 0.5) / (count + 0.5));
}

/** The saturated frequency of a word in BM25, at most K1 + 1. @param length of the text, as a share of the average */
export function saturated(frequency: number, length: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * length));
}

/** Above so many times the average a note counts as only a little longer: a transcript beside short notes is found by its words. */
const LONG = 5;

/** @param length as a share of the average */
function countedLength(length: number): number {
  return length <= LONG ? length : LONG * (1 + Math.log(length / LONG));
}

/** The scores of one query at a time. */
export class Scores {
  scores = new Float64Array(0);
  #hits = new Uint16Array(0);
  #notes = new Int32Array(0);
  #count = 0;
  #size = 0;

  /** Begins a query over `size` notes. */
  begin(size: number): void {
    if (size > this.scores.length) {
      this.scores = new Float64Array(size);
      this.#hits = new Uint16Array(size);
      this.#notes = new Int32Array(size);
    } else {
      this.scores.fill(0, 0, this.#size);
      this.#hits.fill(0, 0, this.#size);
    }
    this.#size = size;
    this.#count = 0;
  }

  /** Adds the notes with a wanted term. @param share of the score that it counts @returns the weight of the term */
  add(tally: Tally, collection: Collection, share = 1): number {
    for (let at = 0; at < tally.count; at++) this.#hit(tally.notes[at] as number);
    return this.raise(tally, collection, share);
  }

  /** Adds a term that finds no note: it only raises the scores of those found so far. @returns the weight of the term */
  raise({ notes, count, frequencies }: Tally, { live, averageLength, lengths }: Collection, share = 1): number {
    const weight = share * idf(live, count);
    for (let at = 0; at < count; at++) {
      const note = notes[at] as number;
      if (this.#hits[note] === 0) continue;
      const frequency = frequencies[note] as number;
      const length = countedLength((lengths[note] as number) / averageLength);
      this.scores[note] = (this.scores[note] as number) + weight * saturated(frequency, length);
    }
    return weight;
  }

  /** Adds notes that are found without a term, and no score. */
  find(notes: Iterable<number>): void {
    for (const note of notes) this.#hit(note);
  }

  #hit(note: number): void {
    if (this.#hits[note] === 0) this.#notes[this.#count++] = note;
    this.#hits[note] = (this.#hits[note] as number) + 1;
  }

  /** Removes the notes with an unwanted term; after all wanted terms. */
  exclude({ notes, count }: Tally): void {
    for (let at = 0; at < count; at++) this.#hits[notes[at] as number] = 0;
  }

  /** The notes with at least `terms` of the wanted terms. */
  matching(terms: number): Int32Array {
    const matching = new Int32Array(this.#count);
    let count = 0;
    for (let at = 0; at < this.#count; at++) {
      const note = this.#notes[at] as number;
      if ((this.#hits[note] as number) >= terms) matching[count++] = note;
    }
    return matching.subarray(0, count);
  }
}

/** In any order. */
export interface Best {
  /** Fewer than wanted. */
  readonly better: Int32Array;
  /** The notes that tie for the remaining places. */
  readonly tied: Int32Array;
}

/** The notes with the highest scores: together as many as wanted, and all that tie with the last of them. */
export function bestOf(notes: Int32Array, scores: Float64Array, limit: number): Best {
  const none = notes.subarray(0, 0);
  if (limit >= notes.length) return { better: notes, tied: none };
  if (limit === 0) return { better: none, tied: none };
  return around(
    limit > MAX_WINDOW ? leastSorted(notes, scores, limit) : leastInWindow(notes, scores, limit),
    notes,
    scores,
  );
}

function around(least: number, notes: Int32Array, scores: Float64Array): Best {
  const [better, tied]: [number[], number[]] = [[], []];
  for (let at = 0; at < notes.length; at++) {
    const note = notes[at] as number;
    const score = scores[note] as number;
    if (score > least) better.push(note);
    else if (score === least) tied.push(note);
  }
  return { better: new Int32Array(better), tied: new Int32Array(tied) };
}

/** Up to this size, moving scores within a window is faster than sorting all. */
const MAX_WINDOW = 1_000;

function leastSorted(notes: Int32Array, scores: Float64Array, limit: number): number {
  const sorted = new Float64Array(notes.length);
  for (let at = 0; at < notes.length; at++) sorted[at] = scores[notes[at] as number] as number;
  return sorted.sort()[notes.length - limit] as number;
}

/** The window has the best scores so far, ascending. */
function leastInWindow(notes: Int32Array, scores: Float64Array, limit: number): number {
  const window = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < notes.length; at++) {
    const score = scores[notes[at] as number] as number;
    if (score > (window[0] as number)) putInto(window, score);
  }
  return window[0] as number;
}

/** Apart from the loop, which would make objects of every score for this function. */
function putInto(window: Float64Array, score: number): void {
  const place = partitionPoint(window.length, (index) => (window[index] as number) < score);
  window.copyWithin(0, 1, place);
  window[place - 1] = score;
}
