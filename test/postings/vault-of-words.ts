// Holds notes in memory as segments and as plain lists of words, so that the text index can be compared with a scan.
import fc from 'fast-check';
import { WEIGHTS } from '../../src/postings/fields.ts';
import { mergeSegments } from '../../src/postings/merge-segments.ts';
import { Segment } from '../../src/postings/segment.ts';
import { SegmentPacker } from '../../src/postings/segment-packer.ts';
import { type LoadedSegment, TextIndex, Workspace } from '../../src/postings/text-index.ts';
import { WordCollector } from '../../src/postings/word-collector.ts';
import { type SoughtWords, wordsOf } from '../../src/postings/words.ts';

/** The texts of a note, in the order of the fields. */
export type Texts = readonly string[];

const WORDS = ['a', 'ab', 'abc', 'abd', 'b', 'ba', 'tide', 'tides', 'ti', '海', '海の', 'é', '𐐨x', '\ue000y', 'x1'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
export const note = fc.tuple(text, text, text, text, text, text);
export const word = fc.constantFrom(...WORDS, 'gone');

interface Part {
  readonly loaded: LoadedSegment;
  /** The number of each note; a rewritten note has a new one. */
  readonly docs: readonly number[];
}

export class VaultOfWords {
  /** Living notes by number. */
  readonly notes = new Map<number, Texts>();
  readonly #parts: Part[] = [];
  #next = 0;

  add(notes: readonly Texts[]): void {
    const collector = new WordCollector();
    for (const texts of notes) collector.addNote(texts);
    const { lengths, directory, rows, ends } = collector.pack();
    const row = (at: number) => rows.subarray(at === 0 ? 0 : ends[at - 1], ends[at]);
    const docs = notes.map(() => this.#next++);
    for (const [at, doc] of docs.entries()) this.notes.set(doc, notes[at] ?? []);
    this.#parts.push({ loaded: loadedOf(new Segment(directory, row), docs, lengths), docs });
  }

  remove(doc: number): void {
    this.notes.delete(doc);
    for (const { loaded, docs } of this.#parts) if (docs.includes(doc)) loaded.dead[docs.indexOf(doc)] = 1;
  }

  /** Merges neighbours. */
  merge(from: number, count: number): void {
    const parts = this.#parts.slice(from, from + count);
    const docs: number[] = [];
    const lengths: number[] = [];
    const toMerge = parts.map(({ loaded, docs: own }) => {
      const ordinals = Int32Array.from(own, (doc, at) => {
        if (loaded.dead[at] === 1) return -1;
        lengths.push(loaded.lengths[at] ?? 0);
        return docs.push(doc) - 1;
      });
      return { segment: loaded.segment, ordinals };
    });
    const rows: Uint8Array[] = [];
    const packer = new SegmentPacker((row) => void rows.push(row.slice()));
    mergeSegments(toMerge, packer);
    const segment = new Segment(packer.finish().slice(), (at) => rows[at] ?? new Uint8Array(0));
    this.#parts.splice(from, parts.length, { loaded: loadedOf(segment, docs, Int32Array.from(lengths)), docs });
  }

  index(): TextIndex {
    const living = this.#parts.map(({ loaded }) => {
      const lengths = loaded.lengths.filter((_, at) => loaded.dead[at] === 0);
      return { ...loaded, ...{ hasDead: loaded.dead.includes(1), live: lengths.length, liveWords: sum(lengths) } };
    });
    return new TextIndex(living, new Workspace());
  }
}

function loadedOf(segment: Segment, docs: readonly number[], lengths: Int32Array): LoadedSegment {
  const dead = new Uint8Array(docs.length);
  return { segment, dead, hasDead: false, files: Int32Array.from(docs), lengths, live: 0, liveWords: 0 };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

export interface Found {
  readonly frequency: number;
  readonly fields: number;
}

/** The living notes with the words next to each other, by looking at every word. */
export function scan(notes: ReadonlyMap<number, Texts>, { words, isPrefix }: SoughtWords): Map<number, Found> {
  const wanted = words.map((each) => Buffer.from(each).toString('utf8'));
  const found = new Map<number, Found>();
  for (const [doc, texts] of notes) {
    let [frequency, fields] = [0, 0];
    for (const [field, each] of texts.entries()) {
      const count = occurrences(wordsOf(each).map(cut), wanted, isPrefix);
      frequency += count * (WEIGHTS[field] ?? 0);
      if (count > 0) fields |= 1 << field;
    }
    if (fields !== 0) found.set(doc, { frequency, fields });
  }
  return found;
}

/** As long words are indexed; all of them are in ASCII here. */
const cut = (each: string): string => each.slice(0, 255);

function occurrences(words: readonly string[], wanted: readonly string[], isPrefix: boolean): number {
  const isHere = (from: number): boolean =>
    wanted.every((word, step) => {
      const other = words[from + step];
      return isPrefix && step === wanted.length - 1 ? other?.startsWith(word) : other === word;
    });
  return words.filter((_, at) => isHere(at)).length;
}

/** BM25 by its definition. */
export function reference(notes: ReadonlyMap<number, Texts>, terms: readonly SoughtWords[]): Map<number, number> {
  const lengths = new Map([...notes].map(([doc, texts]) => [doc, sum(texts.map((each) => wordsOf(each).length))]));
  const average = sum(lengths.values()) / notes.size;
  const scores = new Map<number, number>();
  for (const term of terms) {
    const found = scan(notes, term);
    const idf = Math.log(1 + (notes.size - found.size + 0.5) / (found.size + 0.5));
    for (const [doc, { frequency }] of found) {
      const length = (lengths.get(doc) ?? 0) / average;
      const score = (idf * frequency * 2.2) / (frequency + 1.2 * (0.25 + 0.75 * length));
      scores.set(doc, (scores.get(doc) ?? 0) + score);
    }
  }
  return scores;
}
