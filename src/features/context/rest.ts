// What a dossier had no room for, counted, and the call that gets it. Knows no ranking.
import type { NotePath } from '../../base/note.ts';
import { linesOf, type Piece } from './piece.ts';

/** Something that is not shown, how much of it, and the tool with the arguments that shows it. */
export interface LeftOut {
  readonly what: 'hits' | 'passages' | 'links';
  readonly count: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const LONGEST_QUERY = 120;

export interface Rest {
  readonly topic: string | undefined;
  /** The filters that the topic went with, as they were given. */
  readonly narrowed: Readonly<Record<string, unknown>>;
  /** Notes found and not looked at. */
  readonly hits: number;
  readonly left: readonly Piece[];
  /** Links of the dossier's notes, by note, and how many of them are shown. */
  readonly links: ReadonlyMap<NotePath, number>;
  readonly shownLinks: number;
  /** Passages that are named; the count tells of the others. */
  readonly named: number;
}

/** It as the lines of an answer. */
export function restLines(rest: readonly LeftOut[]): string {
  const rows = rest.map(({ what, count, tool, arguments: given }) => {
    const values = Object.entries(given).map(([name, value]) => ` · arguments.${name}=${JSON.stringify(value)}`);
    return `- ${what} · ${count} · ${tool}${values.join('')}`;
  });
  return rest.length === 0 ? '' : ['left_out (3): what · count · tool', ...rows].join('\n');
}

export function leftOut({ topic, narrowed, hits, left, links, shownLinks, named }: Rest): LeftOut[] {
  const passages = left.filter(({ kind }) => kind === 'passage');
  const notes = passages.slice(0, named).map((piece) => `${piece.note.path}:${linesOf(piece).join('-')}`);
  const linked = [...links.values()].reduce((sum, count) => sum + count, 0) - shownLinks;
  const [most] = [...links].sort((one, other) => other[1] - one[1]);
  const query = topic !== undefined && topic.length <= LONGEST_QUERY ? { query: topic, ...narrowed } : narrowed;
  return [
    ...(hits > 0 ? [{ what: 'hits', count: hits, tool: 'search_text', arguments: query } as const] : []),
    ...(notes.length > 0
      ? [{ what: 'passages', count: passages.length, tool: 'read_notes', arguments: { notes } } as const]
      : []),
    ...(linked > 0 && most !== undefined
      ? [{ what: 'links', count: linked, tool: 'get_neighbors', arguments: { note: most[0] } } as const]
      : []),
  ];
}
