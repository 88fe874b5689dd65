// Reads the answer of a tool: the graph to draw, and what it says about each note.

import {
  APP_GRAPH_META,
  type AppGraph,
  type GraphPicture,
  type PicturedNote,
  type ShownGraph,
} from '../../contracts/graph-picture.ts';
import { NOTE_ENDING, PageError } from '../source/graph-source.ts';
import type { ToolResult } from './host.ts';

export interface DrawnAnswer {
  readonly picture: GraphPicture;
  /** Links that only the layout follows, as in the picture: they keep the notes of a cluster together. */
  readonly ties: readonly number[];
  /** The note that the answer is about. */
  readonly centre?: string;
  /** The paths to follow, each a list of note paths. */
  readonly chains: readonly (readonly string[])[];
  readonly summary: string;
  /** What limits the picture, one sentence each. */
  readonly remarks: readonly string[];
  /** What the answer says about a note, by its path. */
  readonly facts: ReadonlyMap<string, readonly string[]>;
  /** The vault of the answer, where there are several. */
  readonly vault: string | undefined;
  readonly colourBy: 'group' | 'folder';
}

/** The links from and to a note, each as `line: sentence`. */
interface Neighbor {
  readonly path: string;
  readonly in?: readonly string[];
  readonly out?: readonly string[];
}

interface Neighbors {
  readonly path: string;
  readonly neighbors: readonly Neighbor[];
  readonly total: number;
  readonly unresolved?: readonly { readonly name: string }[];
  readonly unresolved_total?: number;
}

interface Communities {
  readonly communities: readonly { readonly size: number; readonly label?: string; readonly top: readonly string[] }[];
  readonly total: number;
}

interface FoundPaths {
  readonly found: boolean;
  readonly from: string;
  readonly to: string;
  readonly length?: number;
  readonly paths: readonly (readonly string[])[];
}

interface Hubs {
  readonly metric: string;
  readonly hubs: readonly { readonly path: string; readonly score: number }[];
  readonly total: number;
}

type Data = { readonly vault?: string } & (Neighbors | Communities | FoundPaths | Hubs);

/** @throws PageError with the failure of the call, or if the answer cannot be drawn */
export function readAnswer({ structuredContent, content = [], _meta }: ToolResult): DrawnAnswer {
  const { ok, data, error } = (structuredContent ?? {}) as {
    readonly ok?: boolean;
    readonly data?: Data;
    readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  };
  if (error !== undefined) throw new PageError({ hint: '', ...error });
  const message = content.find(({ text }) => text !== undefined)?.text ?? 'The answer has nothing to draw.';
  if (ok !== true || data === undefined) throw new PageError({ code: 'NOTHING_TO_DRAW', message, hint: '' });
  const graph = (_meta?.[APP_GRAPH_META] ?? NOT_GIVEN) as AppGraph;
  const shown = 'error' in graph ? { notes: pathsIn(data).map(withName), links: [] } : graph;
  const remarks =
    'error' in graph ? [`Links between these notes are not drawn: ${graph.error.message}`] : leftOut(graph);
  const part = partOf(data, shown);
  return {
    centre: undefined,
    chains: [],
    ties: [],
    colourBy: 'folder',
    ...part,
    remarks,
    vault: data.vault,
  } as DrawnAnswer;
}

const NOT_GIVEN: AppGraph = { error: { code: 'NOT_GIVEN', message: 'the application did not pass them on.' } };

const leftOut = ({ left_out = 0 }: { readonly left_out?: number }): string[] =>
  left_out === 0 ? [] : [`${counted(left_out, 'further note')} of the answer not drawn.`];

function pathsIn(data: Data): string[] {
  const named =
    'neighbors' in data
      ? [data.path, ...data.neighbors.map(({ path }) => path)]
      : 'communities' in data
        ? data.communities.flatMap(({ top }) => top)
        : 'hubs' in data
          ? data.hubs.map(({ path }) => path)
          : [data.from, data.to, ...data.paths.flat()];
  return [...new Set(named)];
}

const withName = (path: string): ShownGraph['notes'][number] => ({
  path,
  title: (path.split('/').at(-1) ?? path).replace(NOTE_ENDING, ''),
});

type Part = Omit<DrawnAnswer, 'remarks' | 'vault'>;

function partOf(data: Data, shown: ShownGraph): Partial<Part> {
  if ('neighbors' in data) return neighborsPart(data, shown);
  if ('communities' in data) return communitiesPart(data, shown);
  if ('hubs' in data) return hubsPart(data, shown);
  if ('paths' in data) return pathsPart(data, shown);
  throw new PageError({ code: 'NOTHING_TO_DRAW', message: 'This page cannot draw the answer of this tool.', hint: '' });
}

const linksOf = ({ in: incoming = [], out: outgoing = [] }: Neighbor): string[] => [
  ...outgoing.map((link) => `→ line ${link}`),
  ...incoming.map((link) => `← line ${link}`),
];

function neighborsPart({ path, neighbors, total, unresolved = [], ...rest }: Neighbors, shown: ShownGraph) {
  const links = new Map(neighbors.map((one) => [one.path, linksOf(one)]));
  const sources = shown.notes.flatMap((note, node) => (note.path === path ? [node] : []));
  const names = [...new Set(unresolved.map(({ name }) => name))].map((name) => ({ name, sources }));
  const gone = rest.unresolved_total ?? names.length;
  return {
    picture: {
      ...pictureOf(shown, (note) => (note === path ? total : (links.get(note)?.length ?? 0))),
      unresolved: names,
    },
    centre: path,
    summary: [
      `${titleOf(path, shown)}: ${some(neighbors.length, total, 'linked note')}`,
      ...(gone === 0 ? [] : [`${gone.toLocaleString('en')} unresolved`]),
    ].join('  ·  '),
    facts: links,
  };
}

function communitiesPart({ communities, total }: Communities, shown: ShownGraph): Partial<Part> {
  const places = new Map(shown.notes.map(({ path }, node) => [path, node]));
  const groupOf = new Map(communities.flatMap(({ top }, group) => top.map((path) => [path, group] as const)));
  const sizeOf = (path: string): number => {
    const { size = 1, top = [] } = communities[groupOf.get(path) ?? -1] ?? {};
    return top[0] === path ? size : size / 6;
  };
  const ties = communities.flatMap(({ top: [first = '', ...others] }) =>
    others.flatMap((path) => {
      const [one, other] = [places.get(first), places.get(path)];
      return one === undefined || other === undefined ? [] : [one, other, 1];
    }),
  );
  const groups = communities.map(({ size, label, top }) => ({ size, label: label ?? top[0] ?? '', words: [] }));
  const facts = [...groupOf].map(([path, group]): [string, string[]] => {
    const { label = '', size = 0 } = groups[group] ?? {};
    return [path, [`Cluster ${label}: ${counted(size, 'note')}`]];
  });
  return {
    picture: { ...pictureOf(shown, sizeOf, (path) => groupOf.get(path) ?? -1), groups },
    ties,
    colourBy: 'group' as const,
    facts: new Map(facts),
    summary: `${some(communities.length, total, 'cluster')}, each by its most central notes`,
  };
}

const METRICS: Readonly<Record<string, string>> = {
  in_degree: 'linking notes',
  out_degree: 'linked notes',
  pagerank: 'PageRank',
  betweenness: 'betweenness',
};

function hubsPart({ metric, hubs, total }: Hubs, shown: ShownGraph): Partial<Part> {
  const scores = new Map(hubs.map(({ path, score }) => [path, score]));
  const shownScore = (score: number): string => score.toLocaleString('en', { maximumSignificantDigits: 3 });
  const name = METRICS[metric] ?? metric;
  return {
    picture: pictureOf(shown, (path) => scores.get(path) ?? 0),
    facts: new Map(hubs.map(({ path, score }) => [path, [`${name}: ${shownScore(score)}`]])),
    summary: `${some(hubs.length, total, 'hub')}, sized by ${name}`,
  };
}

function pathsPart({ found, from, to, length = 0, paths }: FoundPaths, shown: ShownGraph): Partial<Part> {
  const ends = `${titleOf(from, shown)} and ${titleOf(to, shown)}`;
  const steps = paths.flatMap((chain) =>
    chain.map((path, at): [string, string[]] => [path, [`Step ${at} of ${length}`]]),
  );
  return {
    picture: pictureOf(shown, () => 1),
    chains: paths,
    facts: new Map(steps),
    summary: found ? `${counted(length, 'link')} between ${ends}` : `No path of links between ${ends}`,
  };
}

const titleOf = (path: string, { notes }: ShownGraph): string =>
  notes.find((note) => note.path === path)?.title ?? path;

function pictureOf(
  { notes, links }: ShownGraph,
  rank: (path: string) => number,
  group: (path: string) => number = () => -1,
): GraphPicture {
  const drawn = notes.map(({ path, title }): PicturedNote => {
    return { path, title, kind: 'note', tags: [], rank: rank(path), group: group(path), date: '' };
  });
  return {
    vault: '',
    folder: '',
    revision: 0,
    notes: drawn,
    links,
    unresolved: [],
    unresolvedTotal: 0,
    files: [],
    groups: [],
  };
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const some = (count: number, total: number, noun: string): string =>
  count < total ? `${count.toLocaleString('en')} of ${counted(total, noun)}` : counted(total, noun);
