// Shortens the answer of get_neighbors: each link becomes `line: sentence`.
import { showWindow, windowAround } from '../../markdown/excerpt/sentence.ts';

interface Link {
  readonly direction: 'in' | 'out';
  readonly line: number;
  readonly text: string;
  readonly sentence?: string;
  readonly match?: string;
  readonly ambiguous_with?: readonly string[];
  readonly via?: string;
}

interface Neighbor {
  readonly path: string;
  readonly depth: number;
  readonly links: readonly Link[];
}

interface Broken {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly sentence?: string;
}

export interface Neighbors {
  readonly path: string;
  readonly match: string;
  readonly neighbors: readonly Neighbor[];
  readonly unresolved?: readonly Broken[];
}

interface ShownNeighbors {
  readonly path: string;
  readonly match?: string;
  readonly neighbors: readonly ShownNeighbor[];
}

interface ShownNeighbor {
  readonly out?: readonly string[];
  readonly in?: readonly string[];
}

/** Of a longer sentence, only the part around the link is shown. */
const MAX_SENTENCE = 160;
/** The limit for a sentence with several links, which is repeated for each of them. */
const MAX_SHARED_SENTENCE = 80;

export function briefNeighbors({ path, match, neighbors, unresolved, ...answer }: Neighbors): object {
  return {
    path,
    ...(match !== 'exact' && { match }),
    neighbors: neighbors.map(({ depth, links, ...neighbor }) => ({
      ...neighbor,
      ...(depth > 1 && { depth }),
      ...linksOf(links),
      ...othersOf(links),
    })),
    ...(unresolved && {
      unresolved: unresolved.map(({ column: _, ...link }) => ({
        ...link,
        ...(link.sentence !== undefined && { sentence: shortened({ ...link, text: link.name }) }),
      })),
    }),
    ...answer,
  };
}

/** One link of a note without the brackets of a list. */
export function showNeighbors({ neighbors, ...answer }: ShownNeighbors, render: (value: object) => string): string {
  const unlisted = ({ out = [], in: back = [], ...neighbor }: ShownNeighbor): object => ({
    ...neighbor,
    ...(out.length > 0 && { out: out.length === 1 ? out[0] : out }),
    ...(back.length > 0 && { in: back.length === 1 ? back[0] : back }),
  });
  const { path, match, ...rest } = answer;
  return render({ path, ...(match !== undefined && { match }), neighbors: neighbors.map(unlisted), ...rest });
}

function linksOf(links: readonly Link[]) {
  const nearer = [...new Set(links.flatMap(({ via }) => via ?? []))];
  const lists = (['out', 'in'] as const).map((direction) => {
    const those = links.filter((link) => link.direction === direction);
    const rows = those.map((link) => {
      const via = nearer.length > 1 ? ` via ${link.via}` : '';
      const match = link.match === undefined ? '' : ` (${link.match})`;
      return `${link.line}${match}${via}${isLinkAlone(link) ? '' : `: ${shortened(link)}`}`;
    });
    return [direction, rows] as const;
  });
  return {
    ...(nearer.length > 0 && { via: nearer }),
    ...Object.fromEntries(lists.filter(([, rows]) => rows.length > 0)),
  };
}

/** Whether the sentence consists of the link alone. */
function isLinkAlone({ text, sentence }: Link): boolean {
  return sentence === `[[${text}]]` || sentence === `![[${text}]]`;
}

/** Files that a link to the note fits equally well. */
function othersOf(links: readonly Link[]): { readonly ambiguous_with?: readonly string[] } {
  const others = [...new Set(links.flatMap(({ ambiguous_with: paths = [] }) => paths))];
  return others.length === 0 ? {} : { ambiguous_with: others };
}

/** The part of a sentence around its link, which depends on nothing else on the page. Without a sentence the text of the link. */
function shortened({ text, sentence }: Pick<Link, 'text' | 'sentence'>): string {
  if (sentence === undefined) return text;
  const links = sentence.match(/\[\[|\]\(/g)?.length ?? 0;
  const size = links > 1 ? MAX_SHARED_SENTENCE : MAX_SENTENCE;
  const at = Math.max(0, sentence.indexOf(text));
  return showWindow(sentence, windowAround(sentence, at, Math.min(sentence.length, at + text.length), size));
}
