// Packs what notes hold into bytes, which pass through threads that do not read them.
import { deserialize, serialize } from 'node:v8';
import type { Link, LinkKind, ParsedNote } from '../../base/note.ts';

const KINDS: readonly LinkKind[] = ['wikilink', 'embed', 'markdown', 'reference', 'property', 'canvas'];
/** line, column, offset, end */
const NUMBERS = 4;

/** A note may have a million links: packed as objects, they would repeat the names of their fields. */
interface LinkColumns {
  readonly kinds: Uint8Array;
  readonly links: readonly string[];
  /** Null where it is the same as the link. */
  readonly displays: readonly (string | null)[];
  /** By position; only property links have one. */
  readonly keys: ReadonlyMap<number, string>;
  readonly places: Uint32Array;
}

type PackedNote = Omit<ParsedNote, 'links'> & { readonly links: LinkColumns };

export const packNotes = (notes: readonly ParsedNote[]): Uint8Array =>
  serialize(notes.map((note): PackedNote => ({ ...note, links: packLinks(note.links) })));

export const unpackNotes = (packed: Uint8Array): readonly ParsedNote[] =>
  (deserialize(packed) as PackedNote[]).map((note) => ({ ...note, links: unpackLinks(note.links) }));

function packLinks(links: readonly Link[]): LinkColumns {
  const places = new Uint32Array(links.length * NUMBERS);
  for (const [at, { line, column, offset, end }] of links.entries())
    places.set([line, column, offset, end], at * NUMBERS);
  return {
    kinds: Uint8Array.from(links, ({ kind }) => KINDS.indexOf(kind)),
    links: links.map(({ link }) => link),
    displays: links.map(({ link, display }) => (display === link ? null : display)),
    keys: new Map(links.flatMap(({ key }, at) => (key === undefined ? [] : [[at, key] as const]))),
    places,
  };
}

function unpackLinks({ kinds, links, displays, keys, places }: LinkColumns): Link[] {
  return links.map((link, at): Link => {
    const number = (field: number): number => places[at * NUMBERS + field] as number;
    const key = keys.get(at);
    const written = { kind: KINDS[kinds[at] as number] as LinkKind, link, display: displays[at] ?? link };
    const place = { line: number(0), column: number(1), offset: number(2), end: number(3) };
    return { ...written, ...place, ...(key !== undefined && { key }) };
  });
}
