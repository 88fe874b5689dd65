// Counts in which notes a term occurs, how often and in which fields. One tally is used again for every term.

/** Three columns: notes with the weighted occurrences and the fields of each. */
export interface FoundNotes {
  readonly notes: Int32Array;
  readonly frequencies: Float64Array;
  readonly fields: Uint8Array;
}

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

  addAll({ notes, frequencies, fields }: FoundNotes): void {
    for (let at = 0; at < notes.length; at++)
      this.add(notes[at] as number, frequencies[at] as number, fields[at] as number);
  }

  /** A copy of what is counted, valid also after the next call. */
  found(): FoundNotes {
    const notes = this.notes.slice(0, this.count);
    return {
      notes,
      frequencies: Float64Array.from(notes, (note) => this.frequencies[note] as number),
      fields: Uint8Array.from(notes, (note) => this.fields[note] as number),
    };
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
