// Packs the terms of a note, part by part, for comparison with other notes, and unpacks them.
import { partitionPoint } from '../base/binary-search.ts';
import type { TermParts } from '../graph/relatedness.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { type ComparedWords, TermHashes, termHash } from './term-hashes.ts';
import type { WordTable } from './word-table.ts';

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

export class VectorPacker {
  readonly #bytes = new ByteWriter();
  readonly #ends: number[] = [];
  readonly #terms: TermHashes;

  /** @param table of the words of all notes */
  constructor(table: WordTable) {
    this.#terms = new TermHashes(table);
  }

  add(note: ComparedWords): void {
    this.#terms.eachPart(note, (hashes) => this.#addPart(hashes));
  }

  /** What was added since the last one are its terms: nothing for what is not a note. */
  endNote(): void {
    this.#ends.push(this.#bytes.length);
  }

  pack(): PackedVectors {
    return { vectors: this.#bytes.view().slice(), vectorEnds: Int32Array.from(this.#ends) };
  }

  /** The number of terms, then each one's distance from the hash before, ascending, with its count. */
  #addPart(hashes: Uint32Array): void {
    const bytes = this.#bytes;
    bytes.number(distinct(hashes));
    let last = 0;
    for (let at = 0; at < hashes.length; ) {
      const hash = hashes[at] as number;
      const from = at;
      while (hashes[at] === hash) at += 1;
      const rest = Math.min(at - from, MAX_COUNT) - 1;
      bytes.number(((hash - last) << COUNT_BITS) | Math.min(rest, MORE));
      if (rest >= MORE) bytes.number(rest - MORE);
      last = hash;
    }
  }
}

function distinct(sorted: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) count += 1;
  return count;
}

/** Gives the terms of unpacked vectors the numbers of a note's own terms, and further numbers to all others. */
export class VectorTerms {
  /** By number; empty for terms that only occur in unpacked vectors. */
  readonly texts: string[];
  readonly #own: number;
  readonly #byHash = new Map<number, number>();
  /** The terms of the vector that is being unpacked. */
  #terms = new Int32Array();
  #counts = new Int32Array();

  /** @param words the terms of the note, by number */
  constructor(words: readonly string[]) {
    this.texts = [...words];
    this.#own = words.length;
    for (const [number, term] of words.entries()) {
      const hash = termHash(term);
      if (!this.#byHash.has(hash)) this.#byHash.set(hash, number);
    }
  }

  unpack(packed: Uint8Array): TermParts {
    const reader = new ByteReader(packed);
    this.#makeRoom(packed.length);
    const [terms, counts] = [this.#terms, this.#counts];
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
    return { terms: terms.slice(0, at), counts: counts.slice(0, at), ends };
  }

  /** Each term takes a byte at least. */
  #makeRoom(bytes: number): void {
    if (bytes <= this.#terms.length) return;
    this.#terms = new Int32Array(bytes);
    this.#counts = new Int32Array(bytes);
  }

  /** The parts with only the note's own terms. */
  ownTerms({ terms, counts, ends }: TermParts): TermParts {
    const kept = [...terms.keys()].filter((at) => (terms[at] as number) < this.#own);
    return {
      terms: Int32Array.from(kept, (at) => terms[at] as number),
      counts: Int32Array.from(kept, (at) => counts[at] as number),
      ends: ends.map((end) => partitionPoint(kept.length, (index) => (kept[index] as number) < end)),
    };
  }

  #numberOf(hash: number): number {
    const term = this.#byHash.get(hash);
    if (term !== undefined) return term;
    const number = this.texts.push('') - 1;
    this.#byHash.set(hash, number);
    return number;
  }
}
