// Answers which notes of a set of segments contain which words.
import type { Compound } from '../contracts/text-query.ts';
import { notesWith, Pace, type SegmentNotes, startsIn, tallyInSteps, tallyWords } from './matches.ts';
import { LONG_NOTE_WORDS, PASSAGE_WORDS, passageScores } from './passages.ts';
import { cursorOn, type PostingList } from './posting-list.ts';
import { type Collection, Scores } from './rank.ts';
import { Tally } from './tally.ts';
import { lastPart } from './word-ends.ts';
import { type SoughtWords, soughtWords } from './words.ts';

/** A segment with its notes; replaced notes are marked in it. */
export interface LoadedSegment extends Omit<SegmentNotes, 'base'> {
  /** By note: the id of its file, and the number of its words. */
  readonly files: Int32Array;
  readonly lengths: Int32Array;
  readonly live: number;
  readonly liveWords: number;
}

/** Arrays that each query uses again. */
export class Workspace {
  tally = new Tally();
  readonly scores = new Scores();

  tallyOf(size: number): Tally {
    if (size > this.tally.frequencies.length) this.tally = new Tally(size);
    this.tally.clear();
    return this.tally;
  }
}

/** By the very object that was searched for. */
export type FoundWords = ReadonlyMap<SoughtWords, Tally>;

const NOTHING: FoundWords = new Map();

export class TextIndex implements Collection {
  readonly live: number;
  readonly averageLength: number;
  readonly #averagePassage: number;
  readonly files: Int32Array;
  readonly lengths: Int32Array;
  readonly #segments: readonly (SegmentNotes & { readonly live: number })[];
  readonly #workspace: Workspace;
  #found: FoundWords = NOTHING;

  constructor(loaded: readonly LoadedSegment[], workspace: Workspace) {
    this.live = sum(loaded.map(({ live }) => live));
    this.averageLength = sum(loaded.map(({ liveWords }) => liveWords)) / this.live;
    const size = sum(loaded.map(({ files }) => files.length));
    this.files = new Int32Array(size);
    this.lengths = new Int32Array(size);
    this.#workspace = workspace;
    let base = 0;
    let passages = 0;
    this.#segments = loaded.map((one) => {
      this.files.set(one.files, base);
      this.lengths.set(one.lengths, base);
      base += one.files.length;
      passages += passageWords(one);
      return {
        segment: one.segment,
        dead: one.dead,
        hasDead: one.hasDead,
        live: one.live,
        base: base - one.files.length,
      };
    });
    this.#averagePassage = passages / this.live;
  }

  /**
   * The scores of the best passages of some notes, ascending, whose scores are of these words. Undefined unless half of them are long:
   * to read the places of words takes as long as to rank by them, and short notes gain little.
   */
  bestPassages(words: readonly WeighedWord[], notes: Int32Array): Float64Array | undefined {
    const long = notes.filter((note) => (this.lengths[note] as number) > LONG_NOTE_WORDS);
    if (long.length === 0 || 2 * long.length < notes.length) return undefined;
    const others = this.#othersOf(notes);
    const counts = new Map<SoughtWords, readonly number[]>();
    const keysOf = (sought: SoughtWords): readonly number[] => {
      const keys = counts.get(sought) ?? this.#startsOf(sought, others);
      counts.set(sought, keys);
      return keys;
    };
    const placed = words.map(({ sought, ...word }) => ({ ...word, keys: inOrder(sought.map(keysOf)) }));
    const lengthOf = (note: number) => Math.min(PASSAGE_WORDS, this.lengths[note] as number) / this.#averagePassage;
    return passageScores(placed, notes, lengthOf);
  }

  /** By note: 1 unless it is one of these. */
  #othersOf(notes: Iterable<number>): Uint8Array {
    const others = new Uint8Array(this.files.length).fill(1);
    for (const note of notes) others[note] = 0;
    return others;
  }

  /** @param others by note: 1 if it is left out */
  #startsOf(sought: SoughtWords, others: Uint8Array): readonly number[] {
    return this.#segments.flatMap(({ segment, base, dead }) =>
      startsIn(sought, { segment, base, dead: others.subarray(base, base + dead.length) }),
    );
  }

  /** Finds which of a few living notes have words: a fraction of the work of finding all that have them. */
  among(notes: readonly number[]): (sought: SoughtWords) => ReadonlySet<number> {
    const others = this.#othersOf(notes);
    const inSegment = (sought: SoughtWords, { segment, base, dead }: SegmentNotes): readonly number[] =>
      notesWith(sought, { segment, base, dead: others.subarray(base, base + dead.length) });
    return (sought) => new Set(this.#segments.flatMap((one) => inSegment(sought, one)));
  }

  /** The note of a file; undefined if it has none. */
  noteOf(file: number): number | undefined {
    for (let note = this.files.indexOf(file); note !== -1; note = this.files.indexOf(file, note + 1))
      if (this.#isLive(note)) return note;
    return undefined;
  }

  /** The notes of files. */
  notesOf(files: readonly number[]): number[] {
    const among = new Set(files);
    const notes: number[] = [];
    for (const { base, dead } of this.#segments)
      for (let at = 0; at < dead.length; at++)
        if (dead[at] === 0 && among.has(this.files[base + at] as number)) notes.push(base + at);
    return notes;
  }

  #isLive(note: number): boolean {
    const last = this.#segments.findLast(({ base }) => base <= note);
    return last !== undefined && last.dead[note - last.base] === 0;
  }

  /** The notes with the words, or with any of several, valid until the next call. */
  tally(...sought: readonly SoughtWords[]): Tally {
    const [first] = sought;
    const only = sought.length === 1 && first !== undefined ? this.#found.get(first) : undefined;
    if (only !== undefined) return only;
    const tally = this.#workspace.tallyOf(this.files.length);
    for (const one of sought) {
      const kept = this.#found.get(one);
      if (kept !== undefined) tally.addAll(kept);
      else for (const notes of this.#segments) tallyWords(one, notes, tally);
    }
    return tally;
  }

  /** Finds in steps what takes long to find. */
  *find(sought: readonly SoughtWords[]): Generator<undefined, FoundWords> {
    const tallies = new Map<SoughtWords, Tally>();
    const pace = new Pace();
    for (const one of sought) {
      const tally = new Tally(this.files.length);
      for (const notes of this.#segments) yield* tallyInSteps(one, notes, tally, pace);
      tallies.set(one, tally);
    }
    return tallies;
  }

  /** Within `use`, what this index has found is not searched for again. */
  withFound<T>(found: FoundWords, use: () => T): T {
    this.#found = found;
    try {
      return use();
    } finally {
      this.#found = NOTHING;
    }
  }

  /** The number of notes with the words. Above `enough` it may be too low. */
  count(sought: SoughtWords, enough: number): number {
    const [word] = sought.words;
    if (word === undefined || sought.words.length > 1 || sought.isPrefix) return this.tally(sought).count;
    const found = this.#segments.flatMap((notes) => {
      const list = notes.segment.find(word);
      return list === undefined ? [] : [{ list, notes }];
    });
    const least = sum(found.map(({ list, notes }) => Math.max(0, list.count - (notes.dead.length - notes.live))));
    return least > enough ? least : sum(found.map(({ list, notes }) => liveCount(list, notes)));
  }

  /** A query over these notes. */
  scores(): Scores {
    this.#workspace.scores.begin(this.files.length);
    return this.#workspace.scores;
  }

  /** Words that begin with `start`, ascending, with the number of notes that contain each. */
  wordsFrom(start: Uint8Array, limit: number): { readonly word: string; readonly docFrequency: number }[] {
    const found = new Map<string, number>();
    for (const notes of this.#segments) addWords(start, notes, limit, found);
    const words = [...found.keys()].sort().slice(0, limit);
    return words.map((word) => ({
      word: Buffer.from(word, 'latin1').toString(),
      docFrequency: found.get(word) as number,
    }));
  }

  /** Longer words of which the given one, folded, is the last part, in any of its forms; the shortest first. */
  compoundsOf(word: string, limit: number): Compound[] {
    const last = lastPart(word);
    if (last === undefined) return [];
    const firsts = new Map<string, string>();
    for (const { segment } of this.#segments) {
      const list = segment.find(last.key);
      if (list !== undefined) for (const { compound, first } of last.compoundsIn(list)) firsts.set(compound, first);
    }
    return [...firsts.keys()]
      .sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
      .slice(0, limit)
      .map((compound) => ({ word: compound, first: firsts.get(compound) ?? '', docFrequency: this.#countOf(compound) }))
      .filter(({ docFrequency }) => docFrequency > 0);
  }

  #countOf(text: string): number {
    const sought = soughtWords({ text, kind: 'word' });
    return sought === undefined ? 0 : this.count(sought, Number.POSITIVE_INFINITY);
  }
}

function inOrder(lists: readonly (readonly number[])[]): readonly number[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length > 1 ? filled.flat().sort((one, other) => one - other) : (filled[0] ?? []);
}

/** What counts as one word of a query, with its weight. */
export interface WeighedWord {
  readonly sought: readonly SoughtWords[];
  readonly weight: number;
  /** Whether a word of the query is found by this with all of its forms. */
  readonly isWhole: boolean;
}

function passageWords({ lengths, dead }: LoadedSegment): number {
  return lengths.reduce(
    (total, length, note) => (dead[note] === 1 ? total : total + Math.min(length, PASSAGE_WORDS)),
    0,
  );
}

/** Adds at most `limit` words of the segment that a living note contains, with a character for each byte: so they sort as their bytes do. */
function addWords(start: Uint8Array, notes: SegmentNotes, limit: number, found: Map<string, number>): void {
  const cursor = notes.segment.cursorFrom(start);
  let added = 0;
  for (; added < limit && cursor.isOpen && cursor.startsWith(start); cursor.next()) {
    const count = notes.hasDead ? liveCount(cursor.list(), notes) : cursor.count();
    if (count === 0) continue;
    const { bytes, length } = cursor.word;
    const word = Buffer.from(bytes.buffer, 0, length).toString('latin1');
    found.set(word, (found.get(word) ?? 0) + count);
    added += 1;
  }
}

function liveCount(list: PostingList, { dead, hasDead }: SegmentNotes): number {
  if (!hasDead) return list.count;
  const cursor = cursorOn(list);
  let count = 0;
  while (cursor.next()) if (dead[cursor.ordinal] === 0) count += 1;
  return count;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
