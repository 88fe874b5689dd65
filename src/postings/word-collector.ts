// Collects the words of notes and packs them as a segment, with the terms of each note.
import { fileKindOf } from '../base/note.ts';
import type { PackedWords } from '../contracts/change-set.ts';
import { ByteWriter } from './bytes.ts';
import { BODY, FIELDS, HEADINGS, TITLE } from './fields.ts';
import { type NoteToIndex, noteTexts } from './note-texts.ts';
import { FIELD_SHIFT, ListWriter, MAX_POSITION } from './posting-list.ts';
import { SegmentPacker } from './segment-packer.ts';
import type { TextWords } from './term-hashes.ts';
import { type PackedVectors, VectorPacker } from './term-vectors.ts';
import { WordTable } from './word-table.ts';

/** In the order of the notes. */
export function packWords(notes: readonly NoteToIndex[]): PackedWords {
  const collector = new WordCollector();
  const vectors = new VectorPacker(collector.table);
  for (const note of notes) {
    const { texts, places } = noteTexts(note);
    const words = collector.addNote(texts);
    const wordsOf = (field: number) => words[field] as TextWords;
    if (fileKindOf(note.path) !== 'base')
      vectors.add({ title: wordsOf(TITLE).text, headings: wordsOf(HEADINGS), body: wordsOf(BODY), places });
    vectors.endNote();
  }
  return { ...collector.pack(), ...vectors.pack() };
}

/** The words of one field of a note. */
interface Part {
  readonly note: number;
  readonly field: number;
  /** Where its words end among all words. */
  readonly end: number;
}

/** Every word of the notes, in the order of the notes. */
export class WordCollector {
  readonly table = new WordTable();
  readonly #lengths: number[] = [];
  readonly #parts: Part[] = [];

  /** @param texts in the order of `FIELDS` @returns their words, in the same order */
  addNote(texts: readonly string[]): TextWords[] {
    const { table } = this;
    const note = this.#lengths.length;
    const before = table.total;
    const words = texts.map((text, field) => {
      const from = table.total;
      table.add(text);
      if (text !== '') this.#parts.push({ note, field, end: table.total });
      return { text, from, to: table.total };
    });
    this.#lengths.push(table.total - before);
    return words;
  }

  pack(): Omit<PackedWords, keyof PackedVectors> {
    const rows = new ByteWriter();
    const ends: number[] = [];
    const packer = new SegmentPacker((row) => {
      rows.copy(row, 0, row.length);
      ends.push(rows.length);
    });
    this.#packWords(packer);
    const directory = packer.finish().slice();
    return {
      lengths: Int32Array.from(this.#lengths),
      directory,
      rows: rows.view().slice(),
      ends: Int32Array.from(ends),
    };
  }

  #packWords(packer: SegmentPacker): void {
    const { ends, notes, places } = this.#byWord();
    const list = new ListWriter();
    const bytes = new ByteWriter();
    for (const word of this.table.sorted()) {
      const from = word === 0 ? 0 : (ends[word - 1] as number);
      const to = ends[word] as number;
      // A line that was begun again may have left words that do not occur.
      if (from === to) continue;
      list.clear();
      writeList(notes, places, [from, to], list);
      this.table.copyTo(word, bytes);
      packer.add(bytes.bytes, bytes.length, list);
    }
  }

  /** A counting sort: the note and the place of each word, one word after the other, and where each word ends. */
  #byWord() {
    const { words, total } = this.table;
    const ends = this.table.starts();
    const [notes, places] = [new Int32Array(total), new Int32Array(total)];
    let at = 0;
    for (const { note, field, end } of this.#parts) {
      for (let position = 0; at < end; at++, position++) {
        const word = words[at] as number;
        const to = ends[word] as number;
        ends[word] = to + 1;
        notes[to] = note;
        // Words beyond the last position are found, but not as part of a phrase.
        places[to] = (field << FIELD_SHIFT) + Math.min(position, MAX_POSITION);
      }
    }
    return { ends, notes, places };
  }
}

const counts = new Int32Array(FIELDS.length);

/** @param notes of each place, ascending from `from` to `to` */
function writeList(
  notes: Int32Array,
  places: Int32Array,
  [from, to]: readonly [from: number, to: number],
  list: ListWriter,
): void {
  for (let at = from; at < to; ) {
    const note = notes[at] as number;
    let fields = 0;
    let last = 0;
    for (; at < to && notes[at] === note; at++) {
      const place = places[at] as number;
      const field = place >> FIELD_SHIFT;
      if ((fields & (1 << field)) === 0) {
        fields |= 1 << field;
        counts[field] = 0;
        last = field << FIELD_SHIFT;
      }
      list.places.number(place - last);
      counts[field] = (counts[field] as number) + 1;
      last = place;
    }
    list.addNote(note, fields, counts);
  }
}
