// Finds the notes of a segment in which sought words occur next to each other.
import { partitionPoint } from '../base/binary-search.ts';
import type { ByteReader } from './bytes.ts';
import { WEIGHTS } from './fields.ts';
import {
  cursorOn,
  FIELD_SHIFT,
  ListCursor,
  MAX_POSITION,
  NO_NOTES,
  type PostingList,
  readPlaces,
} from './posting-list.ts';
import type { Segment } from './segment.ts';
import type { Tally } from './tally.ts';
import type { SoughtWords } from './words.ts';

export interface SegmentNotes {
  readonly segment: Segment;
  /** The number of its first note among the notes of all segments. */
  readonly base: number;
  /** By note: 1 if it has been replaced or removed. */
  readonly dead: Uint8Array;
  readonly hasDead: boolean;
}

/** Adds every note with the words to the tally. */
export function tallyWords(sought: SoughtWords, notes: SegmentNotes, tally: Tally): void {
  if (!takesSteps(sought)) {
    const list = notes.segment.find(sought.words[0] as Uint8Array);
    if (list !== undefined) tallyList(list, notes, tally);
    return;
  }
  const steps = tallyInSteps(sought, notes, tally, new Pace());
  while (steps.next().done !== true);
}

/** Whether it can take long to find them: a word alone is a list that is read through once. */
export function takesSteps({ words, isPrefix }: SoughtWords): boolean {
  return isPrefix || words.length > 1;
}

/** The same in steps of some milliseconds, between which others may run and use the same segments. */
export function* tallyInSteps(sought: SoughtWords, notes: SegmentNotes, tally: Tally, pace: Pace): Steps {
  const lists = yield* listsOf(sought, notes.segment, pace);
  if (lists.length > 1) yield* tallyPhrase(lists, notes, tally, pace);
  else yield* tallyLists(lists[0] ?? [], notes, tally, pace);
}

export type Steps = Generator<undefined, void>;

/** Notes and places read in a step: some milliseconds. */
const STEP = 100_000;
/** To find a list takes as long as to read so many. */
const PER_LIST = 20;

/** Says when a step ends. */
export class Pace {
  #read = 0;

  /** @param read notes or places since the last call */
  isStepOver(read: number): boolean {
    this.#read += read;
    if (this.#read < STEP) return false;
    this.#read = 0;
    return true;
  }
}

function* tallyLists(lists: readonly PostingList[], notes: SegmentNotes, tally: Tally, pace: Pace): Steps {
  for (const list of lists) {
    tallyList(list, notes, tally);
    if (pace.isStepOver(list.count)) yield;
  }
}

/** The lists of each word, several for the beginning of a word; empty if one of them does not occur. */
function* listsOf(
  { words, isPrefix }: SoughtWords,
  segment: Segment,
  pace: Pace,
): Generator<undefined, readonly (readonly PostingList[])[]> {
  const lists: (readonly PostingList[])[] = [];
  for (const [at, word] of words.entries()) {
    const isStart = isPrefix && at === words.length - 1;
    const found = isStart ? yield* listsFrom(word, segment, pace) : [segment.find(word) ?? []].flat();
    if (found.length === 0) return [];
    lists.push(found);
  }
  return lists;
}

function* listsFrom(start: Uint8Array, segment: Segment, pace: Pace): Generator<undefined, PostingList[]> {
  const lists: PostingList[] = [];
  const cursor = segment.cursorFrom(start);
  for (; cursor.isOpen && cursor.startsWith(start); cursor.next()) {
    lists.push(cursor.list());
    if (pace.isStepOver(PER_LIST)) yield;
  }
  return lists;
}

function tallyList(list: PostingList, { base, dead }: SegmentNotes, tally: Tally): void {
  const cursor = cursorOn(list);
  while (cursor.next()) {
    if (dead[cursor.ordinal] === 0) tally.add(base + cursor.ordinal, cursor.frequency, cursor.fields);
  }
}

/** Where the phrase may begin, ascending: the number of the note and the place in it, as one number. */
interface Starts {
  readonly keys: Float64Array;
  count: number;
}

export const NOTE_KEY = 2 ** 31;

/** Longer lists are not read again for places: their words are in so many notes that they say little. */
const MAX_PLACED_NOTES = 50_000;

/** The places of a word that are read of one note: a note with more of them is a list, of whose passages each has some. */
const MAX_PLACES = 10_000;

/** Where the words begin in the living notes, ascending: the number of the note and the place in it, as one number. */
export function startsIn(sought: SoughtWords, notes: Omit<SegmentNotes, 'hasDead'>): readonly number[] {
  const pace = new Pace();
  const lists = atOnce(listsOf(sought, notes.segment, pace));
  if (lists.reduce((sum, list) => sum + noteCount(list), 0) > MAX_PLACED_NOTES) return [];
  const [only, another] = lists.flat();
  if (only === undefined) return [];
  if (another === undefined) return startsOfWord(only, notes);
  const { keys, count } = atOnce(phraseStarts(lists, notes, pace));
  return Array.from(keys.subarray(0, count), (key) => key + notes.base * NOTE_KEY);
}

/** The living notes with the words, ascending; they are few, so no place of the others is looked at. */
export function notesWith(sought: SoughtWords, notes: Omit<SegmentNotes, 'hasDead'>): readonly number[] {
  const { segment, base, dead } = notes;
  const found = new Set<number>();
  if (takesSteps(sought)) {
    const pace = new Pace();
    const lists = atOnce(listsOf(sought, segment, pace));
    const { keys, count } = lists.length === 0 ? { keys: [], count: 0 } : atOnce(phraseStarts(lists, notes, pace));
    for (let at = 0; at < count; at++) found.add(base + Math.floor((keys[at] as number) / NOTE_KEY));
    return [...found];
  }
  const list = segment.find(sought.words[0] as Uint8Array);
  const cursor = list && cursorOn(list);
  while (cursor?.next()) if (dead[cursor.ordinal] === 0) found.add(base + cursor.ordinal);
  return [...found];
}

/** Most notes of the list are not among the few that are asked for, so no start is computed for those. */
function startsOfWord(list: PostingList, { base, dead }: Pick<SegmentNotes, 'base' | 'dead'>): number[] {
  const starts: number[] = [];
  const cursor = cursorOn(list);
  const reader = list.places();
  let passed = 0;
  while (cursor.next()) {
    if (dead[cursor.ordinal] === 1) passed += cursor.occurrences;
    else {
      reader.skip(passed);
      passed = 0;
      const found = Math.min(placesOf(cursor, reader), MAX_PLACES);
      for (let at = 0; at < found; at++) starts.push((base + cursor.ordinal) * NOTE_KEY + (places[at] as number));
    }
  }
  return starts;
}

function atOnce<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Begins with the rarest word and drops the places that have not each other word at its distance. */
function* phraseStarts(
  lists: readonly (readonly PostingList[])[],
  notes: Pick<SegmentNotes, 'dead'>,
  pace: Pace,
): Generator<undefined, Starts> {
  const order = [...lists.keys()].sort((one, other) => noteCount(lists[one]) - noteCount(lists[other]));
  const [rarest = 0, ...others] = order;
  const starts = yield* startsOf(lists[rarest] ?? [], rarest, notes, pace);
  for (const at of others) yield* keepStarts(starts, lists[at] ?? [], at, pace);
  return starts;
}

function* tallyPhrase(
  lists: readonly (readonly PostingList[])[],
  notes: SegmentNotes,
  tally: Tally,
  pace: Pace,
): Steps {
  const starts = yield* phraseStarts(lists, notes, pace);
  for (let at = 0; at < starts.count; at++) {
    const key = starts.keys[at] as number;
    const note = Math.floor(key / NOTE_KEY);
    const field = (key - note * NOTE_KEY) >> FIELD_SHIFT;
    tally.add(notes.base + note, WEIGHTS[field] as number, 1 << field);
  }
}

function noteCount(lists: readonly PostingList[] = []): number {
  return lists.reduce((sum, { count }) => sum + count, 0);
}

let places = new Int32Array(1_024);

function placesOf(cursor: ListCursor, reader: ByteReader): number {
  if (cursor.occurrences > places.length) places = new Int32Array(cursor.occurrences * 2);
  return readPlaces(cursor, reader, places);
}

/** @param distance of the word from the beginning of the phrase */
function* startsOf(
  lists: readonly PostingList[],
  distance: number,
  { dead }: Pick<SegmentNotes, 'dead'>,
  pace: Pace,
): Generator<undefined, Starts> {
  let keys = new Float64Array(1_024);
  let count = 0;
  // Not the shared one: others may use that one between steps.
  const cursor = new ListCursor(NO_NOTES);
  for (const list of lists) {
    cursor.open(list);
    const reader = list.places();
    while (cursor.next()) {
      if (dead[cursor.ordinal] === 1) {
        reader.skip(cursor.occurrences);
        if (pace.isStepOver(cursor.occurrences)) yield;
        continue;
      }
      const found = placesOf(cursor, reader);
      if (count + found > keys.length) keys = resized(keys, (count + found) * 2);
      for (let at = 0; at < found; at++) {
        const place = places[at] as number;
        if ((place & MAX_POSITION) >= distance) keys[count++] = cursor.ordinal * NOTE_KEY + place - distance;
      }
      if (pace.isStepOver(found)) yield;
    }
  }
  if (lists.length > 1) keys.subarray(0, count).sort();
  return { keys, count };
}

function resized(from: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(from);
  return larger;
}

function* keepStarts(starts: Starts, lists: readonly PostingList[], distance: number, pace: Pace): Steps {
  const kept = new Uint8Array(starts.count);
  const cursor = new ListCursor(NO_NOTES);
  for (const list of lists) {
    cursor.open(list);
    yield* markStarts(starts, [cursor, list.places()], distance, kept, pace);
  }
  let count = 0;
  for (let at = 0; at < starts.count; at++) {
    if (kept[at] === 1) starts.keys[count++] = starts.keys[at] as number;
  }
  starts.count = count;
}

function* markStarts(
  { keys, count }: Starts,
  [cursor, reader]: readonly [cursor: ListCursor, places: ByteReader],
  distance: number,
  kept: Uint8Array,
  pace: Pace,
): Steps {
  let start = 0;
  while (start < count && cursor.next()) {
    const first = cursor.ordinal * NOTE_KEY;
    // In a long list the next start is near; in one of many short lists it is anywhere.
    if ((keys[start] as number) < first)
      start += partitionPoint(count - start, (at) => (keys[start + at] as number) < first);
    if (start === count || (keys[start] as number) >= first + NOTE_KEY) reader.skip(cursor.occurrences);
    else start = markNote({ keys, count }, start, [first, distance, placesOf(cursor, reader)], kept);
    if (pace.isStepOver(cursor.occurrences)) yield;
  }
}

/** @returns the first start of a later note */
function markNote(
  { keys, count }: Starts,
  from: number,
  [first, distance, found]: readonly [first: number, distance: number, found: number],
  kept: Uint8Array,
): number {
  let start = from;
  let at = 0;
  for (; start < count && (keys[start] as number) < first + NOTE_KEY; start++) {
    const place = (keys[start] as number) - first + distance;
    while (at < found && (places[at] as number) < place) at += 1;
    if (at < found && places[at] === place) kept[start] = 1;
  }
  return start;
}
