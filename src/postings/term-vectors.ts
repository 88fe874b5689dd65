// Packs the terms of a note, part by part, for comparison with other notes, and unpacks them.
import { fnvOf } from '../base/fnv.ts';
import { fileKindOf } from '../base/note.ts';
import type { TermParts } from '../graph/relatedness.ts';
import { comparedText } from '../markdown/excerpt/compared-text.ts';
import { noteTitle } from '../markdown/frontmatter/note-title.ts';
import { blankDataUris } from '../markdown/parse/data-uris.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { NoteToIndex } from './note-texts.ts';
import { TermNumbers } from './term-numbers.ts';

/** A term is stored as a hash. With 24 bits, one in 200 notes seems to share a term with another of the same length that it does not share. */
const HASH_BITS = 24;
/** A count from 1 is stored in so many bits; the highest value says that the rest of the count follows. */
const COUNT_BITS = 2;
const MORE = (1 << COUNT_BITS) - 1;
/** A part has 100 forms, and those of the title. */
const MAX_COUNT = 255;

export interface PackedVectors {
  /** One after the other, and where each ends. */
  readonly vectors: Uint8Array;
  readonly vectorEnds: Int32Array;
}

/** In the order of the notes; empty for what is not a note. */
export function packVectors(notes: readonly NoteToIndex[]): PackedVectors {
  const packer = new VectorPacker();
  const vectorEnds = Int32Array.from(notes, (note) => packer.add(note));
  return { vectors: packer.bytes.view().slice(), vectorEnds };
}

class VectorPacker {
  readonly bytes = new ByteWriter();
  readonly #numbers = new TermNumbers();
  /** Of each term, by number. */
  readonly #hashes: number[] = [];

  /** @returns where the bytes of the note end */
  add({ path, text, parsed }: NoteToIndex): number {
    if (fileKindOf(path) !== 'note') return this.bytes.length;
    const title = noteTitle(path, parsed.properties);
    const { terms, counts, ends } = this.#numbers.partsOf(title, comparedText(blankDataUris(text)));
    let from = 0;
    for (const end of ends) {
      this.#addPart(terms.subarray(from, end), counts.subarray(from, end));
      from = end;
    }
    return this.bytes.length;
  }

  /** The number of terms, then each one's distance from the hash before, ascending, with its count. */
  #addPart(terms: Int32Array, counts: Int32Array): void {
    const { bytes } = this;
    const pairs = new Uint32Array(terms.length);
    for (let at = 0; at < pairs.length; at++)
      pairs[at] = this.#hashOf(terms[at] as number) * 256 + Math.min(counts[at] as number, MAX_COUNT);
    pairs.sort();
    bytes.number(pairs.length);
    let last = 0;
    for (let at = 0; at < pairs.length; at++) {
      const pair = pairs[at] as number;
      const hash = pair >>> 8;
      const rest = (pair & 255) - 1;
      bytes.number(((hash - last) << COUNT_BITS) | Math.min(rest, MORE));
      if (rest >= MORE) bytes.number(rest - MORE);
      last = hash;
    }
  }

  #hashOf(term: number): number {
    this.#hashes[term] ??= termHash(this.#numbers.texts[term] as string);
    return this.#hashes[term];
  }
}

/** Folded to the bits that are stored. */
function termHash(term: string): number {
  const hash = fnvOf(term);
  return ((hash >>> HASH_BITS) ^ hash) & (2 ** HASH_BITS - 1);
}

/** Gives the terms of unpacked vectors the numbers of a note's own terms, and further numbers to all others. */
export class VectorTerms {
  /** By number; empty for terms that only occur in unpacked vectors. */
  readonly texts: string[];
  readonly #byHash = new Map<number, number>();

  /** @param own the terms of the note, by number */
  constructor(own: readonly string[]) {
    this.texts = [...own];
    for (const [number, term] of own.entries()) {
      const hash = termHash(term);
      if (!this.#byHash.has(hash)) this.#byHash.set(hash, number);
    }
  }

  unpack(packed: Uint8Array): TermParts {
    const reader = new ByteReader(packed);
    // Each term takes a byte at least.
    const terms = new Int32Array(packed.length);
    const counts = new Int32Array(packed.length);
    const ends: number[] = [];
    let at = 0;
    while (reader.at < packed.length) {
      let hash = 0;
      for (let left = reader.number(); left > 0; left--) {
        const value = reader.number();
        hash += value >>> COUNT_BITS;
        const rest = value & MORE;
        terms[at] = this.#numberOf(hash);
        counts[at++] = 1 + rest + (rest === MORE ? reader.number() : 0);
      }
      ends.push(at);
    }
    return { terms: terms.subarray(0, at), counts: counts.subarray(0, at), ends };
  }

  #numberOf(hash: number): number {
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const number = this.texts.push('') - 1;
    this.#byHash.set(hash, number);
    return number;
  }
}
