// Packs what notes hold into bytes, which pass through threads that do not read them.
import { deserialize, serialize } from 'node:v8';
import type { Link, LinkKind, ParsedNote } from '../../base/note.ts';
import type { LineHashes } from '../excerpt/line-hashes.ts';

const KINDS: readonly LinkKind[] = ['wikilink', 'embed', 'markdown', 'reference', 'property', 'canvas'];
/** line, column, offset, end */
const NUMBERS = 4;

/** A note may have a million links: packed as objects, they would repeat the names of their fields. */
interface LinkColumns {
  readonly kinds: Uint8Array;
  readonly links: readonly string[];
  /** By position, where it is not the same as the link. */
  readonly displays: ReadonlyMap<number, string>;
  /** By position; only links in properties and inline fields have one. */
  readonly keys: ReadonlyMap<number, string>;
  readonly places: Uint32Array;
}

/** A note with the hashes of its lines, where its text is at hand. */
export type HashedNote = ParsedNote & { readonly lines?: LineHashes };

type PackedNote = Omit<HashedNote, 'links'> & { readonly links: LinkColumns };

export const packNotes = (notes: readonly HashedNote[]): Uint8Array =>
  serialize(notes.map((note): PackedNote => ({ ...note, links: packLinks(note.links) })));

/** Its links are made one at a time: a million of them would take more memory than all columns. */
export type UnpackedNote = Omit<HashedNote, 'links'> & { readonly links: Iterable<Link> };

export const unpackNotes = (packed: Uint8Array): readonly UnpackedNote[] =>
  (deserialize(packed) as PackedNote[]).map((note) => ({
    ...note,
    links: { [Symbol.iterator]: () => eachLink(note.links) },
  }));

function packLinks(links: readonly Link[]): LinkColumns {
  const places = new Uint32Array(links.length * NUMBERS);
  for (const [at, { line, column, offset, end }] of links.entries())
    places.set([line, column, offset, end], at * NUMBERS);
  const displays = new Map<number, string>();
  const keys = new Map<number, string>();
  for (const [at, { link, display, key }] of links.entries()) {
    if (display !== link) displays.set(at, display);
    if (key !== undefined) keys.set(at, key);
  }
  return {
    kinds: Uint8Array.from(links, ({ kind }) => KINDS.indexOf(kind)),
    links: links.map(({ link }) => link),
    displays,
    keys,
    places,
  };
}

function* eachLink({ kinds, links, displays, keys, places }: LinkColumns): Generator<Link> {
  for (let at = 0; at < links.length; at += 1) {
    const [from, link, key] = [at * NUMBERS, links[at] as string, keys.get(at)];
    const number = (field: number): number => places[from + field] as number;
    const kind = KINDS[kinds[at] as number] as LinkKind;
    const place = { line: number(0), column: number(1), offset: number(2), end: number(3) };
    yield { kind, link, display: displays.get(at) ?? link, ...place, ...(key !== undefined && { key }) };
  }
}
