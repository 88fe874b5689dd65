// Reads the vault from the data embedded in an exported page.
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import type { EmbeddedGraph, EmbeddedNote } from '../../picture/shape.ts';
import {
  type FoundNote,
  type GraphSource,
  type NoteLink,
  type NoteLinks,
  type NoteText,
  PageError,
} from './graph-source.ts';

const MAX_FOUND = 8;
const SNIPPET_BEFORE = 30;
const SNIPPET_AFTER = 90;

export function embeddedSource({ picture, places, texts }: EmbeddedGraph): GraphSource {
  const nodes = new Map(picture.notes.map(({ path }, node) => [path, node]));
  return Object.freeze({
    places,
    graph: async () => picture,
    progress: () => undefined,
    text: async (path: string, maxLength?: number) => textOf(texts?.[path], maxLength),
    links: async (path: string) => factsOf(path, picture, nodes),
    fileAddress: () => undefined,
    keptPlaces: async () => [],
    keepPlaces: async () => undefined,
    related: async () => [],
    changes: async () => {
      throw new PageError(NO_CHANGES);
    },
    searchText: async (query: string) => notesWithText(query, picture, texts ?? {}),
  });
}

const NO_CHANGES = {
  code: 'CAPABILITY_NOT_CONFIGURED',
  message: 'an exported page has no record of changes',
  hint: 'Open the vault with `vaultgraph view` to see what is new in it.',
};

function textOf(note: EmbeddedNote | undefined, maxLength?: number): NoteText {
  if (note === undefined) return { targets: new Map(), properties: {} };
  return {
    text: note.text.slice(0, maxLength),
    targets: new Map(Object.entries(note.links)),
    properties: note.properties,
  };
}

function factsOf(path: string, picture: GraphPicture, nodes: ReadonlyMap<string, number>): NoteLinks {
  const node = nodes.get(path) ?? -1;
  const links = linksOf(node, picture);
  const unresolved = picture.unresolved.filter(({ sources }) => sources.includes(node)).map(({ name }) => name);
  return { links, linkTotal: links.length, unresolved };
}

function linksOf(node: number, { links, notes }: GraphPicture): NoteLink[] {
  const noteLinks: NoteLink[] = [];
  for (let at = 0; at < links.length; at += 3) {
    const [source = 0, target = 0] = [links[at], links[at + 1]];
    if (source !== node && target !== node) continue;
    const neighbor = notes[source === node ? target : source];
    if (neighbor === undefined) continue;
    noteLinks.push({
      path: neighbor.path,
      title: neighbor.title,
      direction: source === node ? 'out' : 'in',
      sentences: [],
    });
  }
  return noteLinks;
}

function notesWithText(
  query: string,
  { notes }: GraphPicture,
  texts: NonNullable<EmbeddedGraph['texts']>,
): FoundNote[] {
  const sought = query.toLowerCase();
  const hits: FoundNote[] = [];
  for (const { path, title } of notes) {
    const text = texts[path]?.text ?? '';
    const at = text.toLowerCase().indexOf(sought);
    if (at < 0) continue;
    const snippet = text.slice(Math.max(0, at - SNIPPET_BEFORE), at + SNIPPET_AFTER).replaceAll(/\s+/g, ' ');
    hits.push({ path, title, snippet });
    if (hits.length === MAX_FOUND) break;
  }
  return hits;
}
