// Packs what notes hold into bytes, which pass through threads that do not read them.
import { deserialize, serialize } from 'node:v8';
import type { Link, LinkKind, ParsedNote } from '../../base/note.ts';
import { NumberColumn } from '../../base/number-column.ts';
import type { LineHashes } from '../excerpt/line-hashes.ts';

const KINDS: readonly LinkKind[] = ['wikilink', 'embed', 'markdown', 'reference', 'property', 'canvas'];
/** The kind, line, column, offset and end of a link. */
const NUMBERS = 5;

/** A note with the hashes of its lines, where its text is at hand. */
export type HashedNote = ParsedNote & { readonly lines?: LineHashes };

type PackedNote = Omit<HashedNote, 'links' | 'lines'> & {
  readonly linkCount: number;
  readonly lines?: { readonly count: number; readonly bodyLine: number };
};

/**
 * A note may have a million links: packed as objects, they would repeat the names of their fields. And an array of each note would cost
 * more than what it holds, so each column is that of all notes.
 */
interface PackedNotes {
  readonly notes: readonly PackedNote[];
  readonly links: readonly string[];
  /** By the position of the link, where it is not the same as the link. */
  readonly displays: ReadonlyMap<number, string>;
  /** By the position of the link; only links in properties and inline fields have one. */
  readonly keys: ReadonlyMap<number, string>;
  readonly numbers: Uint32Array;
  readonly hashes: Uint32Array;
}

/** Keeps nothing of the objects of links. */
export class NotePacker {
  readonly #notes: PackedNote[] = [];
  readonly #links: string[] = [];
  readonly #displays = new Map<number, string>();
  readonly #keys = new Map<number, string>();
  readonly #numbers = new NumberColumn();
  readonly #hashes = new NumberColumn();

  add({ links, lines, ...note }: HashedNote): void {
    const lineCount = lines && { count: lines.hashes.length, bodyLine: lines.bodyLine };
    this.#notes.push({ ...note, linkCount: links.length, ...(lineCount && { lines: lineCount }) });
    this.#numbers.reserve(links.length * NUMBERS);
    for (const link of links) this.#addLink(link);
    if (lines !== undefined) this.#hashes.add(lines.hashes);
  }

  #addLink({ kind, link, display, key, line, column, offset, end }: Link): void {
    const at = this.#links.push(link) - 1;
    if (display !== link) this.#displays.set(at, display);
    if (key !== undefined) this.#keys.set(at, key);
    this.#numbers.add([KINDS.indexOf(kind), line, column, offset, end]);
  }

  pack(): Uint8Array {
    const texts = { links: this.#links, displays: this.#displays, keys: this.#keys };
    const numbers = { numbers: this.#numbers.view(), hashes: this.#hashes.view() };
    return serialize({ notes: this.#notes, ...texts, ...numbers } satisfies PackedNotes);
  }
}

export function packNotes(notes: readonly HashedNote[]): Uint8Array {
  const packer = new NotePacker();
  for (const note of notes) packer.add(note);
  return packer.pack();
}

/** Its links are made one at a time: a million of them would take more memory than all columns. */
export type UnpackedNote = Omit<HashedNote, 'links'> & { readonly links: Iterable<Link> };

export function unpackNotes(bytes: Uint8Array): readonly UnpackedNote[] {
  const packed = deserialize(bytes) as PackedNotes;
  let [linkEnd, lineEnd] = [0, 0];
  return packed.notes.map(({ linkCount, lines: counted, ...note }) => {
    const [from, to] = [linkEnd, linkEnd + linkCount];
    linkEnd = to;
    const links = { [Symbol.iterator]: () => eachLink(packed, from, to) };
    if (counted === undefined) return { ...note, links };
    const { count, bodyLine } = counted;
    const { buffer, byteOffset } = packed.hashes.subarray(lineEnd, lineEnd + count);
    lineEnd += count;
    return { ...note, links, lines: { hashes: new Int32Array(buffer, byteOffset, count), bodyLine } };
  });
}

function* eachLink({ links, displays, keys, numbers }: PackedNotes, from: number, to: number): Generator<Link> {
  for (let at = from; at < to; at += 1) {
    const [first, key] = [at * NUMBERS, keys.get(at)];
    const text = links[at] as string;
    const link = {
      kind: KINDS[numbers[first] as number] as LinkKind,
      link: text,
      display: displays.get(at) ?? text,
      line: numbers[first + 1] as number,
      column: numbers[first + 2] as number,
      offset: numbers[first + 3] as number,
      end: numbers[first + 4] as number,
    };
    yield key === undefined ? link : { ...link, key };
  }
}
