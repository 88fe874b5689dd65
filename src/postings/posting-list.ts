// Writes and reads the postings of one word: in which notes, in which fields and where in them it occurs.
import { ByteReader, ByteWriter } from './bytes.ts';
import { BODY, FIELDS, WEIGHTS } from './fields.ts';

const BODY_BIT = 1 << BODY;

/**
 * Two streams. `notes`: per note the distance from the note before and `2n` for n occurrences in the body alone, otherwise `2f + 1` for
 * the set of fields f and the number of occurrences in each. `places`: per note and field the positions, each as its distance from the one before.
 */
export class ListWriter {
  readonly notes = new ByteWriter();
  readonly places = new ByteWriter();
  count = 0;
  #last = 0;

  clear(): void {
    this.notes.clear();
    this.places.clear();
    this.count = 0;
    this.#last = 0;
  }

  /** @param counts the occurrences in each of the fields; others may have any value */
  addNote(ordinal: number, fields: number, counts: Int32Array): void {
    const { notes } = this;
    this.#addOrdinal(ordinal);
    if (fields === BODY_BIT) notes.number((counts[BODY] as number) * 2);
    else {
      notes.number(fields * 2 + 1);
      for (let field = 0; field < FIELDS.length; field++) {
        if ((fields & (1 << field)) !== 0) notes.number(counts[field] as number);
      }
    }
  }

  /** Adds a note whose fields and counts are packed already, in the bytes from `from` to `to`. */
  copyNote(ordinal: number, bytes: Uint8Array, from: number, to: number): void {
    this.#addOrdinal(ordinal);
    this.notes.copy(bytes, from, to);
  }

  /** Adds all notes of a list, each with a number that is higher by `shift`. */
  copyList(list: PostingList, shift: number): void {
    const reader = new ByteReader(list.data, list.from);
    this.notes.number(reader.number() + shift - this.#last);
    this.notes.copy(list.data, reader.at, list.to);
    const places = list.places();
    const end = list.placesLength === 0 ? places.data.length : places.at + list.placesLength;
    this.places.copy(places.data, places.at, end);
    this.#last = lastOrdinal(list) + shift;
    this.count += list.count;
  }

  #addOrdinal(ordinal: number): void {
    this.notes.number(ordinal - this.#last);
    this.#last = ordinal;
    this.count += 1;
  }
}

/** Where the postings of one word are. */
export interface PostingList {
  /** Notes, with those that have been replaced since. */
  readonly count: number;
  readonly data: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Reads the row with the places if it is another one. */
  places(): ByteReader;
  /** In bytes; 0 if they are all of another row. */
  readonly placesLength: number;
}

type Notes = Pick<PostingList, 'data' | 'from' | 'to'>;

/** An empty list. */
export const NO_NOTES: Notes = { data: new Uint8Array(0), from: 0, to: 0 };

/** Reads the notes of a list one after the other. */
export class ListCursor {
  ordinal = 0;
  /** The fields as bits. */
  fields = 0;
  /** The occurrences in each of the fields; others have any value. */
  readonly counts = new Int32Array(FIELDS.length);
  occurrences = 0;
  /** The weighted occurrences. */
  frequency = 0;
  readonly #reader: ByteReader;
  #to: number;

  constructor({ data, from, to }: Notes) {
    this.#reader = new ByteReader(data, from);
    this.#to = to;
  }

  /** Begins with another list. */
  open({ data, from, to }: Notes): void {
    this.ordinal = 0;
    this.#reader.data = data;
    this.#reader.at = from;
    this.#to = to;
  }

  next(): boolean {
    const reader = this.#reader;
    if (reader.at >= this.#to) return false;
    this.ordinal += reader.number();
    const code = reader.number();
    if ((code & 1) === 1) this.#readFields(code >>> 1);
    else {
      this.fields = BODY_BIT;
      this.occurrences = code >>> 1;
      this.counts[BODY] = this.occurrences;
      this.frequency = this.occurrences;
    }
    return true;
  }

  #readFields(fields: number): void {
    this.fields = fields;
    this.occurrences = 0;
    this.frequency = 0;
    for (let field = 0; field < FIELDS.length; field++) {
      if ((fields & (1 << field)) === 0) continue;
      const count = this.#reader.number();
      this.counts[field] = count;
      this.occurrences += count;
      this.frequency += count * (WEIGHTS[field] as number);
    }
  }
}

const sharedCursor = new ListCursor(NO_NOTES);

/** The same cursor for every list, because a new one takes longer than most lists. Valid until the next call. */
export function cursorOn(list: PostingList): ListCursor {
  sharedCursor.open(list);
  return sharedCursor;
}

function lastOrdinal(list: PostingList): number {
  const cursor = cursorOn(list);
  while (cursor.next());
  return cursor.ordinal;
}

/** A position and its field in one number, ascending by both. */
export const FIELD_SHIFT = 28;
export const MAX_POSITION = (1 << FIELD_SHIFT) - 1;

/** Reads the places of the cursor's note into `places`. @returns their number */
export function readPlaces(cursor: ListCursor, reader: ByteReader, places: Int32Array): number {
  let at = 0;
  for (let field = 0; field < FIELDS.length; field++) {
    if ((cursor.fields & (1 << field)) === 0) continue;
    let place = field << FIELD_SHIFT;
    for (let left = cursor.counts[field] as number; left > 0; left--) {
      place += reader.number();
      places[at++] = place;
    }
  }
  return at;
}
