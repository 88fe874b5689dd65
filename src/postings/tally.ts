// Counts in which notes a term occurs, how often and in which fields. One tally is used again for every term.

export class Tally {
  /** The notes that contain the term, in any order. */
  notes: Int32Array;
  count = 0;
  /** By note: the weighted occurrences, and the fields as bits. */
  frequencies: Float64Array;
  fields: Uint8Array;

  constructor(size = 0) {
    this.notes = new Int32Array(size);
    this.frequencies = new Float64Array(size);
    this.fields = new Uint8Array(size);
  }

  add(note: number, frequency: number, fields: number): void {
    if (this.fields[note] === 0) this.notes[this.count++] = note;
    this.fields[note] = (this.fields[note] as number) | fields;
    this.frequencies[note] = (this.frequencies[note] as number) + frequency;
  }

  addAll({ notes, count, frequencies, fields }: Tally): void {
    for (let at = 0; at < count; at++) {
      const note = notes[at] as number;
      this.add(note, frequencies[note] as number, fields[note] as number);
    }
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) {
      const note = this.notes[at] as number;
      this.frequencies[note] = 0;
      this.fields[note] = 0;
    }
    this.count = 0;
  }
}
